"""What a label may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.models import Criterion
from annotate.scales import BadValue, check, check_all, number_of, text_of

NOMINAL = Criterion(key="n", scale="nominal", categories=[{"value": "yes"}, {"value": True}, {"value": 1}])
NUMERIC = Criterion(key="s", scale="numeric", minimum=0, maximum=5, step=0.5)
GATE = Criterion(key="gate", scale="nominal", categories=[{"value": "yes"}, {"value": "no"}])
GATED = Criterion(
    key="gated",
    scale="nominal",
    categories=[{"value": "x"}],
    show_if={"criterion": "gate", "values": ["yes"]},
)


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (1, "1"), (1.0, "1"), (0.5, "0.5"), ("é", "é")])
def test_values_have_one_text(value, text):
    assert text_of(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_their_text(number):
    assert number_of(text_of(number)) == number


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "", "x", None])
def test_what_is_no_number(value):
    assert number_of(value) is None


@pytest.mark.parametrize("value", ["yes", True, "true", 1, "1"])
def test_declared_categories_are_taken(value):
    assert check(NOMINAL, value) in NOMINAL.values


@pytest.mark.parametrize("value", ["Yes", "no", "", 0, None])
def test_others_are_refused_with_the_list(value):
    with pytest.raises(BadValue, match="expected one of 'yes', 'true', '1'"):
        check(NOMINAL, value)


@pytest.mark.parametrize("value", [0, 5, "3.5", 2.5])
def test_numbers_on_the_scale(value):
    assert float(check(NUMERIC, value)) == float(value)


@pytest.mark.parametrize("value", [-0.5, 5.5, "3.3", "nan", "inf", "five"])
def test_numbers_off_the_scale(value):
    with pytest.raises(BadValue):
        check(NUMERIC, value)


def test_a_conditional_is_required_only_where_it_is_asked():
    assert check_all([GATE, GATED], {"gate": "yes", "gated": "x"}) == {"gate": "yes", "gated": "x"}
    assert check_all([GATE, GATED], {"gate": "no"}) == {"gate": "no"}
    with pytest.raises(BadValue, match="gated: no value yet"):
        check_all([GATE, GATED], {"gate": "yes"})


def test_an_answer_left_over_from_before_the_condition_closed_is_no_label():
    assert check_all([GATE, GATED], {"gate": "no", "gated": "x"}) == {"gate": "no"}


def test_an_unknown_criterion_is_refused():
    with pytest.raises(BadValue, match="'other' is no criterion here"):
        check_all([GATE], {"gate": "yes", "other": "x"})
