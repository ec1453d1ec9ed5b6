"""Figures come in, follow the form and stay readable; a run's bar moves. In a real browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import expect

from metrics import tasks
from metrics.actions.chunks import work_once
from metrics.actions.runs import start_runs
from metrics.models import Run
from tests.makers import CORRECTNESS, labelled, person

PHONE = {"width": 390, "height": 844}
TABLE = "#figures table.leaderboard"


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """The runs that workers were woken for: here the test is the worker."""
    runs = []
    monkeypatch.setattr(tasks, "wake", lambda run: runs.append(run.pk))
    return runs


@pytest.fixture
def study(load):
    rows = [
        labelled(
            "correct" if n % 3 else "incorrect",
            "incorrect" if n in {0, 3, 5} else "correct",
            "correct" if n % 2 else "incorrect",
            item=f"q{n // 2}",
            system="beta" if n % 2 else "alpha",
            text="Paris" if n % 3 else f"It is Rome {n}",
            question="Capital of France?",
            references=["Paris"],
            passages=[{"id": "p", "text": "Paris is the capital of France."}],
            attributes={"hops": "one" if n < 8 else "two"},
            scores=[{"evaluator": "a judge of long name", "value": n % 4}],
        )
        for n in range(16)
    ]
    return load(rows, criteria=[CORRECTNESS])


@pytest.fixture
def rita(study):
    return person("rita", study, "researcher")


@pytest.fixture
def scored(study):
    (run,) = start_runs(project=study, keys=["em", "f1", "k_f1"], by=None, at=timezone.now())
    finish(run)
    return study


def finish(run):
    while work_once(run=run, at=timezone.now()):
        pass


def test_figures_come_in_and_follow_the_form(visit, rita, scored):
    page = visit(rita, "/p/study/tables/correlation/")
    expect(page.locator(TABLE)).to_have_count(1)
    expect(page.locator("#figures .says").first).to_contain_text("follows the labels most closely")
    page.select_option("[name=slice]", "hops")
    expect(page.locator(TABLE)).to_have_count(3)
    expect(page).to_have_url(re.compile(r"slice=hops"))
    page.focus("[name=statistic]")
    page.select_option("[name=statistic]", "pearson")
    expect(page.locator(f"{TABLE} thead").first).to_contain_text("r on a common scale")
    expect(page.locator("[name=statistic]")).to_be_focused()
    page.reload()
    expect(page.locator(TABLE)).to_have_count(3)
    expect(page.locator("[name=slice]")).to_have_value("hops")
    page.go_back()
    expect(page.locator("[name=statistic]")).to_have_value("spearman")


def test_a_refusal_is_shown_in_its_place(visit, rita, scored):
    page = visit(rita, "/p/study/tables/correlation/?seed=-1")
    expect(page.locator("#figures .flash.error")).to_contain_text("option seed is '-1'")


def test_latex_is_copied(visit, rita, scored):
    page = visit(rita, "/p/study/tables/accuracy/", permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator(TABLE)).to_have_count(1)
    page.click("text=Copy LaTeX")
    expect(page.locator("[data-copies]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith(r"\begin{tabular}")


def test_without_javascript_everything_is_there(visit, rita, scored):
    page = visit(rita, "/p/study/tables/correlation/", java_script_enabled=False)
    page.click("text=Compute the figures")
    expect(page.locator(TABLE)).to_have_count(1)
    page.select_option("[name=slice]", "hops")
    page.click("button:has-text('Show')")
    expect(page.locator(TABLE)).to_have_count(3)


def test_a_run_is_started_and_its_bar_moves(visit, rita, study, settings, woken):
    settings.RUN_CHUNK = 5
    page = visit(rita, "/p/study/runs/")
    page.check("[value=em]")
    expect(page.locator(".estimate")).to_have_text("1 metric chosen: 16 scores to compute.")
    page.check("[value=recall]")
    expect(page.locator(".estimate")).to_have_text("2 metrics chosen: 32 scores to compute.")
    page.select_option("[name=where]", "hops=one")
    expect(page.locator(".estimate")).to_have_text("2 metrics chosen: 16 scores to compute.")
    page.click("button:has-text('Start')")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    run = Run.objects.get()
    assert woken == [run.pk]
    expect(page.locator(".flash.warning")).to_contain_text("manage.py work")
    bar = page.get_by_role("img", name="Exact match: 8 left")
    expect(bar).to_be_visible()

    work_once(run=run, at=timezone.now())
    expect(page.get_by_role("img", name="Exact match: 5 scored, 3 left")).to_be_visible()
    page.click("button:has-text('Cancel')")
    expect(page.locator("#progress .state")).to_contain_text("cancelled")
    page.click("button:has-text('Resume')")
    expect(page.locator("#progress .state")).to_contain_text("running")
    finish(run)
    expect(page.locator("#progress .state")).to_contain_text("finished")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(2500)
    assert asked == [], "a finished run is not asked for again"


PLACES = {
    "agreement": "/p/study/agreement/",
    "agreement by slice": "/p/study/agreement/?slice=hops",
    "runs": "/p/study/runs/",
    "run": "/p/study/runs/{run}/",
    "tables": "/p/study/tables/",
    "correlation": "/p/study/tables/correlation/",
    "accuracy": "/p/study/tables/accuracy/",
    "distribution": "/p/study/tables/distribution/",
    "tidy": "/p/study/tables/agreement/?view=tidy",
    "refused": "/p/study/tables/correlation/?slice=nope",
}


def settled(visit, rita, place, **options):
    page = visit(rita, PLACES[place].format(run=Run.objects.get().pk), **options)
    expect(page.locator(".computing")).to_have_count(0)
    for more in page.locator("main details:not(.menu)").all():
        more.evaluate("one => { one.open = true }")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_pages_are_readable_for_everybody(place, scheme, visit, rita, scored):
    page = settled(visit, rita, place, color_scheme=scheme)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("place", PLACES)
def test_a_phone_scrolls_down_only(place, visit, rita, scored):
    page = settled(visit, rita, place)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    if page.locator(".asked-more").count():
        page.click(".asked-more > summary")
        expect(page.locator("#field-resamples")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
