"""Check what came in; nothing is saved here."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from annotate.models import Adjudication, Criterion, Membership
from annotate.scales import BadValue, check, is_asked, number_of, text_of

MOST_STEPS = 11
LONGEST_COMMENT = 10_000
OUT_OF_DATE = "This page is out of date; load it again. Your answers stay."
LONGEST_SITTING = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Option:
    """One button of a criterion."""

    value: str
    label: str
    help: str
    digit: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion as the panel asks it; `field` is its name in the form."""

    field: str
    key: str
    name: str
    text: str
    options: tuple[Option, ...]
    value: str
    minimum: float | None
    maximum: float | None
    step: float | None
    condition: str
    condition_values: tuple[str, ...]
    asked: bool
    missing: bool


def values_of(criterion: Criterion) -> list[tuple[str, str, str]]:
    """Value, label and help of each choice; none where a number is typed."""
    if criterion.scale != Criterion.Scale.NUMERIC:
        return [
            (
                text_of(category["value"]),
                str(category.get("label") or category["value"]),
                str(category.get("help", "")),
            )
            for category in criterion.categories
        ]
    low, high, step = criterion.minimum, criterion.maximum, criterion.step
    if low is None or high is None or not step or (high - low) / step > MOST_STEPS - 0.5:
        return []
    numbers = [text_of(round(low + n * step, 10)) for n in range(round((high - low) / step) + 1)]
    return [(number, number, "") for number in numbers]


class LabelForm(forms.Form):
    """One unit's labels. Fields of criteria are named by their row, because keys may hold anything.

    `unit` and `key` (the idempotency key) come back as they were sent; `signed_as` guards against a form
    opened by one person and sent by another who signed in meanwhile.
    """

    unit = forms.CharField(max_length=20)
    key = forms.UUIDField(error_messages={"invalid": OUT_OF_DATE, "required": OUT_OF_DATE})
    signed_as = forms.CharField(max_length=150, required=False)
    comment = forms.CharField(max_length=LONGEST_COMMENT, required=False)

    def __init__(
        self,
        criteria: Sequence[Criterion],
        data: Mapping[str, Any] | None = None,
        given: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(data)
        self.criteria = criteria
        self.given = dict(given or {})  # labels that stand already: they decide which questions are open

    def labels(self) -> dict[str, str]:
        """What was chosen, by criterion; as it came."""
        return {c.key: value for c in self.criteria if (value := self.data.get(name_of(c), "").strip())}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        seen = dict(self.given)
        for criterion in self.criteria:
            value = self.labels().get(criterion.key)
            if not is_asked(criterion, seen):
                continue
            if value is None:
                self.add_error(None, f"“{criterion.name}” has no answer yet.")
                continue
            try:
                seen[criterion.key] = check(criterion, value)
            except BadValue as error:
                self.add_error(None, str(error))
        return cleaned

    def all_errors(self) -> list[str]:
        """Everything that is wrong, in words."""
        return [str(error) for errors in self.errors.values() for error in errors]

    def seconds(self) -> float | None:
        """Time at work as the browser measured it: a figure that cannot be is none, and costs no label."""
        try:
            seconds = float(self.data.get("seconds", ""))
        except ValueError:
            return None
        return round(seconds, 1) if 0 <= seconds < LONGEST_SITTING else None

    def questions(self, *, strict: bool) -> list[Question]:
        """The panel, with what was chosen so far; `strict` marks what has no answer yet."""
        chosen, seen = self.labels(), dict(self.given)
        values = {criterion: values_of(criterion) for criterion in self.criteria}
        digits = digits_of(values)
        questions = []
        for criterion, options in values.items():
            asked = is_asked(criterion, seen)
            value = chosen.get(criterion.key, "")
            if asked and value:
                seen[criterion.key] = value
            missing = strict and asked and not value
            questions.append(_question(criterion, options, digits, value, asked, missing=missing))
        return questions


Choice = tuple[str, str, str]


def digits_of(values: Mapping[Criterion, list[Choice]]) -> dict[tuple[int, str], str]:
    """The key of each choice: 1 to 9 through all criteria, those included that a condition hides, so that
    a digit always means the same. Numbers have their own digit, where they stand alone."""
    numeric = {one for one in values if one.scale == Criterion.Scale.NUMERIC}
    if len(values) == 1 and numeric:
        return {
            (c.pk, value): value for c, options in values.items() for value, *_ in options if len(value) == 1
        }
    named = [(c.pk, value) for c, options in values.items() if c not in numeric for value, *_ in options]
    return {choice: str(digit) for digit, choice in enumerate(named[:9], 1)}


class DecisionForm(LabelForm):
    """A decision: labels for what is contested, and a reason."""

    reason_code = forms.ChoiceField(
        choices=Adjudication.Reason.choices,
        error_messages={"required": "Choose a reason.", "invalid_choice": "Choose a reason from the list."},
    )


def name_of(criterion: Criterion) -> str:
    return f"c{criterion.pk}"


def new_key() -> str:
    return str(uuid.uuid4())


def _question(
    criterion: Criterion,
    options: list[Choice],
    digits: Mapping[tuple[int, str], str],
    value: str,
    asked: bool,
    *,
    missing: bool,
) -> Question:
    condition = criterion.show_if or {}
    return Question(
        field=name_of(criterion),
        key=criterion.key,
        name=criterion.name,
        text=criterion.question,
        options=tuple(
            Option(one, label, words, digits.get((criterion.pk, one), ""), one == value)
            for one, label, words in options
        ),
        value=value,
        minimum=criterion.minimum,
        maximum=criterion.maximum,
        step=criterion.step,
        condition=str(condition.get("criterion", "")),
        condition_values=tuple(text_of(value) for value in condition.get("values", ())),
        asked=asked,
        missing=missing,
    )


class CriterionForm(forms.Form):
    """One's own criterion. `raw` is what a scheme file would say of it."""

    key = forms.CharField(max_length=200)
    name = forms.CharField(max_length=200)
    question = forms.CharField(max_length=2000, required=False)
    level = forms.ChoiceField(choices=Criterion.Level.choices)
    scale = forms.ChoiceField(choices=Criterion.Scale.choices)
    categories = forms.CharField(required=False, max_length=20_000)
    minimum = forms.FloatField(required=False)
    maximum = forms.FloatField(required=False)
    step = forms.FloatField(required=False, min_value=1e-6)
    tolerance = forms.FloatField(required=False, min_value=0)
    condition = forms.CharField(required=False)
    condition_values = forms.CharField(required=False)

    def __init__(self, criteria: Sequence[Criterion], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.known = {criterion.key: criterion for criterion in criteria}

    def clean_key(self) -> str:
        key = str(self.cleaned_data["key"])
        if key in self.known:
            raise forms.ValidationError(f"There is a criterion {key!r} already; give this one another key.")
        return key

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        low, high = cleaned.get("minimum"), cleaned.get("maximum")
        if low is not None and high is not None and low >= high:
            self.add_error("maximum", f"{high:g} is not above {low:g}.")
        if condition := cleaned.get("condition"):
            self._check_condition(condition, split_values(cleaned.get("condition_values", "")))
        return cleaned

    def _check_condition(self, key: str, values: list[str]) -> None:
        if key not in self.known:
            self.add_error("condition", f"{key!r} is no criterion of this project.")
        elif not values:
            self.add_error("condition_values", "Say at which answers it is asked.")
        elif self.known[key].categories and (strange := set(values) - set(self.known[key].values)):
            allowed = ", ".join(self.known[key].values)
            self.add_error("condition_values", f"{min(strange)!r} is no answer there; choose from {allowed}.")

    def raw(self) -> dict[str, Any]:
        values = self.cleaned_data
        raw: dict[str, Any] = {name: values[name] for name in ("key", "name", "question", "level", "scale")}
        if values["scale"] == Criterion.Scale.NUMERIC:
            raw |= {name: values[name] for name in ("minimum", "maximum", "step", "tolerance")}
        else:
            raw["categories"] = [
                category_of(line) for line in values["categories"].splitlines() if line.strip()
            ]
        if values["condition"]:
            allowed = split_values(values["condition_values"])
            raw["show_if"] = {"criterion": values["condition"], "values": allowed}
        return raw


def split_values(text: str) -> list[str]:
    return [value.strip() for value in text.split(",") if value.strip()]


def category_of(line: str) -> dict[str, Any]:
    """`value | label | number | *` as a category; all but the value may be left out."""
    parts = [part.strip() for part in line.split("|")]
    positive = parts[-1] == "*" and len(parts) > 1
    value, label, number, *_ = [*(parts[:-1] if positive else parts), "", ""]
    category: dict[str, Any] = {"value": value, "positive": positive}
    if label:
        category["label"] = label
    if number:
        category["number"] = number_of(number)
    return category


class PersonForm(forms.Form):
    name = forms.CharField(max_length=150)
    role = forms.ChoiceField(choices=Membership.Role.choices)


class GuidelineForm(forms.Form):
    text = forms.CharField(max_length=200_000, strip=False)
