"""Start, watch, cancel and resume, with and without htmx; all numbers from rows."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from metrics import tasks
from metrics.actions.chunks import work_once
from metrics.actions.runs import start_runs
from metrics.actions.workers import beat
from metrics.models import Run, Score
from metrics.querysets import pace_of
from metrics.views.bars import duration
from tests.makers import load_rows, person, response

HTMX = {"HX-Request": "true"}
PASSAGES = [{"id": "p", "text": "Paris is the capital of France."}]


@pytest.fixture
def study(db, tmp_path):
    rows = [
        response(
            item=f"q{n}",
            question="Capital?",
            references=["Paris"],
            passages=PASSAGES,
            attributes={"hops": str(n % 2)},
        )
        for n in range(6)
    ]
    return load_rows(tmp_path, [*rows, response(item="bare", attributes={"hops": "none"})])


@pytest.fixture
def rita(study, signed_in):
    return signed_in(person("rita", study, "researcher"))


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """The runs that workers were woken for."""
    runs = []
    monkeypatch.setattr(tasks, "wake", lambda run: runs.append(run.pk))
    return runs


def start(study, *keys, **options):
    (run,) = start_runs(project=study, keys=keys, by=None, at=timezone.now(), **options)
    return run


def finish(run):
    while work_once(run=run, at=timezone.now()):
        pass
    run.refresh_from_db()
    return run


def url(name, *args):
    return reverse(name, args=["study", *args])


def test_the_catalogue_says_what_can_run(study, rita):
    finish(start(study, "em"))
    page = rita.get(url("runs")).content.decode()
    assert 'value="em"' in page
    assert "all have one" in page
    assert "disabled" not in page
    bare = rita.get(url("runs"), {"where": "hops=none"}, headers=HTMX).content.decode()
    assert "<html" not in bare
    assert "f1 needs references; no unit here has any." in bare
    assert 'value="f1" id="metric-2" disabled' in bare


def test_the_estimate_counts_what_lacks_an_outcome(study, rita):
    finish(start(study, "em"))
    page = rita.get(url("runs"), {"key": ["em", "f1", "recall"]}, headers=HTMX).content.decode()
    assert "3 metrics chosen: 14 scores to compute." in page
    assert 'value="f1" id="metric-2" checked' in page
    some = rita.get(url("runs"), {"key": ["em", "f1"], "where": "hops=1"}, headers=HTMX).content.decode()
    assert "2 metrics chosen: 3 scores to compute." in some


def test_starting_a_run(study, rita, woken):
    answer = rita.post(url("runs"), {"key": ["em", "f1"], "where": "hops=1"})
    run = Run.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, url("run", run.pk))
    assert (run.started_by.username, run.where, run.items.count()) == ("rita", {"hops": "1"}, 3)
    assert woken == [run.pk]
    fragment = rita.post(url("runs"), {"key": "recall"}, headers=HTMX)
    assert (fragment.status_code, fragment["HX-Redirect"]) == (200, url("run", Run.objects.first().pk))


def test_a_run_with_nothing_to_do_says_so(study, rita, woken):
    finish(start(study, "em"))
    answer = rita.post(url("runs"), {"key": "em"}, follow=True)
    assert "Nothing to compute: every unit has its outcome already." in answer.content.decode()
    assert woken == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "Choose at least one metric."),
        ({"key": "nope"}, "No metric &#x27;nope&#x27;"),
        ({"key": "em", "where": "nope"}, "expected NAME=VALUE"),
        ({"key": "em", "where": "hops=9"}, "has no units with hops=9"),
        ({"key": "em", "where": "hops=none"}, "em needs references"),
        ({"key": "em", "where": "hops=\x00"}, "Null characters"),
    ],
)
def test_a_start_that_cannot_be_is_answered_in_words(sent, words, rita):
    plain = rita.post(url("runs"), sent)
    assert (plain.status_code, words in plain.content.decode()) == (400, True)
    fragment = rita.post(url("runs"), sent, headers=HTMX)
    assert (fragment.status_code, words in fragment.content.decode()) == (422, True)
    assert not Run.objects.exists()


def test_progress_is_read_from_rows(study, rita, settings):
    settings.RUN_CHUNK = 3
    run = start(study, "em", "k_f1")
    assert "0</b><span>of 7 units" in rita.get(url("run", run.pk)).content.decode()
    work_once(run=run, at=timezone.now())
    page = rita.get(url("run", run.pk), headers=HTMX).content.decode()
    assert "3</b><span>of 7 units" in page
    assert 'aria-label="Exact match: 3 scored, 4 left"' in page
    assert 'width="42.857%"' in page
    assert "units a second, lately" in page
    finish(run)
    page = rita.get(url("run", run.pk)).content.decode()
    assert 'aria-label="Exact match: 6 scored, 1 not applicable"' in page
    assert "no references" in page


def test_the_poll_stops_when_the_run_is_over(study, rita):
    run = start(study, "em")
    assert 'hx-trigger="every' in rita.get(url("run", run.pk), headers=HTMX).content.decode()
    finish(run)
    over = rita.get(url("run", run.pk), headers=HTMX).content.decode()
    assert "hx-trigger" not in over
    assert "finished" in over


def test_the_poll_asks_few_questions(study, rita, django_assert_max_num_queries):
    run = start(study, "em", "f1", "recall")
    rita.get(url("run", run.pk), headers=HTMX)
    # Session, person, project, roles, run, rows by state, versions, one count for each, pace, heartbeat.
    with django_assert_max_num_queries(14):
        rita.get(url("run", run.pk), headers=HTMX)


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_cancel_and_resume(headers, study, rita, woken):
    run = start(study, "em")
    stopped = rita.post(url("cancel-run", run.pk), headers=headers)
    run.refresh_from_db()
    assert run.state == "cancelled"
    again = rita.post(url("resume-run", run.pk), headers=headers)
    run.refresh_from_db()
    assert run.state == "running"
    assert woken == [run.pk]
    for answer in (stopped, again):
        assert answer.status_code == (200 if headers else 302)
    if headers:
        assert "Resume" in stopped.content.decode()
        assert "hx-trigger" not in stopped.content.decode()
        assert "every 1500ms" in again.content.decode()
    assert list(run.project.events.values_list("verb", flat=True))[-2:] == ["cancel_run", "resume_run"]


def test_a_finished_run_is_neither_cancelled_nor_resumed(study, rita, woken):
    run = finish(start(study, "em"))
    for door in ("cancel-run", "resume-run"):
        assert rita.post(url(door, run.pk)).status_code == 302
    run.refresh_from_db()
    assert run.state == "finished"
    assert woken == []
    assert rita.get(url("cancel-run", run.pk)).status_code == 405


def test_it_is_said_when_no_worker_shows_itself(study, rita):
    run = start(study, "em")
    for page in (url("runs"), url("run", run.pk)):
        assert "No worker has shown itself" in rita.get(page).content.decode()
    beat(worker="w", at=timezone.now())
    for page in (url("runs"), url("run", run.pk)):
        assert "No worker has shown itself" not in rita.get(page).content.decode()
        assert "1 worker ready" in rita.get(page).content.decode()
    beat(worker="w", at=timezone.now() - timedelta(minutes=5))
    assert "No worker has shown itself" in rita.get(url("runs")).content.decode()


def test_pace_is_of_late(study):
    now = timezone.now()
    run = start(study, "em")
    assert pace_of(run, now) is None
    finish(run)
    Score.objects.update(at=now - timedelta(seconds=10))
    Run.objects.update(started_at=now - timedelta(hours=1))
    run.refresh_from_db()
    assert pace_of(run, now) == pytest.approx(0.7)
    assert pace_of(run, now + timedelta(minutes=5)) is None


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "1 s"), (89, "89 s"), (600, "10 min"), (5400, "1.5 h")])
def test_durations(seconds, words):
    assert duration(timedelta(seconds=seconds)) == words


def test_programs_start_watch_and_stop(study, rita, woken):
    started = rita.post(
        url("api-runs"), {"evaluators": ["em"], "where": {"hops": "1"}}, content_type="application/json"
    )
    assert started.status_code == 201
    (made,) = started.json()
    assert (made["evaluators"], made["where"], made["state"]) == (["em"], {"hops": "1"}, "running")
    assert woken == [made["run"]]
    run = Run.objects.get(pk=made["run"])
    watched = rita.get(url("api-run", run.pk)).json()
    assert (watched["n_total"], watched["n_done"]) == (3, 0)
    assert rita.post(url("api-cancel-run", run.pk)).json()["state"] == "cancelled"
    assert rita.post(url("api-resume-run", run.pk)).json()["state"] == "running"
    finish(run)
    assert rita.get(url("api-run", run.pk)).json()["outcomes"] == {"em": {"scored": 3, "failed": {}}}
    assert [one["run"] for one in rita.get(url("api-runs")).json()] == [run.pk]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"evaluators": []},
        {"evaluators": "em"},
        {"evaluators": ["nope"]},
        {"evaluators": ["em"], "where": {"hops": "9"}},
        {"evaluators": ["em"], "where": ["hops"]},
        {"evaluators": ["em"], "where": {"hops": "\x00"}},
        {"evaluators": ["em"], "where": {"\x00": "1"}},
    ],
)
def test_programs_are_refused_in_words(sent, rita):
    answer = rita.post(url("api-runs"), sent, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()
    assert not Run.objects.exists()
