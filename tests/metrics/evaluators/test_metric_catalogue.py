"""The list of metrics: what each row promises, and how wrong keys are answered."""

import dataclasses

import pytest

from metrics.evaluators import BY_KEY, METRICS, Sample, UnknownMetricError, get_metric, missing
from metrics.evaluators.catalogue import index_by_key

KEYS = {
    *("em", "f1", "precision", "recall", "recall_strict"),
    *("k_f1", "k_f1_pp", "k_precision", "k_precision_pp", "k_recall", "k_recall_pp"),
}
FULL = Sample("Rome", question="Where?", history=("Hello",), references=("Rome",), passages=("In Rome.",))


def test_the_lexical_metrics_are_listed_once_each():
    assert sorted(metric.key for metric in METRICS if metric.group == "lexical") == sorted(KEYS)
    assert list(BY_KEY) == [metric.key for metric in METRICS]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
class TestEveryMetric:
    def test_it_is_fully_described(self, metric):
        assert metric.name
        assert metric.source
        assert metric.group
        assert metric.revision >= 1
        assert metric.cost in {"instant", "model", "paid"}
        low, high = metric.bounds
        assert low < high

    def test_its_needs_are_fields_of_a_sample(self, metric):
        assert metric.needs <= {field.name for field in dataclasses.fields(Sample)}

    def test_it_judges_at_some_level(self, metric):
        assert metric.levels
        assert metric.levels <= {"response", "claim"}

    def test_what_is_compared_with_references_judges_whole_responses(self, metric):
        if "references" in metric.needs:
            assert metric.levels == {"response"}

    def test_it_uses_every_field_that_it_needs_and_no_other(self, metric):
        """Filling in only the needs changes nothing; so a runner may trust them."""
        kept = {name: getattr(FULL, name) for name in metric.needs}
        if "question" in metric.needs:
            kept["history"] = FULL.history
        if metric.cost == "instant":
            assert metric.compute(Sample(FULL.response, **kept)) == metric.compute(FULL)

    def test_it_cannot_be_changed(self, metric):
        with pytest.raises(dataclasses.FrozenInstanceError):
            metric.revision = 2


@pytest.mark.parametrize(
    ("key", "needs", "levels"),
    [
        ("em", {"references"}, {"response"}),
        ("recall_strict", {"references"}, {"response"}),
        ("k_precision", {"passages"}, {"response", "claim"}),
        ("k_precision_pp", {"passages", "question"}, {"response", "claim"}),
    ],
)
def test_needs_and_levels(key, needs, levels):
    assert (get_metric(key).needs, get_metric(key).levels) == (needs, levels)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_a_row_computes_the_metric_it_names(key):
    """Each function of the room gives a score of its own on this sample, so rows cannot be mixed up."""
    sample = Sample(
        "red red blue artist green is",
        question="is it green",
        references=("blue red sky art", "art", "red"),
        passages=("red red blue sky sea is land", "green hill"),
    )
    expected = {
        "em": 0,
        "f1": 2 * 2 / 10,
        "precision": 2 / 6,
        "recall": 1,
        "recall_strict": 1,
        "k_f1": 2 * 5 / 15,
        "k_f1_pp": 2 * 3 / 13,
        "k_precision": 5 / 6,
        "k_precision_pp": 3 / 4,
        "k_recall": 5 / 9,
        "k_recall_pp": 3 / 9,
    }
    assert get_metric(key).compute(sample) == pytest.approx(expected[key])


def test_a_key_taken_twice_is_refused():
    with pytest.raises(ValueError, match="share the key 'em'"):
        index_by_key([*METRICS, get_metric("em")])


def test_a_wrong_key_is_answered_with_the_valid_ones():
    with pytest.raises(UnknownMetricError) as refusal:
        get_metric("zzz")
    assert str(refusal.value) == f"No metric 'zzz'; choose one of {', '.join(BY_KEY)}."


def test_a_key_nearly_right_is_answered_with_a_guess():
    with pytest.raises(UnknownMetricError, match="Did you mean 'k_precision'"):
        get_metric("k-precision")


@pytest.mark.parametrize(
    ("key", "sample", "absent"),
    [
        ("em", FULL, ()),
        ("em", Sample("x"), ("references",)),
        ("em", Sample("", references=("x",)), ()),
        ("k_f1", Sample("x", references=("x",)), ("passages",)),
        ("k_f1", Sample("x", passages=("x",)), ()),
        ("k_f1_pp", Sample("x", passages=("x",)), ("question",)),
        ("k_f1_pp", Sample("x", question=" \n", passages=("x",)), ("question",)),
        ("k_f1_pp", Sample("x", history=("x",)), ("question", "passages")),
        ("k_f1_pp", FULL, ()),
    ],
)
def test_absent_needs_are_named(key, sample, absent):
    assert missing(get_metric(key), sample) == absent
