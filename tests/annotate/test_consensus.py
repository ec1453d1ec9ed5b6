"""Two labels become one, or stay visibly apart."""

import json

import pytest

from annotate.consensus import Verdict, Votes, settle
from annotate.models import Criterion
from tests.makers import SHARED

UNRESOLVED = Verdict("", "unresolved")


def criterion(key="c", scale="nominal", values=("yes", "no", "maybe"), **fields):
    return Criterion(key=key, scale=scale, categories=[{"value": value} for value in values], **fields)


def settle_one(first, third=(), decision=None, **fields):
    votes = Votes(
        [{"c": value} for value in first],
        [{"c": value} for value in third],
        {"c": decision} if decision else {},
    )
    return settle([criterion(**fields)], votes)["c"]


@pytest.mark.parametrize(
    ("first", "third", "decision", "expected"),
    [
        (["yes"], [], None, Verdict("yes", "single")),
        (["yes", "yes"], [], None, Verdict("yes", "unanimous")),
        (["yes", "no"], [], None, UNRESOLVED),
        (["yes", "no"], ["no"], None, Verdict("no", "majority")),
        (["yes", "no"], ["maybe"], None, UNRESOLVED),
        (["yes", "no"], ["maybe"], "no", Verdict("no", "adjudicated")),
        (["yes", "yes"], ["no"], None, Verdict("yes", "unanimous")),
        (["yes", "yes", "no"], [], None, Verdict("yes", "majority")),
        (["yes", "yes", "no", "no"], [], None, UNRESOLVED),
        (["yes"], [], "no", Verdict("no", "adjudicated")),
    ],
)
def test_labels_become_gold(first, third, decision, expected):
    assert settle_one(first, third, decision) == expected


def test_numbers_agree_within_the_tolerance_and_their_gold_is_the_mean():
    assert settle_one(["3", "3.5"], scale="numeric", tolerance=0.5) == Verdict("3.25", "unanimous")
    assert settle_one(["3", "3.5"], scale="numeric", tolerance=0) == UNRESOLVED


GATE = criterion("gate", values=("yes", "no"))
GATED = criterion("gated", values=("x", "y"), show_if={"criterion": "gate", "values": ["yes"]})


@pytest.mark.parametrize(
    ("labels", "third", "decision", "expected"),
    [
        # Both opened it and agree on what is behind.
        ([{"gate": "yes", "gated": "x"}] * 2, [], {}, Verdict("x", "unanimous")),
        # Both closed it: the question does not arise.
        ([{"gate": "no"}] * 2, [], {}, None),
        # The condition itself is contested.
        ([{"gate": "yes", "gated": "x"}, {"gate": "no"}], [], {}, UNRESOLVED),
        # The majority closes it, whatever one said behind it.
        ([{"gate": "yes", "gated": "x"}, {"gate": "no"}], [{"gate": "no"}], {}, None),
        # The majority opens it: two of three answered, alike or not.
        (
            [{"gate": "yes", "gated": "x"}, {"gate": "no"}],
            [{"gate": "yes", "gated": "x"}],
            {},
            Verdict("x", "unanimous"),
        ),
        ([{"gate": "yes", "gated": "x"}, {"gate": "no"}], [{"gate": "yes", "gated": "y"}], {}, UNRESOLVED),
        # Decided open: the decision says what is behind.
        (
            [{"gate": "yes", "gated": "x"}, {"gate": "no"}],
            [],
            {"gate": "yes", "gated": "y"},
            Verdict("y", "adjudicated"),
        ),
        ([{"gate": "yes", "gated": "x"}, {"gate": "no"}], [], {"gate": "no"}, None),
        # Decided open without an answer behind: one label is no second opinion.
        ([{"gate": "yes", "gated": "x"}, {"gate": "no"}], [], {"gate": "yes"}, UNRESOLVED),
    ],
)
def test_a_conditional_criterion_follows_the_gold_of_its_condition(labels, third, decision, expected):
    assert settle([GATE, GATED], Votes(labels, third, decision)).get("gated") == expected


def test_golden_majority():
    path = SHARED / "golden" / "majority.json"
    if not path.exists():
        pytest.skip("needs ../shared/golden beside the checkout")
    for case in json.loads(path.read_text())["cases"]:
        values = sorted(set(case["ratings"]) | {"fully", "partially", "not", "correct", "incorrect"})
        verdict = settle_one(case["ratings"][:2], case["ratings"][2:], values=values)
        assert (verdict.value or None, verdict == UNRESOLVED) == (case["final"], case["needs_more"])
