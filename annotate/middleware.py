"""Who is not signed in goes to the sign-in page; a fragment's request gets a plain 401 instead."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase


class SignInRequired(LoginRequiredMiddleware):
    """As Django's, but never swaps a sign-in page into a page whose form still holds work."""

    def handle_no_permission(  # type: ignore[override]  # the stubs promise a redirect
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        if request.headers.get("HX-Request"):
            return HttpResponse("You are signed out.", status=401, content_type="text/plain")
        return super().handle_no_permission(request, view_func)
