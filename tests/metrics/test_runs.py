"""Rows are the queue: whatever happens to messages and workers, each unit ends with one outcome."""

import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from metrics import tasks
from metrics.actions import chunks
from metrics.actions.chunks import claim_chunk, store_chunk, work_once
from metrics.actions.runs import NothingToScore, cancel_run, resume_run, start_runs
from metrics.evaluators import UnknownMetricError, get_metric
from metrics.models import EvaluatorVersion, Run, RunItem, Score
from metrics.querysets import progress_of, runs_awaiting_work
from tests.makers import load_rows, response

pytestmark = pytest.mark.django_db
PASSAGES = [{"id": "p", "text": "Paris is the capital of France."}]


@pytest.fixture
def study(db, tmp_path):
    rows = [
        response(item=f"q{n}", question="Capital?", references=["Paris"], passages=PASSAGES) for n in range(7)
    ]
    return load_rows(tmp_path, [*rows, response(item="bare")])


def start(project, *keys, **options):
    (run,) = start_runs(project=project, keys=keys, by=None, at=timezone.now(), **options)
    return run


def work(run):
    while work_once(run=run, at=timezone.now()):
        pass
    run.refresh_from_db()
    return run


def outcomes():
    return Counter(Score.objects.values_list("version__evaluator__key", "failure"))


def test_every_unit_has_one_outcome(study):
    run = work(start(study, "em", "k_precision"))
    assert run.state == "finished"
    assert outcomes() == {
        ("em", ""): 7,
        ("em", "not_applicable"): 1,
        ("k_precision", ""): 7,
        ("k_precision", "not_applicable"): 1,
    }
    missing = Score.objects.get(version__evaluator__key="em", failure="not_applicable")
    assert (missing.value, missing.reason) == (None, "no references")


def test_the_same_version_costs_nothing_again(study):
    work(start(study, "em"))
    assert start_runs(project=study, keys=["em"], by=None, at=timezone.now()) == []
    assert study.runs.count() == 1
    assert start(study, "em", "f1").items.count() == 8


def test_a_run_is_refused_before_it_starts(study, tmp_path):
    with pytest.raises(UnknownMetricError, match="choose one of em"):
        start(study, "emm")
    bare = load_rows(tmp_path, [response()], slug="bare")
    with pytest.raises(NothingToScore, match="k_f1 needs passages"):
        start(bare, "k_f1")
    with pytest.raises(NothingToScore, match="no units with topic=x"):
        start(study, "em", where={"topic": "x"})
    assert not Run.objects.exists()


def test_where_keeps_to_some_units(db, tmp_path):
    rows = [
        response(item=f"q{n}", references=["a"], attributes={"n": n, "odd": bool(n % 2)}) for n in range(5)
    ]
    study = load_rows(tmp_path, rows)
    assert start(study, "em", where={"odd": "true"}).items.count() == 2
    assert start(study, "em", where={"n": "3"}).items.count() == 1
    assert start(study, "f1", where={"system": "alpha"}).items.count() == 5


@pytest.mark.parametrize("attribute", ["a__b", "n__gt", "x' OR 1=1 --", "pk", ""])
def test_an_attribute_name_never_becomes_a_lookup(study, attribute):
    with pytest.raises(NothingToScore):
        start(study, "em", where={attribute: "1"})


def test_a_metric_that_fails_on_a_unit_does_not_stop_the_others(study, monkeypatch):
    calls = iter([ZeroDivisionError("on purpose"), float("nan"), float("inf"), 1.5])

    def compute(_):
        outcome = next(calls, 0.5)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    metric = get_metric("em")
    monkeypatch.setattr(
        chunks,
        "get_metric",
        lambda _: type(metric)(
            **{name: compute if name == "compute" else getattr(metric, name) for name in metric.__slots__}
        ),
    )
    work(start(study, "em"))
    assert outcomes() == {
        ("em", ""): 3,
        ("em", "error"): 1,
        ("em", "out_of_range"): 1,
        ("em", "not_finite"): 2,
        ("em", "not_applicable"): 1,
    }
    assert Score.objects.get(failure="error").reason == "ZeroDivisionError: on purpose"


def test_a_dead_workers_rows_are_taken_up_when_its_lease_ends(study):
    run = start(study, "em")
    claim_chunk(run=run, lease=uuid.uuid4())
    assert not work_once(run=run, at=timezone.now())
    assert not runs_awaiting_work().exists()
    RunItem.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert list(runs_awaiting_work()) == [run]
    assert work(run).state == "finished"
    assert sum(outcomes().values()) == 8


def test_a_worker_that_comes_back_late_changes_nothing(study):
    run = start(study, "em")
    late = uuid.uuid4()
    items = claim_chunk(run=run, lease=late)
    versions = [(get_metric("em"), run.versions.get())]
    computed = chunks._compute(items, versions)
    RunItem.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    work(run)
    before = list(Score.objects.values())
    store_chunk(lease=late, scores=computed)
    assert list(Score.objects.values()) == before


def test_a_unit_that_kills_its_worker_is_left_alone_at_last(study):
    run = start(study, "em")
    poison = run.items.order_by("pk")[3].pk

    def die_or_work():
        lease = uuid.uuid4()
        items = claim_chunk(run=run, lease=lease)
        if any(item.pk == poison and item.attempts <= chunks.MOST_ATTEMPTS for item in items):
            RunItem.objects.filter(lease=lease).update(lease_until=timezone.now() - timedelta(seconds=1))
        else:
            store_chunk(lease=lease, scores=chunks._compute(items, [(get_metric("em"), run.versions.get())]))
        return bool(items)

    turns = 0
    while die_or_work():
        turns += 1
    assert turns < 30
    assert outcomes()["em", "poison"] == 1
    assert sum(outcomes().values()) == 8


def test_messages_may_come_any_number_of_times(study):
    run = start(study, "em", "f1")
    for _ in range(3):
        tasks.work_on(run_id=run.pk)
    tasks.work_on(run_id=999_999)
    run.refresh_from_db()
    assert (run.state, sum(outcomes().values())) == ("finished", 16)
    assert study.events.filter(verb="finish_run").count() == 1


def test_a_cancelled_run_stops_and_can_go_on(study, settings):
    settings.RUN_CHUNK = 3
    run = start(study, "em")
    work_once(run=run, at=timezone.now())
    assert cancel_run(run=run, by=None, at=timezone.now())
    assert not work_once(run=run, at=timezone.now())
    assert not runs_awaiting_work().exists()
    assert progress_of(run).n_left == 5
    assert not cancel_run(run=run, by=None, at=timezone.now())
    assert resume_run(run=run, by=None)
    assert work(run).state == "finished"
    assert sum(outcomes().values()) == 8


@pytest.mark.parametrize(
    "broken",
    [
        {"value": None, "failure": ""},
        {"value": 0.5, "failure": "timeout"},
        {"value": float("inf"), "failure": ""},
        {"value": float("nan"), "failure": ""},
    ],
)
def test_the_database_refuses_what_is_neither_value_nor_failure(study, broken):
    run = start(study, "em")
    with pytest.raises(IntegrityError), transaction.atomic():
        Score.objects.create(unit=study.units.first(), version=run.versions.get(), **broken)


def test_the_database_refuses_a_second_outcome(study):
    run = work(start(study, "em"))
    with pytest.raises(IntegrityError), transaction.atomic():
        Score.objects.create(unit=study.units.first(), version=run.versions.get(), value=1)


def test_another_revision_is_another_version(study, monkeypatch):
    start(study, "em")
    metric = get_metric("em")
    changed = type(metric)(
        **{name: 99 if name == "revision" else getattr(metric, name) for name in metric.__slots__}
    )
    monkeypatch.setattr("metrics.actions.runs.get_metric", lambda _: changed)
    assert start(study, "em").items.count() == 8
    assert EvaluatorVersion.objects.count() == 2
