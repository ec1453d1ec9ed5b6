"""Wiring only: settings, root urls, Celery, WSGI. No rule of a study lives here."""

import gc

from config.celery import app as celery_app

# Rows are made by the ten thousand and hold few cycles: collecting less often saves a seventh of a load and a
# fifth of a run, for about 12 MB (bench/).
gc.set_threshold(100_000, 20, 20)

__all__ = ["celery_app"]
