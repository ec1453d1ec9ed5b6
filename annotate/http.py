"""A request as the middleware leaves it: somebody is signed in, and htmx's headers are read."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from annotate.models import Person


class Request(HttpRequest):
    """For type checkers: what views of signed-in people may rely on."""

    user: Person
    htmx: HtmxDetails
