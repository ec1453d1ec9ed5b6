"""NAME=VALUE, as filters and options are written on every door."""

from collections.abc import Iterable


class BadRequest(ValueError):
    """Something asked for that is not there, or not as it is written; says what would be."""


def assignments(texts: Iterable[str], field: str) -> dict[str, str]:
    """The texts as a mapping; blank ones are passed over."""
    found = {}
    for text in filter(None, texts):
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadRequest(f"{field} is {text!r}; expected NAME=VALUE.")
        found[name] = value
    return found
