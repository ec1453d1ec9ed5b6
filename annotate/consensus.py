"""How labels become one: the rule of disagreement, of majority and of gold. Plain values, no rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from annotate.scales import Scaled, is_asked, text_of


class Ruled(Scaled, Protocol):
    """What these rules read of a criterion."""

    tolerance: float


@dataclass(frozen=True, slots=True)
class Votes:
    """What was said of one unit: per annotator, labels by criterion; and a decision, if there is one."""

    independent: Sequence[Mapping[str, str]]
    deciding: Sequence[Mapping[str, str]] = ()
    decision: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A criterion's final value and how it came about; an unresolved one has no value."""

    value: str
    origin: str


UNRESOLVED = Verdict("", "unresolved")


def settle(criteria: Sequence[Ruled], votes: Votes) -> dict[str, Verdict]:
    """The verdict of every criterion that applies; `criteria` in their order, conditions before dependants.

    A conditional criterion applies where the gold of its condition opens it. Where that gold is
    unresolved and somebody answered, it is unresolved too.
    """
    verdicts: dict[str, Verdict] = {}
    for criterion in criteria:
        verdict = _settle_one(criterion, votes, verdicts)
        if verdict is not None:
            verdicts[criterion.key] = verdict
    return verdicts


def _settle_one(criterion: Ruled, votes: Votes, before: Mapping[str, Verdict]) -> Verdict | None:
    key = criterion.key
    first = [labels[key] for labels in votes.independent if key in labels]
    cast = first + [labels[key] for labels in votes.deciding if key in labels]
    if criterion.show_if:
        condition = before.get(str(criterion.show_if["criterion"]))
        if condition == UNRESOLVED and cast:
            return UNRESOLVED
        if not is_asked(criterion, {name: verdict.value for name, verdict in before.items()}):
            return None
    if key in votes.decision:
        return Verdict(votes.decision[key], "adjudicated")
    if len(cast) < 2:
        return _alone(criterion, cast, votes)
    if len(first) > 1 and agree(criterion, first):
        return Verdict(_common(criterion, first), "unanimous")
    return _majority(cast)


def _alone(criterion: Ruled, cast: Sequence[str], votes: Votes) -> Verdict | None:
    """One label or none. A conditional that opened against some annotator's answer lacks an opinion."""
    n_annotators = len(votes.independent) + len(votes.deciding)
    if criterion.show_if and n_annotators > len(cast):
        return UNRESOLVED
    return Verdict(cast[0], "single") if cast else None


def agree(criterion: Ruled, values: Sequence[str]) -> bool:
    """Whether labels are equal under the criterion's rule: the same, or numbers within its tolerance."""
    if criterion.scale != "numeric":
        return len(set(values)) <= 1
    numbers = [float(value) for value in values]
    return max(numbers) - min(numbers) <= criterion.tolerance


def _common(criterion: Ruled, values: Sequence[str]) -> str:
    if criterion.scale != "numeric" or len(set(values)) == 1:
        return values[0]
    return text_of(sum(map(float, values)) / len(values))


def _majority(values: Sequence[str]) -> Verdict:
    """The value with most votes; a tie is unresolved, never a silent pick."""
    (top, most), *rest = Counter(values).most_common()
    if rest and rest[0][1] == most:
        return UNRESOLVED
    return Verdict(top, "majority" if rest else "unanimous")
