"""The folder that holds what this installation makes: database, secret key, embedded broker."""

import os
import secrets
from pathlib import Path

MINIMUM_KEY_LENGTH = 40


def secret_key(home: Path, given: str) -> str:
    """The key from the environment, else the one made at the first start and kept in `home`."""
    if given:
        if len(given) < MINIMUM_KEY_LENGTH or given.startswith("django-insecure-"):
            raise SystemExit(
                f"SECRET_KEY is too weak: {len(given)} characters, or a sample. Give at least "
                f"{MINIMUM_KEY_LENGTH} random ones, or unset it and one is made and kept in {home}."
            )
        return given
    path = home / "secret_key"
    home.mkdir(parents=True, exist_ok=True)
    # Written aside and linked, so that two first starts at once agree on one whole key.
    fresh = home / f"secret_key.{os.getpid()}.{secrets.token_hex(4)}"
    if not path.exists():
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    key = path.read_text().strip()
    if len(key) < MINIMUM_KEY_LENGTH:
        raise SystemExit(f"{path} does not hold a key. Delete it to have a new one made (all sign out).")
    return key


def broker_folders(home: Path) -> dict[str, str]:
    """Folders of the embedded broker, made if they are not there."""
    folders = {name: home / "broker" / name for name in ("queue", "control", "processed")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return {name: str(folder) for name, folder in folders.items()}
