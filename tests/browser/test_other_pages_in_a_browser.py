"""Deciding by keyboard; every page readable for everybody, in light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotate.models import Adjudication
from tests.makers import CORRECTNESS, RELEVANT, SUPPORT, person, response

PASSAGES = [{"id": "p1", "title": "A river", "text": "The river runs through the town."}]


@pytest.fixture
def contested(load):
    """Two units on which two people disagree, and one that waits for labels."""
    votes = [
        {"annotator": "x", "labels": {"correctness": "correct", "relevant": "no"}, "comment": "Fine.",
         "evidence": [{"passage": "p1", "start": 0, "end": 9, "quote": "The river"}]},
        {"annotator": "y", "labels": {"correctness": "incorrect", "relevant": "yes", "support": "not"},
         "evidence": [{"passage": "p1", "start": 4, "end": 14, "quote": "river runs"}]},
    ]  # fmt: skip
    shared = {"passages": PASSAGES, "question": "Where?", "references": ["Here."]}
    rows = [response(item=f"q{n}", annotations=votes, **shared) for n in range(2)]
    study = load([*rows, response(item="open", **shared)], criteria=[CORRECTNESS, RELEVANT, SUPPORT])
    study.guidelines.create(
        version=1, text="# Judge\n\n| a | b |\n|---|---|\n| 1 | [2](https://example.org) |\n"
    )
    return study


def test_a_decision_by_keyboard_alone(visit, contested):
    page = visit(person("cleo", contested, "adjudicator"), "/p/study/adjudicate/")
    before = page.get_attribute("#desk", "data-unit")
    said = page.locator(".vote").first.locator("dd").first.inner_text()
    page.keyboard.press("a")
    expect(page.locator("[data-key=correctness] input:checked")).to_have_value(said.lower())
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("r")
    page.keyboard.type("t")
    page.keyboard.press("Enter")
    page.wait_for_function("before => document.querySelector('#desk').dataset.unit !== before", arg=before)
    stored = Adjudication.objects.get()
    assert stored.reason_code == "guideline"
    assert dict(stored.decisions.values_list("criterion__key", "value")) == {
        "correctness": "incorrect",
        "relevant": "no",
    }


PLACES = {
    "sign-in": (None, "/accounts/sign-in/"),
    "home": ("adam", "/"),
    "overview": ("adam", "/p/study/"),
    "desk": ("adam", "/p/study/desk/"),
    "adjudicate": ("adam", "/p/study/adjudicate/"),
    "guideline": ("adam", "/p/study/guideline/"),
    "people": ("adam", "/p/study/people/"),
    "settings": ("adam", "/p/study/settings/"),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible(scheme, visit, contested):
    adam = person("adam", contested, "admin")
    page = visit(adam, "/", color_scheme=scheme)
    problems = {}
    for name, (somebody, path) in PLACES.items():
        if somebody is None:
            here = visit(None, path, color_scheme=scheme)
        else:
            here = page
            here.goto(path)
        for fold in here.locator("details.fold").all():
            fold.locator("summary").click()
        found = Axe().run(here).response["violations"]
        if found:
            problems[name] = [
                (one["id"], [node["target"] for node in one["nodes"][:3]], one["nodes"][0]["failureSummary"])
                for one in found
            ]
    assert problems == {}


def test_no_page_scrolls_sideways_on_a_phone(visit, contested):
    adam = person("adam", contested, "admin")
    page = visit(adam, "/")
    page.set_viewport_size({"width": 390, "height": 844})
    wide = []
    for name, (_, path) in PLACES.items():
        page.goto(path)
        if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            wide.append(name)
    assert wide == []


def test_the_menu_holds_the_rooms_on_a_phone(visit, contested):
    page = visit(person("adam", contested, "admin"), "/p/study/")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".menu.at-start summary").click()
    page.locator(".menu.at-start").get_by_role("link", name="People").click()
    page.wait_for_url("**/people/")


def test_a_chosen_theme_is_kept_and_does_not_flash(visit, contested):
    page = visit(person("adam", contested, "admin"), "/", color_scheme="light")
    page.locator(".bar > .menu summary").last.click()
    page.get_by_role("button", name="Dark").click()
    page.goto("/p/study/")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert paper.startswith("oklch(0.175")
