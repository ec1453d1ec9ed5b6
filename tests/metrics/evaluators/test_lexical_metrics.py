"""Word-overlap metrics against the published code's values, and what must hold for any text."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metrics.evaluators import BY_KEY, METRICS, Sample, lexical
from metrics.evaluators import text as text_module
from metrics.evaluators.text import prepare, tokenise

ROOT = Path(__file__).resolve().parents[3]
PLACES = {"fixtures": ROOT / "fixtures/reference", "shared": ROOT.parent / "shared/golden"}

AGAINST_REFERENCES = ("em", "f1", "precision", "recall", "recall_strict")
AGAINST_PASSAGES = ("k_f1", "k_precision", "k_recall")
BEYOND_QUERY = ("k_f1_pp", "k_precision_pp", "k_recall_pp")

# Few words, so that texts overlap; articles and marks, so that some have no tokens.
SOME_TEXT = st.lists(
    st.sampled_from(
        ["the", "a", "...", "-", "Paris", "paris,", "is", "art", "artist", "no", "don’t", "東京", "é"]
    ),
    max_size=8,
).map(" ".join)
ODD_TEXT = SOME_TEXT | st.text(st.characters(exclude_categories=()), max_size=12)


def vectors(name, where):
    path = PLACES[where] / f"{name}.json"
    if not path.exists():
        pytest.skip("shared/golden is not beside this checkout")
    return json.loads(path.read_text("utf-8"))["cases"]


def scores(sample):
    return {metric.key: metric.compute(sample) for metric in METRICS if metric.group == "lexical"}


@pytest.mark.parametrize("where", PLACES)
def test_qa_metrics_give_the_published_codes_values(where):
    cases = vectors("qa_lexical", where)
    assert len(cases) >= 30
    for case in cases:
        sample = Sample(response=case["prediction"], references=tuple(case["references"]))
        ours = {key: BY_KEY[key].compute(sample) for key in AGAINST_REFERENCES}
        assert ours == pytest.approx(case["expected"], abs=1e-9), case["id"]


@pytest.mark.parametrize("where", PLACES)
def test_knowledge_metrics_give_the_published_codes_values(where):
    cases = vectors("knowledge_lexical", where)
    assert len(cases) >= 30
    for case in cases:
        *history, question = case["history_and_question"]
        sample = Sample(
            response=case["response"],
            question=question,
            history=tuple(history),
            passages=tuple(case["passages"]),
        )
        ours = {key: BY_KEY[key].compute(sample) for key in AGAINST_PASSAGES + BEYOND_QUERY}
        assert ours == pytest.approx(case["expected"], abs=1e-9), case["id"]


@pytest.mark.parametrize(
    ("response", "reference", "expected"),
    [
        # em, f1, precision, recall, recall_strict
        ("", "", (1, 1, 0, 1, 1)),
        ("", "Paris", (0, 0, 0, 0, 0)),
        ("Paris", "", (0, 0, 0, 1, 1)),
        ("the", "a", (1, 1, 0, 1, 1)),
        ("Rome", "Paris", (0, 0, 0, 0, 0)),
        ("artist", "art", (0, 0, 0, 0, 1)),
        ("no no no", "no", (0, 0.5, 1 / 3, 1, 1)),
        ("no", "no no no", (0, 0.5, 1, 1 / 3, 0)),
        ("b c", "c b", (0, 1, 1, 1, 0)),
    ],
)
def test_edges_of_the_qa_metrics(response, reference, expected):
    ours = [getattr(lexical, key)(response, [reference]) for key in AGAINST_REFERENCES]
    assert ours == pytest.approx(list(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("response", "passages", "query", "plain", "beyond"),
    [
        # f1, precision, recall
        ("", [], [""], (1, 0, 1), (1, 1, 1)),
        ("", ["Rome"], ["Where"], (0, 0, 0), (1, 1, 1)),
        ("Rome", [""], ["Where"], (0, 0, 1), (0, 0, 1)),
        ("Rome Rome", ["Rome"], ["Rome?"], (2 / 3, 0.5, 1), (1, 1, 1)),
        ("is Rome", ["Rome is"], ["Is it"], (1, 1, 1), (2 / 3, 1, 0.5)),
        ("is Rome", ["Rome", "is"], ["it", "is", "not"], (1, 1, 1), (2 / 3, 1, 0.5)),
        ("x", ["y"], ["z"], (0, 0, 0), (0, 0, 0)),
    ],
)
def test_edges_of_the_knowledge_metrics(response, passages, query, plain, beyond):
    ours = [getattr(lexical, key)(response, passages) for key in AGAINST_PASSAGES]
    assert ours == pytest.approx(list(plain), abs=1e-12)
    ours = [getattr(lexical, key)(response, passages, query) for key in BEYOND_QUERY]
    assert ours == pytest.approx(list(beyond), abs=1e-12)


def test_each_metric_takes_its_own_best_reference():
    response, references = "red blue green", ["red", "red blue black white"]
    assert lexical.recall(response, references) == 1
    assert lexical.precision(response, references) == pytest.approx(2 / 3)
    assert lexical.f1(response, references) == pytest.approx(4 / 7)


def test_the_whole_conversation_is_the_query():
    sample = Sample("Lyon Rome", question="in Rome?", history=("Where is Lyon?",), passages=("Lyon",))
    assert BY_KEY["k_precision_pp"].compute(sample) == 1
    assert lexical.k_precision_pp("Lyon Rome", ["Lyon"], ["in Rome?"]) == 1
    assert lexical.k_precision_pp("Lyon Rome", ["Lyon"], ["Lyon"]) == 0


@pytest.mark.parametrize("key", AGAINST_REFERENCES)
def test_no_reference_is_refused(key):
    with pytest.raises(ValueError, match="No reference"):
        getattr(lexical, key)("Paris", [])


@pytest.mark.parametrize("key", AGAINST_REFERENCES)
def test_one_text_is_not_taken_for_a_list(key):
    with pytest.raises(TypeError, match="list of references"):
        getattr(lexical, key)("Paris", "Paris")


@given(ODD_TEXT, ODD_TEXT, st.lists(ODD_TEXT, max_size=2), st.lists(ODD_TEXT, min_size=1), st.lists(ODD_TEXT))
def test_every_score_is_a_number_within_the_bounds_declared(
    response, question, history, references, passages
):
    sample = Sample(response, question, tuple(history), tuple(references), tuple(passages))
    for key, score in scores(sample).items():
        low, high = BY_KEY[key].bounds
        assert isinstance(score, float), key
        assert low <= score <= high, key


@given(SOME_TEXT, st.lists(SOME_TEXT, min_size=1, max_size=4), st.randoms())
def test_the_order_of_references_does_not_matter_and_the_best_one_counts(response, references, random):
    shuffled = list(references)
    random.shuffle(shuffled)
    for key in AGAINST_REFERENCES:
        metric = getattr(lexical, key)
        best = max(metric(response, [reference]) for reference in references)
        assert metric(response, references) == metric(response, shuffled) == best, key


@given(SOME_TEXT, SOME_TEXT)
def test_swapping_the_texts_swaps_precision_and_recall(one, other):
    assert lexical.f1(one, [other]) == lexical.f1(other, [one])
    assert lexical.em(one, [other]) == lexical.em(other, [one])
    assume(tokenise(one) and tokenise(other))
    assert lexical.precision(one, [other]) == lexical.recall(other, [one])


@given(SOME_TEXT, SOME_TEXT)
def test_an_exact_match_is_a_match_by_every_looser_measure(one, other):
    em = lexical.em(one, [other])
    assert em <= lexical.f1(one, [other])
    assert em <= lexical.recall(one, [other])
    assert em <= lexical.recall_strict(one, [other])


@given(SOME_TEXT, SOME_TEXT)
def test_f1_is_the_harmonic_mean(one, other):
    assume(tokenise(one) and tokenise(other))
    p, r = lexical.precision(one, [other]), lexical.recall(one, [other])
    assert lexical.f1(one, [other]) == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)


@given(SOME_TEXT, st.lists(SOME_TEXT, max_size=3), SOME_TEXT)
def test_passages_stand_where_a_reference_would(response, passages, question):
    joined = " ".join(passages)
    for key in ("f1", "precision", "recall"):
        knowledge = getattr(lexical, f"k_{key}")(response, passages)
        assert knowledge == getattr(lexical, key)(response, [joined]), key
        rest = " ".join(token for token in tokenise(response) if token not in tokenise(question))
        beyond = getattr(lexical, key)(rest, [joined]) if rest else 1.0
        assert getattr(lexical, f"k_{key}_pp")(response, passages, [question]) == beyond, key


STRANGE = {
    "nul": "\0",
    "nul-inside": "a\0b",
    "surrogate": "\ud800",
    "surrogate-inside": "x\udfffy",
    "hebrew": "שלום עולם",
    "arabic": "مرحبا بالعالم",
    "emoji": "\U0001f469\U0001f3fd\u200d\U0001f680",
    "mark": "e\u0301",
    "separator": "\u2028",
    "megabyte": "word " * 200_000,
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_a_text_agrees_with_itself_whatever_it_is_made_of(text):
    sample = Sample(text, question="?", references=(text,), passages=(text,))
    expected = 1.0 if tokenise(text) else 0.0
    assert scores(sample) == {
        key: expected if key in {"precision", "k_precision"} else 1.0 for key in scores(sample)
    }


def test_all_metrics_of_a_unit_tokenise_each_text_once(monkeypatch):
    seen = []
    monkeypatch.setattr(text_module, "tokenise", lambda text: seen.append(text) or text.split())
    shared = {
        "question": "question once",
        "history": ("earlier",),
        "references": ("ref once", "ref twice"),
        "passages": ("p q", "r s"),
    }
    for number in range(3):
        scores(Sample(f"response {number} once", **shared))
    assert sorted(seen) == [
        "earlier question once",
        "p q r s",
        "ref once",
        "ref twice",
        "response 0 once",
        "response 1 once",
        "response 2 once",
    ]


@given(st.lists(st.tuples(SOME_TEXT, SOME_TEXT, SOME_TEXT), min_size=1, max_size=5))
def test_a_score_does_not_depend_on_what_was_scored_before(texts):
    units = [Sample(one, other, (), (third, one), (other, third)) for one, other, third in texts]
    together = [scores(unit) for unit in units]
    for unit, first in reversed(list(zip(units, together, strict=True))):
        text_module.forget()
        assert scores(unit) == first


def test_scoring_leaves_shared_texts_as_they_were():
    before = prepare("Paris is Paris")
    tokens, counts = before.tokens, dict(before.counts)
    scores(Sample("Paris is Paris", "is it", (), ("Rome",), ("Paris is Paris",)))
    after = prepare("Paris is Paris")
    assert (after.tokens, dict(after.counts)) == (tokens, counts)
