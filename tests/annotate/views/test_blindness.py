"""Nothing an annotator receives depends on, or tells of, another's label, a system, a score."""

import secrets

import pytest
from django.urls import reverse

from annotate.models import Criterion
from tests.annotate.views.pages import Sheet, without_nonces
from tests.conftest import hand_in
from tests.makers import CORRECTNESS, label_next, person

PAGES = ("home", "project", "desk", "guideline")
HTMX = {"HX-Request": "true"}


def canary(kind):
    return f"{kind}-{secrets.token_hex(8)}"


@pytest.fixture
def planted():
    kinds = (
        "item",
        "system",
        "attribute",
        "context",
        "evaluator",
        "comment",
        "rater",
        "judge",
        "claim",
        "passage",
    )
    return {kind: canary(kind) for kind in kinds}


@pytest.fixture
def study(db, load, planted):
    """A unit that one other person has labelled, one more that nobody has; everything named is a canary."""
    passages = [
        {"id": planted["passage"], "text": "A text.", "context": planted["context"], "relevant": True}
    ]
    shared = {
        "item": planted["item"],
        "question": "What?",
        "attributes": {"dataset": planted["attribute"]},
        "passages": passages,
        "context": planted["context"],
    }
    said = {
        "annotator": planted["rater"],
        "labels": {"correctness": "incorrect"},
        "comment": planted["comment"],
        "evidence": [{"passage": planted["passage"], "start": 0, "end": 1, "quote": "A"}],
    }
    scores = [{"evaluator": planted["evaluator"], "value": 0.123456, "criterion": "correctness"}]
    rows = [
        {**shared, "system": planted["system"], "response": "Said.", "annotations": [said], "scores": scores},
        {**shared, "system": planted["judge"], "response": "Also said.", "scores": scores},
    ]
    study = load(rows, quota=2)
    person("ada", study, "annotator")
    return study


def crawl(client, study):
    """Every page an annotator may open, and the answers of the desk until nothing is left."""
    for name in PAGES:
        yield client.get(reverse(name, args=[] if name == "home" else [study.slug]))
    url = reverse("desk", args=[study.slug])
    for _ in range(3):
        sheet = Sheet(client.get(url))
        if sheet.unit is None:
            break
        yield client.post(url, sheet.filled(correctness="maybe"), headers=HTMX)
        yield client.post(url, sheet.filled(correctness="correct"), headers=HTMX)
        yield client.post(url, {**sheet.filled(correctness="correct"), "key": secrets.token_hex(16)})
    for name in ("adjudicate", "settings", "people"):
        yield client.get(reverse(name, args=[study.slug]))


def test_no_foreign_word_is_in_any_page_or_header(study, planted, signed_in, django_user_model):
    client = signed_in(django_user_model.objects.get(username="ada"))
    pages = list(crawl(client, study))
    assert len(pages) > 10
    assert any(b"Said." in page.content for page in pages)
    everything = b"".join(page.content + repr(page.headers).encode() for page in pages)
    assert [word for word in (*planted.values(), "0.123456") if word.encode() in everything] == []


def test_no_row_number_of_a_unit_or_response_is_in_the_page(study, signed_in, django_user_model):
    client = signed_in(django_user_model.objects.get(username="ada"))
    sheet = Sheet(client.get(reverse("desk", args=[study.slug])))
    unit = study.units.get(public_id=sheet.unit)
    names = {f"c{pk}" for pk in Criterion.objects.values_list("pk", flat=True)}
    assert set(sheet.fields) - names == {"csrfmiddlewaretoken", "unit", "key", "signed_as", "seconds"}
    assert sheet.fields["unit"] == unit.public_id


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_the_same_bytes_whatever_the_other_said(page, project, people, signed_in):
    """Nobody else, then somebody with one answer to every unit."""
    client = signed_in(people.ada)
    url = reverse(page, args=[] if page == "home" else [project.slug])
    label_next(hand_in(project, people.ada), correctness="correct", relevant="no")
    alone = without_nonces(client.get(url))
    while label_next(hand_in(project, people.ben), correctness="incorrect", relevant="no"):
        pass
    assert without_nonces(client.get(url)) == alone


def test_the_answer_to_a_submission_is_the_same_bytes_too(project, people, signed_in):
    """Two annotators in the same place of two like studies: one comes first, one second."""
    client = signed_in(people.ada)
    url = reverse("desk", args=[project.slug])
    sheet = Sheet(client.get(url))
    wrong = sheet.filled(correctness="correct")
    alone = without_nonces(client.post(url, wrong, headers=HTMX))
    while label_next(hand_in(project, people.ben), correctness="incorrect", relevant="no"):
        pass
    assert without_nonces(client.post(url, wrong, headers=HTMX)) == alone


def test_an_annotator_sees_no_contested_count(load, signed_in, db):
    study = load(
        [
            {
                "item": "q",
                "system": "s",
                "response": "r",
                "annotations": [
                    {"annotator": "x", "labels": {"correctness": "correct"}},
                    {"annotator": "y", "labels": {"correctness": "incorrect"}},
                ],
            }
        ],
        criteria=[CORRECTNESS],
    )
    ada = signed_in(person("ada", study, "annotator"))
    for url in ("/", f"/p/{study.slug}/"):
        page = ada.get(url).content.decode()
        assert "contested" not in page.lower()
        assert "disagree" not in page.lower()
