"""The list of metrics. To add one, write its function in a module of this room and a row here."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from metrics.evaluators import lexical
from metrics.evaluators.sample import Sample

Need = Literal["question", "references", "passages"]
Level = Literal["response", "claim"]
# instant: microseconds of plain Python. model: a model on this machine. paid: calls to an endpoint.
Cost = Literal["instant", "model", "paid"]


class UnknownMetricError(ValueError):
    """No metric has this key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One automatic metric.

    `needs` names the fields of a `Sample` that must be filled. Metrics of one `group` share prepared text:
    compute all of them on a unit before the next unit. `revision` goes into the version of every score;
    raise it when the numbers change.
    """

    key: str
    name: str
    compute: Callable[[Sample], float]
    needs: frozenset[Need]
    levels: frozenset[Level]
    group: str
    higher_is_better: bool
    bounds: tuple[float, float]
    source: str
    cost: Cost
    revision: int


def _lexical(
    key: str,
    name: str,
    compute: Callable[[Sample], float],
    *,
    needs: Iterable[Need],
    levels: Iterable[Level],
    revision: int = 1,
) -> Metric:
    return Metric(
        key=key,
        name=name,
        compute=compute,
        needs=frozenset(needs),
        levels=frozenset(levels),
        group="lexical",
        higher_is_better=True,
        bounds=(0.0, 1.0),
        source="Adlakha et al. 2024 (InstructQA)",
        cost="instant",
        revision=revision,
    )


def _against_references(key: str, name: str, score: Callable[[str, Sequence[str]], float]) -> Metric:
    # A reference answers the whole question, so these judge responses only.
    return _lexical(
        key,
        name,
        lambda sample: score(sample.response, sample.references),
        needs=["references"],
        levels=["response"],
    )


def _against_passages(key: str, name: str, score: Callable[[str, Sequence[str]], float]) -> Metric:
    return _lexical(
        key,
        name,
        lambda sample: score(sample.response, sample.passages),
        needs=["passages"],
        levels=["response", "claim"],
    )


def _beyond_query(key: str, name: str, score: Callable[[str, Sequence[str], Sequence[str]], float]) -> Metric:
    return _lexical(
        key,
        name,
        lambda sample: score(sample.response, sample.passages, (*sample.history, sample.question)),
        needs=["passages", "question"],
        levels=["response", "claim"],
    )


METRICS: tuple[Metric, ...] = (
    _against_references("em", "Exact match", lexical.em),
    _against_references("f1", "F1", lexical.f1),
    _against_references("precision", "Precision", lexical.precision),
    _against_references("recall", "Recall", lexical.recall),
    _against_references("recall_strict", "Recall (strict)", lexical.recall_strict),
    _against_passages("k_f1", "K-F1", lexical.k_f1),
    _beyond_query("k_f1_pp", "K-F1++", lexical.k_f1_pp),
    _against_passages("k_precision", "K-Precision", lexical.k_precision),
    _beyond_query("k_precision_pp", "K-Precision++", lexical.k_precision_pp),
    _against_passages("k_recall", "K-Recall", lexical.k_recall),
    _beyond_query("k_recall_pp", "K-Recall++", lexical.k_recall_pp),
)


def index_by_key(metrics: Iterable[Metric]) -> dict[str, Metric]:
    """Return the metrics by key, refusing a key taken twice."""
    by_key: dict[str, Metric] = {}
    for metric in metrics:
        if metric.key in by_key:
            raise ValueError(f"Two metrics share the key {metric.key!r}.")
        by_key[metric.key] = metric
    return by_key


BY_KEY = index_by_key(METRICS)


def get_metric(key: str) -> Metric:
    """Return the metric with this key."""
    try:
        return BY_KEY[key]
    except KeyError:
        close = get_close_matches(key, BY_KEY, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownMetricError(f"No metric {key!r}; choose one of {', '.join(BY_KEY)}.{hint}") from None


def missing(metric: Metric, sample: Sample) -> tuple[Need, ...]:
    """Return the needs of the metric that the sample does not fill; a blank question counts as none."""
    filled: dict[Need, bool] = {
        "question": bool(sample.question.strip()),
        "references": bool(sample.references),
        "passages": bool(sample.passages),
    }
    return tuple(need for need, is_filled in filled.items() if need in metric.needs and not is_filled)
