"""A new scheme is a file, never code."""

import json

import pytest

from annotate.actions.schemes import SchemeRefused, apply_scheme, scheme_path, scheme_paths
from annotate.importers.rows import Unreadable
from annotate.models import Unit
from tests.makers import empty_project, load_rows, response

pytestmark = pytest.mark.django_db
KEYS = {
    "autoais-attribution": ["attribution"],
    "freshqa": ["relaxed", "strict"],
    "instructqa-correctness": ["correctness"],
    "instructqa-faithfulness": ["passage_relevant", "faithfulness"],
    "queryloop-similarity": ["similarity"],
    "queryloop-verdict": ["verdict"],
    "synsciqa-entailment": ["entailment"],
}


def test_the_ready_made_ones_are_those_of_the_papers():
    assert set(scheme_paths()) == set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_each_can_be_applied_and_applied_again(key):
    project = empty_project()
    for _ in range(2):
        apply_scheme(project=project, path=scheme_path(key), by=None)
    assert [criterion.key for criterion in project.criteria.all()] == KEYS[key]
    assert project.guidelines.count() == 1
    assert project.events.filter(verb="apply_scheme").count() == 1


def test_a_second_scheme_goes_under_the_first():
    project = empty_project()
    apply_scheme(project=project, path=scheme_path("freshqa"), by=None)
    apply_scheme(project=project, path=scheme_path("instructqa-correctness"), by=None)
    assert [guideline.version for guideline in project.guidelines.all()] == [1, 2]
    assert project.guidelines.last().text.startswith(project.guidelines.first().text)


def test_a_scheme_about_claims_opens_their_slots(tmp_path):
    project = load_rows(tmp_path, [response(claims=[{"id": "c", "text": "x"}])])
    assert not Unit.objects.get(claim__key="c").slots.exists()
    apply_scheme(project=project, path=scheme_path("autoais-attribution"), by=None)
    unit = Unit.objects.get(claim__key="c")
    assert (unit.state, unit.slots.count()) == ("open", 2)


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(
        json.dumps(
            {
                "key": "mine",
                "name": "Mine",
                "criteria": [{"key": "grade", "scale": "ordinal", "categories": ["low", "mid", "high"]}],
            }
        )
    )
    project = empty_project()
    apply_scheme(project=project, path=scheme_path(str(path)), by=None)
    assert [category["number"] for category in project.criteria.get().categories] == [0, 1, 2]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"key": "x", "name": "X", "criteria": []}, "criteria: is empty"),
        (
            {"key": "x", "name": "X", "criteria": [{"key": "c", "scale": "nominal", "categories": ["one"]}]},
            "at least two",
        ),
        (
            {"key": "x", "name": "X", "criteria": [{"key": "c", "scale": "rank"}]},
            "expected one of nominal, ordinal",
        ),
        (
            {"key": "x", "name": "X", "criteria": [{"key": "c", "categories": ["a", "a"]}]},
            "names a value twice",
        ),
        (
            {"key": "x", "name": "X", "criteria": [{"key": "c", "categories": ["a", "b"], "colour": 1}]},
            "no such field",
        ),
        (
            {
                "key": "x",
                "name": "X",
                "criteria": [
                    {"key": "c", "categories": ["a", "b"], "show_if": {"criterion": "d", "values": ["e"]}}
                ],
            },
            "no criterion before",
        ),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_added(tmp_path, raw, message):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(raw))
    project = empty_project()
    with pytest.raises(SchemeRefused, match=message):
        apply_scheme(project=project, path=path, by=None)
    assert not project.criteria.exists()


def test_a_scheme_that_is_not_there_or_no_json(tmp_path):
    with pytest.raises(ValueError, match="No scheme 'x'; choose one of autoais"):
        scheme_path("x")
    path = tmp_path / "bad.json"
    path.write_text("{")
    with pytest.raises(Unreadable):
        apply_scheme(project=empty_project(), path=path, by=None)
