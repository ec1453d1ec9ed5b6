"""The desk: a unit is shown, a label is stored once, and nothing typed is lost."""

import uuid

import pytest
from django.urls import reverse

from annotate.actions.settlement import set_settlement
from annotate.models import Annotation, Slot
from tests.annotate.views.pages import Sheet
from tests.conftest import hand_in
from tests.makers import ATTRIBUTION, SIMILARITY, label_next, person, response

HTMX = {"HX-Request": "true"}
ANSWERS = {"correctness": "correct", "relevant": "yes", "support": "partially"}


@pytest.fixture
def url(project):
    return reverse("desk", args=[project.slug])


@pytest.fixture
def ada(people, signed_in):
    return signed_in(people.ada)


def stored(**labels):
    return Annotation.objects.filter(**labels).count()


def labels_of(annotation):
    return dict(annotation.labels.values_list("criterion__key", "value"))


def test_it_shows_the_question_the_response_and_the_passages(ada, url):
    page = ada.get(url).content.decode()
    for words in ("Question ", "Answer ", "A river", "The river runs through the town."):
        assert words in page


def test_it_is_never_kept_by_the_browser(ada, url):
    assert "no-store" in ada.get(url)["Cache-Control"]


def test_looking_twice_gives_the_same_unit(ada, url):
    assert Sheet(ada.get(url)).unit == Sheet(ada.get(url)).unit


def test_a_submission_is_stored_and_a_browser_goes_to_the_next(ada, url, people):
    sheet = Sheet(ada.get(url))
    answer = ada.post(url, {**sheet.filled("Short.", **ANSWERS), "seconds": "12.34"})
    assert (answer.status_code, answer["Location"]) == (302, url)
    annotation = Annotation.objects.get()
    assert labels_of(annotation) == ANSWERS
    assert (annotation.comment, annotation.seconds) == ("Short.", 12.3)
    assert annotation.annotator.person == people.ada
    assert Sheet(ada.get(url)).unit != sheet.unit


def test_a_fragment_brings_the_next_unit_and_the_saved_sign(ada, url):
    sheet = Sheet(ada.get(url))
    answer = ada.post(url, sheet.filled(**ANSWERS), headers=HTMX)
    assert answer.status_code == 200
    assert b"<html" not in answer.content
    assert b"saved <time" in answer.content
    assert Sheet(answer).unit not in (None, sheet.unit)


def test_the_same_key_twice_is_one_annotation(ada, url):
    form = Sheet(ada.get(url)).filled(**ANSWERS)
    assert [ada.post(url, form, headers=HTMX).status_code for _ in range(10)] == [200] * 10
    assert stored() == 1


def test_another_key_on_a_unit_that_is_done_is_said_in_words(ada, url):
    form = Sheet(ada.get(url)).filled("First.", **ANSWERS)
    ada.post(url, form)
    answer = ada.post(url, {**form, "key": str(uuid.uuid4()), "comment": "Second."}, headers=HTMX)
    assert answer.status_code == 409
    assert b"labelled this unit already" in answer.content
    assert b"Second." in answer.content
    assert b"Go on with the next unit" in answer.content
    assert Annotation.objects.get().comment == "First."


def test_a_missing_answer_is_said_and_the_rest_is_kept(ada, url):
    sheet = Sheet(ada.get(url))
    answer = ada.post(url, sheet.filled("Kept & <b>whole</b>", correctness="incorrect"), headers=HTMX)
    again = Sheet(answer)
    assert answer.status_code == 422
    assert "“relevant” has no answer yet." in answer.content.decode()
    assert "Kept &amp; &lt;b&gt;whole&lt;/b&gt;" in answer.content.decode()
    assert again.chosen("correctness") == "incorrect"
    assert (again.unit, again.fields["key"]) == (sheet.unit, sheet.fields["key"])
    assert stored() == 0


def test_a_conditional_question_opens_at_the_server_too(ada, url):
    sheet = Sheet(ada.get(url))
    assert sheet.hidden == {"support"}
    opened = ada.post(url, sheet.filled(correctness="correct", relevant="yes"))
    assert opened.status_code == 422
    assert Sheet(opened).hidden == set()
    assert ada.post(url, Sheet(opened).filled(**ANSWERS)).status_code == 302


def test_an_answer_to_a_question_that_closed_again_is_no_label(ada, url):
    ada.post(url, Sheet(ada.get(url)).filled(correctness="correct", relevant="no", support="fully"))
    assert labels_of(Annotation.objects.get()) == {"correctness": "correct", "relevant": "no"}


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("correctness", "maybe", 422),
        ("key", "no-uuid", 422),
        ("key", "", 422),
        ("comment", "x" * 10_001, 422),
    ],
)
def test_what_cannot_be_is_refused_in_words(field, value, status, ada, url):
    sheet = Sheet(ada.get(url))
    form = {**sheet.filled(**ANSWERS), sheet.questions.get(field, field): value}
    answer = ada.post(url, form, headers=HTMX)
    assert answer.status_code == status
    assert 'role="alert" data-errors>' in answer.content.decode()
    assert stored() == 0


@pytest.mark.parametrize("seconds", ["", "soon", "-3", "nan", "inf", "1e9"])
def test_a_time_that_cannot_be_costs_no_label(seconds, ada, url):
    ada.post(url, {**Sheet(ada.get(url)).filled(**ANSWERS), "seconds": seconds})
    assert Annotation.objects.get().seconds is None


def test_a_unit_that_others_took_meanwhile_is_said_in_words(ada, url, project, people):
    sheet = Sheet(ada.get(url))
    slots = Slot.objects.filter(unit__public_id=sheet.unit)
    for name, slot in zip(("x", "y"), slots, strict=True):
        taker = hand_in(project, person(name, project, "annotator"))
        slots.filter(pk=slot.pk).update(state="done", annotator=taker, lease_until=None)
    answer = ada.post(url, sheet.filled("My thoughts.", **ANSWERS), headers=HTMX)
    assert answer.status_code == 409
    assert b"The time for this unit ran out" in answer.content
    assert b"My thoughts." in answer.content
    assert stored() == 0


def test_a_form_that_another_person_opened_is_not_stored_under_my_name(ada, url, people, signed_in):
    theirs = Sheet(signed_in(people.ben).get(url)).filled(**ANSWERS)
    answer = ada.post(url, theirs, headers=HTMX)
    assert answer.status_code == 409
    assert b"You are signed in as ada now" in answer.content
    assert stored() == 0


def test_a_unit_of_another_project_is_not_found(ada, url, load):
    other = load([response()], slug="other")
    form = {**Sheet(ada.get(url)).filled(**ANSWERS), "unit": other.units.get().public_id}
    assert ada.post(url, form).status_code == 404


def test_the_end_is_calm(ada, url, project, people):
    while label_next(hand_in(project, people.ada), correctness="correct", relevant="no"):
        pass
    page = ada.get(url).content.decode()
    assert "Nothing waits for you here" in page
    assert "You have labelled 4 units" in page


def test_a_third_annotator_sees_nothing_of_the_first_two(project, people, url, signed_in):
    set_settlement(project=project, settlement="third", by=None)
    for name, value in (("ada", "correct"), ("ben", "incorrect")):
        while label_next(hand_in(project, getattr(people, name)), correctness=value, relevant="no"):
            pass
    third = signed_in(person("dora", project, "annotator"))
    page = third.get(url)
    assert Sheet(page).unit
    assert not any(
        value for key, value in Sheet(page).fields.items() if key.startswith("c") and key[1:].isdigit()
    )


def test_a_claim_is_marked_in_its_response_and_its_siblings_stay_readable(project, people, load, signed_in):
    text = "Rain fell. The bridge closed."
    claims = [
        {"id": "a", "text": "Rain fell."},
        {"id": "b", "text": "The bridge closed.", "start": 11, "end": 29},
    ]
    study = load([response(text=text, claims=claims)], slug="claims", criteria=[ATTRIBUTION])
    ada = signed_in(person("ada", study, "annotator"))
    page = ada.get(reverse("desk", args=[study.slug])).content.decode()
    assert '<mark class="claim">Rain fell.</mark> The bridge closed.</div>' in page
    assert "claim 1 of 2" in page


def test_a_claim_in_other_words_stands_under_the_response(project, people, load, signed_in):
    claims = [{"id": "a", "text": "It rained."}]
    study = load([response(text="Rain fell.", claims=claims)], slug="claims", criteria=[ATTRIBUTION])
    ada = signed_in(person("ada", study, "annotator"))
    page = ada.get(reverse("desk", args=[study.slug])).content.decode()
    assert '<mark class="claim">It rained.</mark>' in page


@pytest.mark.parametrize(
    ("bounds", "n_buttons"),
    [({}, 11), ({"step": 0.1}, 0), ({"maximum": 10, "step": 1}, 11), ({"step": None}, 0)],
)
def test_a_number_is_chosen_in_few_steps_or_typed(bounds, n_buttons, project, people, load, signed_in):
    scale = {name: value for name, value in {**SIMILARITY, **bounds}.items() if value is not None}
    study = load([response()], slug="numbers", criteria=[scale])
    ada = signed_in(person("ada", study, "annotator"))
    page = ada.get(reverse("desk", args=[study.slug])).content.decode()
    assert page.count('type="radio"') == n_buttons
    assert page.count('type="number"') == (0 if n_buttons else 1)


def test_text_from_a_model_stays_text(project, people, load, signed_in):
    nasty = '<script>alert(1)</script> <img src=x onerror=alert(2)> <b hx-post="/x">b</b> {{ 7*7 }}'
    study = load([response(text=nasty, question=nasty, history=[nasty], references=[nasty])], slug="nasty")
    ada = signed_in(person("ada", study, "annotator"))
    page = ada.get(reverse("desk", args=[study.slug])).content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<b hx-post" not in page
    assert page.count("{{ 7*7 }}") == 4


@pytest.mark.parametrize(("verb", "most"), [("get", 20), ("post", 36)])
def test_it_asks_the_database_few_questions(verb, most, ada, url, django_assert_max_num_queries):
    form = Sheet(ada.get(url)).filled(**ANSWERS)
    with django_assert_max_num_queries(most):
        getattr(ada, verb)(url, form if verb == "post" else None, headers=HTMX)
