"""Deciding contested units: who said what stays hidden, agreed labels stay, a decision is stored once."""

import re
import uuid

import pytest
from django.urls import reverse

from annotate.models import Adjudication, Annotation, Label
from annotate.views.adjudicate import cards_of
from tests.annotate.views.pages import Sheet
from tests.makers import CORRECTNESS, RELEVANT, SUPPORT, person, response

HTMX = {"HX-Request": "true"}
PASSAGES = [{"id": "p1", "title": "A river", "text": "Ä river 🌊 runs here."}]


def said(annotator, comment="", evidence=(), **labels):
    return {"annotator": annotator, "labels": labels, "comment": comment, "evidence": list(evidence)}


@pytest.fixture
def study(db, load):
    """Three units on which two people disagree about correctness alone."""
    votes = [
        said("xaver", "Wrong year.", [{"passage": "p1", "start": 2, "end": 9, "quote": "river 🌊"}],
             correctness="incorrect", relevant="no"),
        said("yvonne", "Near enough.", [{"passage": "p1", "start": 8, "end": 14, "quote": "🌊 runs"}],
             correctness="correct", relevant="no"),
    ]  # fmt: skip
    rows = [response(item=f"q{n}", passages=PASSAGES, annotations=votes) for n in range(3)]
    return load(rows, criteria=[CORRECTNESS, RELEVANT, SUPPORT])


@pytest.fixture
def url(study):
    return reverse("adjudicate", args=[study.slug])


@pytest.fixture
def cleo(study, signed_in):
    return signed_in(person("cleo", study, "adjudicator"))


def decision(sheet, **labels):
    return {**sheet.filled("Because.", **labels), "reason_code": "oversight"}


def test_the_cards_tell_labels_and_comments_and_no_names(cleo, url):
    page = cleo.get(url)
    text = page.content.decode()
    for words in ("Take A", "Take B", "Wrong year.", "Near enough.", "1 piece of evidence", "1 of 3"):
        assert words in text
    assert "xaver" not in text
    assert "yvonne" not in text
    assert "no-store" in page["Cache-Control"]


def test_only_what_is_contested_is_asked_and_the_rest_stands_as_settled(cleo, url):
    page = cleo.get(url)
    assert set(Sheet(page).questions) == {"correctness"}
    assert 'data-agreed="relevant" value="no"' in page.content.decode()


def test_a_is_not_always_the_same_person(study, load):
    votes = [said("x", correctness="correct"), said("y", correctness="incorrect")]
    many = load(
        [response(item=f"q{n}", annotations=votes) for n in range(40)], slug="many", criteria=[CORRECTNESS]
    )
    first = [cards_of(unit)["A"].annotator.key for unit in many.units.all()]
    assert {"x", "y"} == set(first)
    assert [cards_of(unit)["A"].annotator.key for unit in many.units.all()] == first


def test_evidence_is_marked_by_code_points_and_overlaps_carry_both(cleo, url):
    page = cleo.get(url).content.decode()
    marks = re.findall(r'<mark class="evidence([^"]*)">([^<]*)', page)
    assert [text for _, text in marks] == ["river ", "🌊", " runs"]
    assert sorted(marks[1][0].split()) == ["by-A", "by-B"]


def test_a_decision_is_stored_and_the_next_unit_comes(cleo, url, study):
    sheet = Sheet(cleo.get(url))
    before = list(Label.objects.order_by("pk").values_list("pk", "value"))
    answer = cleo.post(url, decision(sheet, correctness="correct"), headers=HTMX)
    assert answer.status_code == 200
    assert Sheet(answer).unit not in (None, sheet.unit)
    stored = Adjudication.objects.get()
    assert (stored.unit.public_id, stored.reason_code, stored.reason) == (sheet.unit, "oversight", "Because.")
    assert dict(stored.decisions.values_list("criterion__key", "value")) == {"correctness": "correct"}
    assert list(Label.objects.order_by("pk").values_list("pk", "value")) == before
    assert study.units.get(public_id=sheet.unit).state == "settled"


def test_repeating_a_decision_changes_nothing(cleo, url):
    form = decision(Sheet(cleo.get(url)), correctness="correct")
    assert [cleo.post(url, form, headers=HTMX).status_code for _ in range(3)] == [200] * 3
    assert Adjudication.objects.count() == 1


def test_a_reason_is_asked_for(cleo, url):
    sheet = Sheet(cleo.get(url))
    answer = cleo.post(url, sheet.filled("Because.", correctness="correct"), headers=HTMX)
    assert answer.status_code == 422
    assert b"Choose a reason." in answer.content
    assert Sheet(answer).chosen("correctness") == "correct"
    assert b"Because." in answer.content
    assert Adjudication.objects.count() == 0


def test_taking_a_card_works_without_a_script(cleo, url, study):
    sheet = Sheet(cleo.get(url))
    unit = study.units.get(public_id=sheet.unit)
    card = cards_of(unit)["B"].labels.get(criterion__key="correctness").value
    answer = cleo.post(url, {**sheet.filled("Kept."), "take": "B"})
    assert answer.status_code == 200
    assert Sheet(answer).chosen("correctness") == card
    assert b"Kept." in answer.content
    assert Adjudication.objects.count() == 0


def test_previous_and_next_step_through_the_queue(cleo, url, study):
    ids = list(study.units.order_by("pk").values_list("public_id", flat=True))
    page = cleo.get(url, {"unit": ids[1]})
    assert Sheet(page).unit == ids[1]
    text = page.content.decode()
    assert f"?unit={ids[0]}" in text
    assert f"?unit={ids[2]}" in text


def test_without_a_script_the_next_unit_in_line_comes_too(cleo, url, study):
    ids = list(study.units.order_by("pk").values_list("public_id", flat=True))
    sheet = Sheet(cleo.get(url, {"unit": ids[1]}))
    answer = cleo.post(url, decision(sheet, correctness="correct"))
    assert answer["Location"] == f"{url}?unit={ids[2]}"


def test_who_labelled_a_unit_neither_sees_nor_decides_it(study, url, signed_in, cleo):
    sheet = Sheet(cleo.get(url))
    xaver = signed_in(person("xaver", study, "annotator", "adjudicator"))
    assert b"Nothing waits for a decision" in xaver.get(url).content
    form = {**decision(sheet, correctness="incorrect"), "signed_as": "xaver"}
    for extra in ({}, {"take": "A"}, {"reason_code": ""}):
        answer = xaver.post(url, {**form, **extra}, headers=HTMX)
        assert answer.status_code == 409
        assert b"Near enough." not in answer.content
    assert Adjudication.objects.count() == 0


def test_a_unit_that_somebody_just_decided_is_said_in_words(study, url, cleo, signed_in):
    sheet = Sheet(cleo.get(url))
    other = signed_in(person("dana", study, "adjudicator"))
    other.post(url, decision(Sheet(other.get(url)), correctness="correct"))
    answer = cleo.post(
        url, {**decision(sheet, correctness="incorrect"), "key": str(uuid.uuid4())}, headers=HTMX
    )
    assert answer.status_code == 409
    assert b"somebody may just have decided it" in answer.content
    assert b"Because." in answer.content
    assert Adjudication.objects.get().by.key == "dana"


def test_a_conditional_question_opens_with_the_decision_on_its_condition(load, signed_in):
    votes = [
        said("x", correctness="correct", relevant="yes", support="fully"),
        said("y", correctness="correct", relevant="no"),
    ]
    study = load([response(annotations=votes)], slug="one", criteria=[CORRECTNESS, RELEVANT, SUPPORT])
    cleo, url = signed_in(person("cleo", study, "adjudicator")), reverse("adjudicate", args=["one"])
    sheet = Sheet(cleo.get(url))
    assert (set(sheet.questions), sheet.hidden) == ({"relevant", "support"}, {"support"})
    assert cleo.post(url, decision(sheet, relevant="yes")).status_code == 422
    assert cleo.post(url, decision(sheet, relevant="no", support="fully")).status_code == 302
    decided = Adjudication.objects.get().decisions
    assert dict(decided.values_list("criterion__key", "value")) == {"relevant": "no"}


def test_the_end_is_calm(cleo, url, study):
    for _ in range(3):
        cleo.post(url, decision(Sheet(cleo.get(url)), correctness="correct"))
    assert b"Nothing waits for a decision" in cleo.get(url).content
    assert Annotation.objects.count() == 6


def test_it_asks_the_database_few_questions(cleo, url, django_assert_max_num_queries):
    with django_assert_max_num_queries(32):
        cleo.get(url)
