"""Typed access to one raw record: every wrong field becomes a problem with its place."""

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from annotate.importers.rows import Place, Problem

LONGEST_TEXT = 10_000_000  # characters: a longer field is a mistake, not a text
LONGEST_KEY = 200
T = TypeVar("T")


class Fields:
    """One record of a file. `take_*` return a checked value, or note a problem and return a stand-in.

    The stand-in is never stored: a file with any problem is refused whole.
    """

    def __init__(
        self, raw: Mapping[str, Any], place: Place, problems: list[Problem], prefix: str = "", nth: int = 1
    ) -> None:
        self.raw, self.place, self.problems, self.prefix = raw, place, problems, prefix
        self.nth = nth  # its place in the list it stands in, from 1
        self.seen: set[str] = set()

    def wrong(self, field: str, message: str) -> None:
        self.problems.append(Problem(self.place, self.prefix + field, message))

    def has(self, field: str) -> bool:
        return self.raw.get(field) is not None

    def _raw(self, field: str) -> Any:
        self.seen.add(field)
        return self.raw.get(field)

    def refuse_unknown(self) -> None:
        """A misspelt field would be lost without a word."""
        for field in self.raw:
            if field not in self.seen:
                self.wrong(field, f"no such field; expected {', '.join(sorted(self.seen))}.")

    def text(self, field: str, *, required: bool = False, default: str = "") -> str:
        value = self._raw(field)
        if value is None:
            if required:
                self.wrong(field, "is missing; a text is required.")
            return default
        return self.clean(field, value)

    def clean(self, field: str, value: object) -> str:
        if not isinstance(value, str):
            self.wrong(field, f"is {_kind(value)}; expected a text in quotes.")
            return ""
        if len(value) > LONGEST_TEXT:
            self.wrong(field, f"has {len(value):,} characters; at most {LONGEST_TEXT:,} are taken.")
        elif "\x00" in value:
            self.wrong(field, "holds a NUL character, which PostgreSQL cannot store; remove it.")
        elif not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            self.wrong(field, "holds half of a surrogate pair (broken Unicode); write the whole character.")
        else:
            return value
        return ""

    def key(self, field: str, *, required: bool = True, default: str = "", longest: int = LONGEST_KEY) -> str:
        value = self._raw(field)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is None or value == "":
            if required:
                self.wrong(field, "is missing or empty; it names what the line is about.")
            return default
        text = self.clean(field, value)
        if "\n" in text or "\r" in text:
            self.wrong(field, "holds a line break; keys are one line.")
        if len(text) > longest:
            self.wrong(field, f"has {len(text)} characters; a key has at most {longest}.")
        return text

    def flag(self, field: str) -> bool | None:
        value = self._raw(field)
        if value is None or isinstance(value, bool):
            return value
        self.wrong(field, f"is {_kind(value)}; expected true, false or null.")
        return None

    def number(self, field: str) -> float | None:
        value = self._raw(field)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.wrong(field, f"is {_kind(value)}; expected a finite number.")
            return None
        return float(value)

    def count(self, field: str) -> int | None:
        value = self._raw(field)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        self.wrong(field, f"is {_kind(value)}; expected a whole number from 0.")
        return None

    def choice(self, field: str, choices: tuple[str, ...], default: str) -> str:
        value = self._raw(field)
        if value is None:
            return default
        if value not in choices:
            self.wrong(field, f"is {value!r}; expected one of {', '.join(choices)}.")
            return default
        return str(value)

    def moment(self, field: str) -> datetime | None:
        value = self._raw(field)
        if value is None or value == "":
            return None
        try:
            moment = datetime.fromisoformat(value)
        except (TypeError, ValueError):
            self.wrong(field, f"is {value!r}; expected a time such as 2026-01-05T10:00:00Z.")
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    def texts(self, field: str) -> tuple[str, ...] | None:
        values = self._list(field)
        if values is None:
            return None
        return tuple(self.clean(f"{field}[{n}]", value) for n, value in enumerate(values))

    def mapping(self, field: str) -> dict[str, Any]:
        value = self._raw(field)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.wrong(field, f'is {_kind(value)}; expected an object such as {{"name": "value"}}.')
            return {}
        return value

    def records(self, field: str) -> Iterator["Fields"]:
        for n, value in enumerate(self._list(field) or ()):
            if isinstance(value, dict):
                yield Fields(value, self.place, self.problems, f"{self.prefix}{field}[{n}].", n + 1)
            else:
                self.wrong(f"{field}[{n}]", f"is {_kind(value)}; expected an object.")

    def _list(self, field: str) -> list[Any] | None:
        value = self._raw(field)
        if value is None or isinstance(value, list):
            return value
        self.wrong(field, f"is {_kind(value)}; expected a list in brackets.")
        return None

    def each(self, field: str, build: Callable[["Fields"], T]) -> tuple[T, ...]:
        return tuple(build(record) for record in self.records(field))


def _kind(value: object) -> str:
    names = {
        bool: "a yes/no value",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
        type(None): "null",
    }
    return names.get(type(value), type(value).__name__)
