"""The normaliser, and the shelf that keeps each text prepared once."""

import json
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metrics.evaluators import text as text_module
from metrics.evaluators.text import (
    Prepared,
    n_common,
    normalise,
    prepare,
    prepare_joined,
    tokenise,
    without_types_of,
)

ROOT = Path(__file__).resolve().parents[3]
VECTORS = json.loads((ROOT / "fixtures/reference/normalise_tokens.json").read_text("utf-8"))["cases"]
SHARED = ROOT.parent / "shared/golden/normalise_tokens.json"

# Every kind of character, lone surrogates too, with what the rules are about made frequent.
ANY_TEXT = st.lists(
    st.sampled_from(["a", "an", "the", "The", " ", "  ", "-", "'", "’", ".", "_", "\u0301", "\0", "é", "x1"])
    | st.text(st.characters(exclude_categories=()), max_size=5)
).map("".join)


def tokens_by_the_book(text):
    """The four rules one by one, as slowly as they read."""
    text = text.lower()
    text = "".join(character for character in text if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["id"])
def test_it_normalises_as_the_published_code_does(case):
    assert tokenise(case["text"]) == case["tokens"]
    assert normalise(case["text"]) == case["normalised"]


def test_the_vectors_are_the_shared_ones():
    if not SHARED.exists():
        pytest.skip("shared/golden is not beside this checkout")
    assert json.loads(SHARED.read_text("utf-8"))["cases"] == VECTORS


@given(ANY_TEXT)
@example("the café a\u0301n the’x a")
@example("an\0a the_end _the_")
@example("don’t the – a—an")
def test_the_fast_paths_change_no_token(text):
    assert tokenise(text) == tokens_by_the_book(text)


@given(ANY_TEXT)
def test_normalising_leaves_no_punctuation_upper_case_or_loose_space(text):
    normalised = normalise(text)
    assert not set(normalised) & set(string.punctuation)
    assert normalised == " ".join(normalised.split())
    assert normalised == normalised.lower()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (None, []),
        ("", []),
        (" \t\n\u00a0", []),
        ("twenty-first", ["twentyfirst"]),
        ("the theatre, a atom", ["theatre", "atom"]),
        ("‘the’ end", ["‘", "’", "end"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("nul\0nul the\0a", ["nul\0nul", "\0"]),
        ("\ud800 the \udfff", ["\ud800", "\udfff"]),
        ("שלום עולם!", ["שלום", "עולם"]),
        ("\u200fمرحبا، a", ["\u200fمرحبا،"]),
        ("\U0001f469\u200d\U0001f680 the \U0001f680", ["\U0001f469\u200d\U0001f680", "\U0001f680"]),
        ("\ud83d.\ude00", ["\ud83d\ude00"]),
        ("fi ﬁ ½ ²", ["fi", "ﬁ", "½", "²"]),
    ],
)
def test_it_takes_any_text(text, tokens):
    assert tokenise(text) == tokens


def test_a_megabyte_of_text_is_prepared():
    prepared = prepare("the quick-brown fox — " * 50_000)
    assert prepared.n_tokens == 150_000
    assert prepared.counts["quickbrown"] == 50_000


def test_a_prepared_text_agrees_with_its_tokens():
    prepared = prepare("No, the no-no: no.")
    assert prepared.tokens == ("no", "nono", "no")
    assert prepared.normalised == "no nono no"
    assert prepared.counts == {"no": 2, "nono": 1}
    assert prepared.n_tokens == 3


def test_an_absent_text_has_no_tokens():
    assert prepare(None).tokens == ()


def test_several_texts_are_joined_by_a_space():
    assert prepare_joined(["one", "two"]).tokens == ("one", "two")
    assert prepare_joined([]).tokens == ()


def test_one_text_is_not_taken_for_a_list_of_letters():
    with pytest.raises(TypeError, match="list of texts, got one text: 'Paris'"):
        prepare_joined("Paris")


@given(st.lists(ANY_TEXT, max_size=4))
def test_joining_is_the_same_as_putting_the_tokens_end_to_end(texts):
    assert list(prepare_joined(texts).tokens) == [token for text in texts for token in tokenise(text)]


@given(ANY_TEXT, ANY_TEXT)
def test_common_tokens_are_counted_as_often_as_both_have_them(one, other):
    rest = tokenise(other)
    n = 0
    for token in tokenise(one):
        if token in rest:
            rest.remove(token)
            n += 1
    assert n_common(prepare(one), prepare(other)) == n == n_common(prepare(other), prepare(one))


@given(ANY_TEXT, ANY_TEXT)
def test_removal_by_type_takes_every_occurrence(text, other):
    kept = [token for token in tokenise(text) if token not in tokenise(other)]
    rest = without_types_of(prepare(text), prepare(other))
    assert (list(rest.tokens), rest.normalised) == (kept, " ".join(kept))
    assert sum(rest.counts.values()) == len(kept)


class TestShelf:
    def test_a_text_in_use_is_prepared_once(self):
        assert prepare("A sentence of its own.") is prepare("A sentence of its own.")
        assert prepare_joined(["One.", "Two."]) is prepare_joined(("One.", "Two."))

    def test_a_list_and_its_joined_text_are_not_confused(self):
        assert prepare_joined(["one two"]).tokens == prepare("one two").tokens
        assert prepare_joined(["a", "b"]).tokens == ("b",)

    def test_everything_can_be_let_go(self):
        before = prepare("held for now")
        n_common(before, before)
        without_types_of(before, before)
        text_module.forget()
        assert (len(text_module._shelf), text_module._shelf.characters) == (0, 0)
        assert n_common.cache_info().currsize == without_types_of.cache_info().currsize == 0
        assert prepare("held for now") is not before

    def test_a_full_shelf_is_emptied(self):
        shelf = text_module._Shelf(100)
        for number in range(1000):
            assert shelf[f"text number {number:04}"].tokens == ("text", "number", f"{number:04}")
            assert sum(map(len, shelf)) == shelf.characters <= 100
        assert shelf

    def test_a_text_larger_than_the_shelf_is_still_prepared_once_in_a_row(self):
        shelf = text_module._Shelf(10)
        assert shelf["far longer than ten"] is shelf["far longer than ten"]
        assert len(shelf) == 1

    def test_the_size_of_a_list_is_that_of_its_texts(self):
        shelf = text_module._Shelf(10)
        shelf["abcd", "efgh"]
        shelf["ij"]
        assert list(shelf) == ["ij"]

    def test_the_shelf_of_the_program_is_bounded(self):
        assert text_module._shelf.capacity == text_module.SHELF_CHARACTERS < 10_000_000

    def test_pairs_remembered_are_few(self):
        for remembered in (n_common, without_types_of):
            assert remembered.cache_info().maxsize <= 64

    def test_what_is_shared_cannot_be_reassigned(self):
        with pytest.raises(AttributeError):
            prepare("shared").tokens = ()
        assert not hasattr(Prepared("", (), None), "__dict__")


def test_the_room_imports_no_framework():
    program = (
        "import sys, metrics.evaluators as room, pkgutil, importlib\n"
        "for module in pkgutil.walk_packages(room.__path__, room.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "print([name for name in ('django', 'celery', 'annotate') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
