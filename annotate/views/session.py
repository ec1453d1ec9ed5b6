"""Sign in, sign out, change one's password."""

from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.urls import reverse_lazy

sign_in = LoginView.as_view(template_name="accounts/sign_in.html", redirect_authenticated_user=True)
sign_out = LogoutView.as_view()
password = PasswordChangeView.as_view(
    template_name="accounts/password.html", success_url=reverse_lazy("home")
)
