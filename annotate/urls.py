"""The rooms of `annotate`."""

from django.urls import path

from annotate.views import health, home, session

urlpatterns = [
    path("", home.home, name="home"),
    path("accounts/sign-in/", session.sign_in, name="sign-in"),
    path("accounts/sign-out/", session.sign_out, name="sign-out"),
    path("accounts/password/", session.password, name="password"),
    path("health/", health.health, name="health"),
]
