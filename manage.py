#!/usr/bin/env python3
"""The door for operators. On a machine with Python alone, `demo` and `test` set up .venv first."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SETS_UP = {"demo": ".", "test": ".[test]"}
STAMP = "touchstone-set-up"
ENTERED = "TOUCHSTONE_IN_VENV"


def main() -> None:
    verb = sys.argv[1] if len(sys.argv) > 1 else "help"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")
    if not can_run(verb):
        enter_venv(verb)
    if verb == "test":
        from tests.run import main as run_tests

        raise SystemExit(run_tests(sys.argv[2:]))
    from django.core.management import execute_from_command_line
    from django.db import Error

    try:
        execute_from_command_line(sys.argv)
    except Error:
        if database_is_current():
            raise
        raise SystemExit(
            "The database is not set up, or is older than the program: run `manage.py migrate`."
        ) from None


def database_is_current() -> bool:
    """Whether every migration is applied, as far as the database can say."""
    from django.db import Error, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return True


def can_run(verb: str) -> bool:
    """Whether this Python has what the verb needs."""
    from importlib.util import find_spec

    needed = ["django", "celery", "pandas", "rest_framework"] + ["pytest"] * (verb == "test")
    return all(find_spec(name) for name in needed)


def enter_venv(verb: str) -> None:
    """Go on in .venv, which `demo` and `test` make and fill; does not return."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if os.environ.get(ENTERED) or (verb not in SETS_UP and not python.exists()):
        raise SystemExit(
            "Touchstone is not installed for this Python. Run `python3 manage.py demo` once "
            "(it sets up .venv here), or `pip install -e .` in an environment of yours."
        )
    if verb in SETS_UP:
        if sys.version_info < (3, 11):
            raise SystemExit(f"Touchstone needs Python 3.11 or later; this is {sys.version.split()[0]}.")
        set_up(python, SETS_UP[verb])
    os.environ[ENTERED] = "1"
    command = [str(python), str(ROOT / "manage.py"), *sys.argv[1:]]
    if os.name == "nt":
        raise SystemExit(subprocess.call(command))
    os.execv(command[0], command)


def set_up(python: Path, extra: str) -> None:
    """Make .venv and install Touchstone into it; quick when that is done already."""
    stamp = VENV / f"{STAMP}{extra.strip('.')}"
    wanted = (ROOT / "pyproject.toml").read_text()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"Setting up {VENV} (once; packages are downloaded) ...", flush=True)
    if not python.exists() and subprocess.call([sys.executable, "-m", "venv", str(VENV)]):
        raise SystemExit(
            "Python could not make an environment. On Debian or Ubuntu: apt install python3-venv"
        )
    pip = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-e",
        f"{ROOT}{extra[1:]}",
    ]
    if subprocess.call(pip):
        raise SystemExit(
            "The packages could not be installed; the lines above say why. Nothing else changed."
        )
    stamp.write_text(wanted)


if __name__ == "__main__":
    main()
