"""Files come in whole or not at all."""

import json

import pytest

from annotate.actions.load import LoadRefused, load
from annotate.models import (
    Adjudication,
    Annotation,
    Criterion,
    Event,
    Gold,
    Item,
    Passage,
    PassageSet,
    Project,
    Response,
    Slot,
    Unit,
)
from metrics.actions.imports import ImportedScores
from metrics.models import Score
from tests.makers import (
    ATTRIBUTION,
    CORRECTNESS,
    RELEVANT,
    SHARED,
    SUPPORT,
    labelled,
    load_rows,
    response,
    write,
)

pytestmark = pytest.mark.django_db

PASSAGE = {
    "id": "p1",
    "title": "Paris",
    "text": "Paris is the capital. 🗼",
    "context": "gold",
    "relevant": True,
}


def counts():
    models = (
        Project,
        Criterion,
        Item,
        Passage,
        Response,
        Unit,
        Slot,
        Annotation,
        Adjudication,
        Gold,
        Score,
        Event,
    )
    return {model.__name__: model.objects.count() for model in models}


def test_a_study_is_loaded_whole(tmp_path):
    project = load_rows(
        tmp_path,
        [
            response(
                question="Capital of France?",
                references=["Paris"],
                history=["Hi"],
                attributes={"dataset": "NQ", "n": 3},
                passages=[PASSAGE],
                context="gold",
                annotations=[
                    {
                        "annotator": "a1",
                        "labels": {"correctness": "correct"},
                        "comment": "sure",
                        "at": "2026-01-05T10:00:00Z",
                        "evidence": [{"passage": "p1", "start": 9, "end": 20, "quote": "the capital"}],
                    },
                    {"annotator": "a2", "labels": {"correctness": "incorrect"}},
                ],
                adjudications=[{"by": "a3", "labels": {"correctness": "correct"}, "reason": "plain"}],
                scores=[
                    {"evaluator": "gpt4-eval", "value": 1.0, "criterion": "correctness"},
                    {"evaluator": "broken", "value": None, "failure": "timeout"},
                ],
            ),
            response(system="beta", text="", context="gold"),
        ],
    )
    unit = Unit.objects.get(response__system__key="alpha")
    gold = unit.gold.get()
    assert (gold.value, gold.origin, unit.state) == ("correct", "adjudicated", "settled")
    assert [slot.state for slot in unit.slots.all()] == ["done", "done"]
    assert unit.annotations.first().evidence.get().quote == "the capital"
    assert Score.objects.get(version__evaluator__key="broken").failure == "timeout"
    silent = Unit.objects.get(response__system__key="beta")
    assert silent.response.text == ""
    assert [slot.state for slot in silent.slots.all()] == ["open", "open"]
    # The line that names no passages has those of its item.
    assert silent.response.passage_set == unit.response.passage_set
    assert project.events.filter(verb="load").count() == 1


def test_loading_the_same_file_again_changes_nothing(tmp_path):
    path = write(
        tmp_path / "study.jsonl",
        [
            labelled(
                "correct",
                "incorrect",
                passages=[PASSAGE],
                claims=[{"id": "c1", "text": "Paris"}],
                scores=[{"evaluator": "x", "value": 0.5}],
            ),
            labelled(
                "correct", item="q2", adjudications=[{"by": "z", "labels": {"correctness": "incorrect"}}]
            ),
        ],
    )
    load(slug="study", paths=[path], scores=ImportedScores())
    before = counts()
    again = load(slug="study", paths=[path], scores=ImportedScores())
    assert counts() == before
    assert again.n_known == 2
    assert sum(again.made.values()) == 0


def test_a_dry_run_stores_nothing(tmp_path):
    path = write(tmp_path / "study.jsonl", [labelled("correct")])
    assert load(slug="study", paths=[path], dry_run=True).made["responses"] == 1
    assert set(counts().values()) == {0}


def test_a_second_file_adds_labels_to_what_is_there(tmp_path):
    load_rows(tmp_path, [response()])
    one_more = {"annotator": "b", "labels": {"correctness": "correct"}}
    load_rows(tmp_path, [response(annotations=[one_more])])
    unit = Unit.objects.get()
    assert sorted(slot.state for slot in unit.slots.all()) == ["done", "open"]
    assert unit.state == "open"


@pytest.mark.parametrize(
    ("n_labels", "quota", "states"),
    [
        (0, None, ["open"] * 2),
        (1, None, ["done"]),
        (3, None, ["done"] * 3),
        (1, 3, ["done", "open", "open"]),
        (0, 1, ["open"]),
    ],
)
def test_slots_follow_the_labels_brought_or_the_quota(tmp_path, n_labels, quota, states):
    load_rows(tmp_path, [labelled(*["correct"] * n_labels)], quota=quota)
    unit = Unit.objects.get()
    assert [slot.state for slot in unit.slots.order_by("number")] == states
    assert unit.gold.exists() == ("open" not in states)


def test_criteria_are_made_from_values_when_nobody_declares_them(tmp_path):
    project = load_rows(
        tmp_path,
        [
            response(annotations=[{"annotator": "a", "labels": {"ok": True, "grade": 3.5}}]),
            response(item="q2", annotations=[{"annotator": "a", "labels": {"ok": False, "grade": 4}}]),
        ],
        criteria=(),
    )
    ok, grade = project.criteria.get(key="ok"), project.criteria.get(key="grade")
    assert (ok.scale, ok.values, ok.positive) == ("nominal", ["false", "true"], {"true"})
    assert grade.scale == "numeric"


def test_claims_are_units_of_their_own_where_criteria_ask_about_claims(tmp_path):
    claims = [{"id": "c1", "text": "One."}, {"id": "c2", "text": "Two."}]
    load_rows(tmp_path, [response(text="One. Two.", claims=claims)], criteria=(ATTRIBUTION,))
    by_level = {
        unit.claim and unit.claim.key: (unit.state, unit.slots.count()) for unit in Unit.objects.all()
    }
    assert by_level == {None: ("unasked", 0), "c1": ("open", 2), "c2": ("open", 2)}


def test_a_third_label_of_an_export_decides_and_stays_out_of_the_first(tmp_path):
    third = {"by": "a3", "labels": {"correctness": "correct"}, "how": "third annotator"}
    load_rows(tmp_path, [labelled("correct", "incorrect", adjudications=[third])])
    assert Gold.objects.get().origin == "majority"
    assert list(Slot.objects.values_list("purpose", flat=True)) == ["independent", "independent", "deciding"]


def test_csv_carries_the_same_fields(tmp_path):
    path = tmp_path / "study.csv"
    path.write_text(
        "\ufeffitem,system,response,question,reference_1,reference_2,passage_1_text,attribute.topic,"
        "label.correctness.a1,label.correctness.a2,score.x\n"
        '007,s,"two\nlines, one cell",q?,NA,null,text,t,yes,no,0.25\n',
        encoding="utf-8",
    )
    load(slug="study", paths=[path], scores=ImportedScores())
    item = Item.objects.get()
    assert (item.key, item.references, item.attributes) == ("007", ["NA", "null"], {"topic": "t"})
    assert Response.objects.get().text == "two\nlines, one cell"
    assert Annotation.objects.count() == 2
    assert Score.objects.get().value == 0.25


HOSTILE = [
    "emoji 👩‍👩‍👧 and 𝔘",
    "right to left: שלום عربى",
    "<script>alert(1)</script>",
    "a\r\nb  c\t",
    "'; DROP TABLE x; --",
    "é vs e\u0301",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_goes_in_and_stays_as_it_is(tmp_path, text):
    load_rows(tmp_path, [response(item=text.replace("\r\n", " "), system="s", text=text, question=text)])
    assert Response.objects.get().text == text
    assert Item.objects.get().question == text


# --- refusals: one clear error with place and remedy, and nothing stored ---

BAD_ROWS = {
    "missing field": ({"item": "q", "system": "s"}, r"line 2, response: is missing"),
    "unknown field": (response(answer="x"), r"line 2, answer: no such field"),
    "wrong type": (response(text=5), r"line 2, response: is a number; expected a text"),
    "unknown label": (
        labelled("corect"),
        r"line 2, annotations\[0\].labels: .*'corect' is no category; expected one of 'correct'",
    ),
    "empty reference": (response(references=["a", " "]), r"line 2, references\[1\]: is empty"),
    "empty key": (response(item=""), r"line 2, item: is missing or empty"),
    "line break in key": (response(system="a\nb"), r"line 2, system: holds a line break"),
    "claim that is not there": (
        response(annotations=[{"annotator": "a", "claim": "c9", "labels": {"correctness": "correct"}}]),
        r"'c9' is no claim of this line",
    ),
    "annotator twice": (
        response(annotations=[{"annotator": "a", "labels": {"correctness": "correct"}}] * 2),
        r"an annotator twice",
    ),
    "score and failure": (
        response(scores=[{"evaluator": "x", "value": 1, "failure": "f"}]),
        r"stands beside a value",
    ),
    "evidence that does not quote": (
        response(
            passages=[PASSAGE],
            annotations=[
                {
                    "annotator": "a",
                    "labels": {"correctness": "correct"},
                    "evidence": [{"passage": "p1", "start": 0, "end": 3, "quote": "xyz"}],
                }
            ],
        ),
        r"evidence\[0\]: does not quote",
    ),
    "nul": (response(text="a\x00b"), r"line 2, response: holds a NUL"),
    "list as attribute": (response(attributes={"a": [1]}), r"attributes.a: expected"),
    "unknown criterion of a score": (
        response(scores=[{"evaluator": "x", "value": 1, "criterion": "nope"}]),
        r"'nope' is no criterion",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_row_is_refused(tmp_path, name):
    row, message = BAD_ROWS[name]
    with pytest.raises(LoadRefused, match=message):
        load_rows(tmp_path, [row, response(item="good")])
    assert set(counts().values()) == {0}


def test_every_problem_is_told_at_once(tmp_path):
    with pytest.raises(LoadRefused) as refused:
        load_rows(tmp_path, [response(answer="x"), response(text=5), response(item="")])
    assert [problem.place.line for problem in refused.value.problems] == [2, 3, 4]


def test_a_duplicate_with_other_content_is_refused(tmp_path):
    with pytest.raises(LoadRefused, match=r"line 3, response: stands on line 2 too"):
        load_rows(tmp_path, [response(), response(text="Lyon")])
    load_rows(tmp_path, [response()])
    before = counts()
    with pytest.raises(LoadRefused, match=r"loaded already with another text"):
        load_rows(tmp_path, [response(text="Lyon")])
    with pytest.raises(LoadRefused, match=r"item 'q1' has another question elsewhere"):
        load_rows(tmp_path, [response(system="beta", question="?")])
    assert counts() == before


def test_labels_are_not_overwritten_by_a_file(tmp_path):
    load_rows(tmp_path, [labelled("correct")])
    with pytest.raises(LoadRefused, match=r"'a1' has labelled this unit already, otherwise"):
        load_rows(tmp_path, [labelled("incorrect")])


def test_a_criterion_cannot_change_its_categories(tmp_path):
    load_rows(tmp_path, [labelled("correct")])
    other = {**CORRECTNESS, "categories": ["right", "wrong"], "positive": ["right"]}
    with pytest.raises(LoadRefused, match=r"another scale or other categories"):
        load_rows(tmp_path, [response(item="q2")], criteria=(other,))


BAD_FILES = {
    "empty.jsonl": (b"", "holds no responses"),
    "header.jsonl": (b'{"touchstone": 1}\n', "holds no responses"),
    "latin.jsonl": (
        '{"item": "q", "system": "s", "response": "é"}\n'.encode("latin-1"),
        r"line 1: byte 43 \(0xe9\) is not UTF-8",
    ),
    "utf16.csv": ("item,system,response\n".encode("utf-16"), "not UTF-8"),
    "broken.jsonl": (b'{"item": "q"\n', "line 1: is not JSON"),
    "nan.jsonl": (
        b'{"item": "q", "system": "s", "response": "r", "scores": [{"evaluator": "e", "value": NaN}]}',
        "NaN is no number",
    ),
    "twice.jsonl": (b'{"item": "q", "item": "p", "system": "s", "response": "r"}', "'item' stands twice"),
    "list.jsonl": (b"[1, 2]\n", "is no object"),
    "surrogate.jsonl": (b'{"item": "q", "system": "s", "response": "\\ud83d"}', "half of a surrogate"),
    "column.csv": (b"item,system\nq,s\n", "the column 'response' is missing"),
    "unknown.csv": (b"item,system,response,answr\nq,s,r,x\n", "no such column: 'answr'"),
    "shifted.csv": (b"item,system,response\nq,s,r,extra\n", "line 2: has 4 fields, the first line has 3"),
    "what.txt": (b"hello", "does not tell the layout"),
    "deep.jsonl": (b"[" * 100_000, "is not JSON"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused(tmp_path, name):
    content, message = BAD_FILES[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(LoadRefused, match=message):
        load(slug="study", paths=[path])
    assert set(counts().values()) == {0}


@pytest.mark.parametrize(
    ("layout", "name", "content", "message"),
    [
        ("evouna", "x.json", b'{"a": 1}', "is no list of questions"),
        ("evouna", "x.json", b'[{"question": "q"}]', "the layout evouna expects"),
        ("evouna", "x.jsonl", b"{}", "reads .json files"),
        ("synsciqa-handeval", "x.xlsx", b"no zip", "is no XLSX workbook"),
        ("nope", "x.json", b"", "No layout 'nope'; choose one of jsonl"),
    ],
)
def test_a_wrong_layout_is_refused(tmp_path, layout, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load(slug="study", paths=[path], layout=layout)
    assert set(counts().values()) == {0}


def test_the_condition_of_a_criterion_must_come_before_it(tmp_path):
    with pytest.raises(LoadRefused, match="'relevant' is no criterion before this one"):
        load_rows(tmp_path, [response()], criteria=(SUPPORT, RELEVANT))


def test_responses_share_the_rows_of_equal_passages(tmp_path):
    other = {**PASSAGE, "text": "Something else."}
    load_rows(
        tmp_path,
        [
            response(passages=[PASSAGE]),
            response(system="b", passages=[PASSAGE]),
            response(system="c", passages=[other]),
            response(system="d", passages=[]),
        ],
    )
    assert PassageSet.objects.count() == 2
    assert Response.objects.get(system__key="d").passage_set is None


def test_leaving_passages_out_is_refused_where_the_item_has_several_sets(tmp_path):
    other = {**PASSAGE, "text": "Something else."}
    with pytest.raises(
        LoadRefused, match=r"line 4, passages: is missing, and the item's other lines have different"
    ):
        load_rows(
            tmp_path,
            [response(passages=[PASSAGE]), response(system="b", passages=[other]), response(system="c")],
        )


def test_ids_that_are_left_out_are_places(tmp_path):
    load_rows(
        tmp_path,
        [response(passages=[{"text": "a"}, {"text": "b"}], claims=[{"text": "x"}])],
    )
    assert list(Passage.objects.values_list("key", "text")) == [("p1", "a"), ("p2", "b")]
    assert Unit.objects.get(claim__isnull=False).claim.key == "c1"


def test_an_item_field_may_come_on_a_later_line(tmp_path):
    load_rows(tmp_path, [response(), response(system="b", question="late?", references=["x"])])
    assert (Item.objects.get().question, Item.objects.get().references) == ("late?", ["x"])


# --- published studies ---


def shared(*parts):
    path = SHARED.joinpath("data", *parts)
    if not path.exists():
        pytest.skip("needs ../shared/data beside the checkout")
    return path


def test_synsciqa_has_its_published_shares():
    path = shared("SynSciQA", "HandEval_of_QualityFilters_SynSciQA++.xlsx")
    project = load(slug="s", paths=[path], layout="synsciqa-handeval").project
    gold = Gold.objects.filter(unit__project=project)
    assert gold.filter(value="entailed").count() == 282
    assert gold.filter(value="not_entailed").count() == 6
    assert project.units.filter(state="contested").count() == 11
    assert project.units.count() == 299


def test_evouna_counts_what_it_could_not_label():
    loaded = load(slug="e", paths=[shared("EVOUNA", "TQ.json")], layout="evouna")
    project = loaded.project
    assert loaded.made["responses"] == 10_000
    assert loaded.notes["proper responses"] == 5 * 1938
    assert loaded.notes['verdicts that are the text "nan", loaded without a label'] == 75
    proper = Gold.objects.filter(unit__response__item__attributes__improper=False)
    right = {
        key: proper.filter(unit__response__system__key=key, value="correct").count() / 1938
        for key in project.systems.values_list("key", flat=True)
    }
    assert {key: round(100 * value, 1) for key, value in right.items()} == {
        "fid": 81.5,
        "gpt35": 78.4,
        "chatgpt": 84.4,
        "gpt4": 90.2,
        "newbing": 89.6,
    }


def test_the_demonstration_study_loads(settings):
    project = load(slug="demo", paths=[settings.BASE_DIR / "fixtures/demo/study.jsonl"]).project
    assert project.units.count() == 192
    assert json.loads(json.dumps(project.criteria.get(key="faithfulness").show_if)) == {
        "criterion": "passage_relevant",
        "values": ["yes"],
    }
