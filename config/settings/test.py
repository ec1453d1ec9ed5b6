"""Settings of the test run: a database file (WAL needs one), fast passwords, no worker."""

import os
import tempfile
from pathlib import Path

from config.settings.base import *  # noqa: F403
from config.settings.base import DATABASES

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Named by process: two test runs at once on a machine must not share a file.
    name = f"touchstone-test-{os.getpid()}.sqlite3"
    DATABASES["default"]["TEST"] = {"NAME": str(Path(tempfile.gettempdir()) / name)}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = {}
AXES_ENABLED = False
