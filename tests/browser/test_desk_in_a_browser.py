"""The desk as a person meets it: keys, double clicks, two tabs, a lost session, a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.models import Annotation
from tests.browser.conftest import listened, sign_in
from tests.makers import SIMILARITY, person, response

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def desk(project):
    return reverse("desk", args=[project.slug])


def unit_on(page):
    return page.get_attribute("#desk", "data-unit")


def next_unit(page, before):
    page.wait_for_function("before => document.querySelector('#desk')?.dataset.unit !== before", arg=before)
    return unit_on(page)


def labels_of(annotation):
    return dict(annotation.labels.values_list("criterion__key", "value"))


def test_a_whole_session_by_keyboard_alone(visit, people, desk):
    page = visit(people.ada, desk)
    seen = set()
    for n in range(4):
        seen.add(before := unit_on(page))
        page.keyboard.press("1" if n % 2 else "2")
        page.keyboard.press("4")
        if n == 3:
            page.keyboard.press("w")
            page.keyboard.type("Last one.")
        page.keyboard.press("Enter")
        next_unit(page, before)
    expect(page.get_by_role("heading", name="Nothing waits for you here")).to_be_visible()
    assert len(seen) == 4
    stored = list(Annotation.objects.order_by("pk"))
    assert [labels_of(one)["correctness"] for one in stored] == ["incorrect", "correct"] * 2
    assert stored[-1].comment == "Last one."
    assert all(one.seconds is not None for one in stored)


def test_a_conditional_question_comes_and_goes_with_its_condition(visit, people, desk):
    page = visit(people.ada, desk)
    support = page.locator("fieldset[data-key=support]")
    expect(support).to_be_hidden()
    page.keyboard.press("1")
    page.keyboard.press("6")  # not asked: nothing happens
    page.keyboard.press("3")
    expect(support).to_be_visible()
    page.keyboard.press("4")
    expect(support).to_be_hidden()
    page.keyboard.press("3")
    page.keyboard.press("6")
    before = unit_on(page)
    page.keyboard.press("Enter")
    next_unit(page, before)
    assert labels_of(Annotation.objects.get()) == {
        "correctness": "correct",
        "relevant": "yes",
        "support": "partially",
    }


def test_a_missing_answer_is_said_and_the_question_is_marked(visit, people, desk):
    page = visit(people.ada, desk)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="has no answer yet")).to_be_visible()
    expect(page.locator("[data-key=correctness] input:checked")).to_have_count(1)
    expect(page.locator("[data-key=relevant]")).to_have_attribute("data-missing", "")


def test_five_fast_clicks_are_one_annotation(visit, people, desk):
    page = visit(people.ada, desk)
    before = unit_on(page)
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.evaluate("for (let n = 0; n < 5; n++) document.querySelector('#labels .primary').click()")
    next_unit(page, before)
    page.wait_for_timeout(300)
    assert Annotation.objects.count() == 1


def test_back_shows_no_old_form_and_resubmitting_stores_nothing_twice(visit, people, desk, project):
    page = visit(people.ada, desk)
    before = unit_on(page)
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    second = next_unit(page, before)
    page.goto(f"/p/{project.slug}/")
    page.go_back()
    assert unit_on(page) == second
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    next_unit(page, second)
    assert sorted(Annotation.objects.values_list("unit__public_id", flat=True)) == sorted([before, second])


def test_two_tabs_store_one_annotation_and_say_so(visit, people, desk, complaints):
    one = visit(people.ada, desk)
    two = listened(one.context.new_page(), complaints)
    two.goto(desk)
    assert unit_on(one) == unit_on(two)
    for page, digit in ((one, "1"), (two, "2")):
        before = unit_on(page)
        page.keyboard.press(digit)
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        if page is one:
            next_unit(one, before)
    expect(two.get_by_role("alert").filter(has_text="labelled this unit already")).to_be_visible()
    assert labels_of(Annotation.objects.get())["correctness"] == "correct"
    two.keyboard.press("Enter")
    two.wait_for_function("before => document.querySelector('#desk').dataset.unit !== before", arg=before)


def test_a_lost_session_loses_no_word(visit, people, desk, complaints):
    page = visit(people.ada, desk)
    before = unit_on(page)
    page.keyboard.press("1")
    page.keyboard.press("4")
    page.keyboard.press("w")
    page.keyboard.type("A long thought.")
    other = listened(page.context.new_page(), complaints)
    other.goto("/")
    other.locator(".menu summary").click()
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url("**/accounts/sign-in/")
    page.keyboard.press("Enter")
    expect(page.get_by_text("you are signed out")).to_be_visible()
    assert page.input_value("[name=comment]") == "A long thought."
    assert unit_on(page) == before
    assert Annotation.objects.count() == 0
    sign_in(other, people.ada)
    page.get_by_role("button", name="Try again").click()
    next_unit(page, before)
    assert Annotation.objects.get().comment == "A long thought."


def test_a_lost_connection_keeps_everything_and_stores_it_once_later(visit, people, desk):
    page = visit(people.ada, desk)
    before = unit_on(page)
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.get_by_text("the server cannot be reached")).to_be_visible()
    expect(page.locator("#saved")).to_have_text("not saved")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    next_unit(page, before)
    assert Annotation.objects.count() == 1
    assert "saved" in page.inner_text("#saved")


def test_a_draft_survives_closing_the_window(visit, people, desk, complaints):
    page = visit(people.ada, desk)
    page.keyboard.press("1")
    page.keyboard.press("3")
    page.keyboard.press("7")
    page.keyboard.press("w")
    page.keyboard.type("Half a tho")
    context = page.context
    page.close()
    again = listened(context.new_page(), complaints)
    again.goto(desk)
    assert again.input_value("[name=comment]") == "Half a tho"
    checked = again.locator("input:checked").evaluate_all("inputs => inputs.map(input => input.value)")
    assert checked == ["correct", "yes", "not"]


def test_searching_marks_and_steps_through_matches(visit, people, desk):
    page = visit(people.ada, desk)
    page.keyboard.press("/")
    page.keyboard.type("THE")
    expect(page.locator("mark.found")).to_have_count(2)
    expect(page.locator("[data-found]")).to_have_text("1 of 2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-found]")).to_have_text("2 of 2")
    page.keyboard.press("Escape")
    expect(page.locator("mark.found")).to_have_count(0)
    assert page.inner_text("[data-text]") == "The river runs through the town."


def test_keys_and_guideline_open_and_close(visit, people, desk, project):
    project.guidelines.create(version=1, text="# Judge kindly")
    page = visit(people.ada, desk)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    expect(page.locator("input:checked")).to_have_count(0)
    page.keyboard.press("v")
    expect(page.get_by_role("heading", name="Judge kindly")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_url(f"**/p/{project.slug}/")


def test_a_phone_shows_everything_without_scrolling_sideways(visit, people, desk):
    page = visit(people.ada, desk)
    page.set_viewport_size(PHONE)
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport()
    expect(page.locator(".asked")).to_be_in_viewport()
    page.get_by_role("radio", name="correct", exact=True).click()
    page.get_by_role("radio", name="no", exact=True).click()
    before = unit_on(page)
    page.get_by_role("button", name="Submit").click()
    next_unit(page, before)
    assert Annotation.objects.count() == 1


def test_it_works_without_javascript(visit, people, desk):
    page = visit(people.ada, desk, java_script_enabled=False)
    page.get_by_role("radio", name="incorrect", exact=True).check()
    page.get_by_role("radio", name="yes", exact=True).check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("radio", name="fully", exact=True).check()
    page.get_by_role("button", name="Submit").click()
    assert labels_of(Annotation.objects.get()) == {
        "correctness": "incorrect",
        "relevant": "yes",
        "support": "fully",
    }
    assert "saved" in page.inner_text("#saved")


def test_text_from_a_model_does_nothing(visit, load):
    nasty = (
        "<script>alert(1)</script><img src=https://evil.example/x onerror=alert(2)>"
        '<b hx-get="/health/" hx-trigger="load">b</b><a href="javascript:alert(3)">a</a>'
    )
    passages = [{"id": "p", "title": nasty, "text": nasty}]
    fields = {
        "text": nasty,
        "question": nasty,
        "history": [nasty],
        "references": [nasty],
        "passages": passages,
    }
    study = load([response(**fields)], slug="nasty", criteria=[SIMILARITY])
    page = visit(None, "/accounts/sign-in/")
    asked = []
    page.on("dialog", lambda dialog: asked.append("dialog"))
    page.on("request", lambda request: asked.append(request.url))
    sign_in(page, person("ada", study, "annotator"))
    page.goto(reverse("desk", args=["nasty"]))
    page.wait_for_timeout(300)
    assert not [one for one in asked if "evil" in one or one == "dialog" or "health" in one]
    assert page.locator(".sheet b[hx-get], .sources b[hx-get], .sheet img, .sources img").count() == 0
