"""Which values a criterion allows. Plain values in, plain values out: no rows, no requests."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Scaled(Protocol):
    """What these rules read of a criterion."""

    key: str
    scale: str
    minimum: float | None
    maximum: float | None
    step: float | None
    show_if: Mapping[str, Any] | None

    @property
    def values(self) -> list[str]: ...


class BadValue(ValueError):
    """A label that its criterion does not allow."""


def text_of(value: object) -> str:
    """A label or category as it is stored: true, 1, 0.5 or the text itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def number_of(value: object) -> float | None:
    """The finite number that a value is or spells, else None."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def check(criterion: Scaled, value: object) -> str:
    """The value as a label of the criterion holds it, or `BadValue` with what was expected."""
    text = text_of(value)
    if criterion.scale == "numeric":
        return _check_number(criterion, text)
    if text not in criterion.values:
        raise BadValue(f"{criterion.key}: {text!r} is no category; expected {one_of(criterion.values)}.")
    return text


def _check_number(criterion: Scaled, text: str) -> str:
    number = number_of(text)
    low = -math.inf if criterion.minimum is None else criterion.minimum
    high = math.inf if criterion.maximum is None else criterion.maximum
    if number is None or not low <= number <= high:
        raise BadValue(f"{criterion.key}: {text!r} is no number from {low:g} to {high:g}.")
    if criterion.step and abs((number - (low if low > -math.inf else 0)) / criterion.step % 1) > 1e-9:
        raise BadValue(f"{criterion.key}: {text!r} is not a multiple of {criterion.step:g} above {low:g}.")
    return text_of(number)


def one_of(values: Sequence[str]) -> str:
    return "one of " + ", ".join(map(repr, values)) if values else "no value: none is declared"


def is_asked(criterion: Scaled, given: Mapping[str, str]) -> bool:
    """Whether a conditional criterion is asked, once the labels before it are given."""
    condition = criterion.show_if
    if not condition:
        return True
    return given.get(condition["criterion"]) in {text_of(value) for value in condition["values"]}


def check_all(criteria: Sequence[Scaled], given: Mapping[str, object]) -> dict[str, str]:
    """All labels of a submission: every criterion that is asked has an allowed value, no other is there."""
    known = {criterion.key for criterion in criteria}
    unknown = [key for key in given if key not in known]
    if unknown:
        raise BadValue(f"{unknown[0]!r} is no criterion here; expected {one_of(sorted(known))}.")
    labels: dict[str, str] = {}
    for criterion in criteria:
        value = given.get(criterion.key)
        if not is_asked(criterion, labels):
            continue  # an answer left over from before the condition changed is no label
        if value is None or value == "":
            raise BadValue(f"{criterion.key}: no value yet.")
        labels[criterion.key] = check(criterion, value)
    return labels
