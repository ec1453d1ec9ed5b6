"""Out and in again: the same project."""

import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotate.actions.settlement import set_settlement
from annotate.models import Gold, Project
from metrics.actions.chunks import work_once
from metrics.actions.runs import start_runs
from tests.makers import ATTRIBUTION, CORRECTNESS, SIMILARITY, hand, label_next, labelled, load_rows, response

pytestmark = pytest.mark.django_db

PASSAGE = {
    "id": "p1",
    "title": "T",
    "text": "One 🗼 two.",
    "context": "gold",
    "relevant": None,
    "cite_as": "A, 2019, p.4",
}


@pytest.fixture
def study(db, tmp_path):
    rows = [
        labelled(
            "correct",
            "incorrect",
            item="emoji 👩‍👩‍👧",
            passages=[PASSAGE],
            attributes={"n": 1, "b": True, "x": None},
            history=["a", "b"],
            scores=[{"evaluator": "gpt@v:1", "value": None, "failure": "timeout"}],
        ),
        labelled(
            "correct",
            item="q2",
            references=["r"],
            claims=[{"id": "c1", "text": "Par", "start": 0, "end": 3}],
            adjudications=[{"by": "z", "labels": {"correctness": "incorrect"}, "reason": "why"}],
        ),
        response(
            item="q3",
            text="a\r\nb  c",
            context="gold",
            annotations=[{"annotator": "a", "labels": {"similarity": 3.5}}],
        ),
    ]
    project = load_rows(tmp_path, rows, criteria=(CORRECTNESS, SIMILARITY, ATTRIBUTION))
    for run in start_runs(project=project, keys=["em"], by=None, at=timezone.now()):
        while work_once(run=run, at=timezone.now()):
            pass
    return project


def exported(project, path):
    call_command("export", project.slug, out=path)
    return path.read_text(encoding="utf-8")


def test_an_export_loads_as_the_same_project(study, tmp_path):
    first = exported(study, tmp_path / "one.jsonl")
    call_command("load", "copy", tmp_path / "one.jsonl")
    assert exported(Project.objects.get(slug="copy"), tmp_path / "two.jsonl") == first
    assert gold_of("copy") == gold_of("study")


def gold_of(slug):
    rows = Gold.objects.filter(unit__project__slug=slug).order_by("unit", "criterion")
    return list(rows.values_list("unit__response__item__key", "criterion__key", "value", "origin"))


def test_a_third_label_comes_back_as_one(db, tmp_path):
    project = load_rows(tmp_path, [response()])
    set_settlement(project=project, settlement="third", by=None)
    for name, value in (("ann", "correct"), ("bob", "incorrect"), ("cem", "incorrect")):
        label_next(hand(name, project), correctness=value)
    text = exported(project, tmp_path / "one.jsonl")
    line = json.loads(text.splitlines()[1])
    assert [entry["annotator"] for entry in line["annotations"]] == ["ann", "bob"]
    assert [(entry["by"], entry["how"]) for entry in line["adjudications"]] == [("cem", "third annotator")]
    call_command("load", "copy", tmp_path / "one.jsonl")
    assert gold_of("copy") == gold_of("study") == [("q1", "correctness", "incorrect", "majority")]


def test_an_export_is_loaded_into_its_own_project_without_a_change(study, tmp_path):
    before = exported(study, tmp_path / "one.jsonl")
    call_command("load", "study", tmp_path / "one.jsonl")
    assert exported(study, tmp_path / "two.jsonl") == before
