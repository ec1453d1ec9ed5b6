"""What must hold of the live database connection before anything is written."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

# foreign_keys on; synchronous 2 = FULL: an acknowledged label survives a power cut.
PRAGMAS: dict[str, set[object]] = {"journal_mode": {"wal"}, "foreign_keys": {1}, "synchronous": {2}}


def refuse_other_pragmas(*, connection: Any, **_: Any) -> None:
    """Read the SQLite settings back from a new connection: a setting that was not applied stops us here."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        for name, allowed in PRAGMAS.items():
            found = cursor.execute(f"PRAGMA {name}").fetchone()[0]
            if found not in allowed:
                raise ImproperlyConfigured(
                    f"SQLite runs with {name}={found}, Touchstone needs {name}={min(map(str, allowed))}. "
                    "WAL does not work on network disks: put TOUCHSTONE_HOME on a local one, or set "
                    "DATABASE_URL."
                )
        wait = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        if wait < 1000 or connection.transaction_mode != "IMMEDIATE":
            raise ImproperlyConfigured(
                f"SQLite runs with busy_timeout={wait} ms in mode {connection.transaction_mode}; "
                "Touchstone needs at least 1000 ms and IMMEDIATE. See SQLITE_OPTIONS in the settings."
            )
