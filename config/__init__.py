"""Wiring only: settings, root urls, Celery, WSGI. No rule of a study lives here."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
