"""Root urls: each room brings its own."""

from django.urls import include, path

urlpatterns = [
    path("", include("metrics.urls")),
    path("", include("annotate.urls")),
]
