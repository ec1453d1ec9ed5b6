"""The cast: who holds which role in the study, and who holds none."""

from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.test import Client

from annotate.models import Annotator, Person, Project, Unit
from tests.makers import CORRECTNESS, RELEVANT, SUPPORT, hand, load_rows, person, response

TOUCHES_ROWS = {"db", "transactional_db", "django_db_serialized_rollback", "live_server"}
PASSWORD = "four-words-of-no-meaning"


def pytest_configure(config):
    config.addinivalue_line("markers", "rows: reads or writes rows, so it runs on both databases")


def pytest_collection_modifyitems(items):
    """A browser is slow and shows nothing about databases: its tests run on one."""
    for item in items:
        touches = TOUCHES_ROWS & set(getattr(item, "fixturenames", ())) or item.get_closest_marker(
            "django_db"
        )
        if touches and "browser" not in item.path.parts:
            item.add_marker(pytest.mark.rows)


@dataclass(frozen=True)
class People:
    """ada and ben label; cleo decides; rita sees figures; adam runs the study; oscar may see nothing."""

    ada: Person
    ben: Person
    cleo: Person
    rita: Person
    adam: Person
    oscar: Person


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()


@pytest.fixture
def load(db, tmp_path):
    """Load rows of the interchange format into a project: `load([response(...)], criteria=[...])`."""

    def loaded(rows, **options) -> Project:
        return load_rows(tmp_path, rows, **options)

    return loaded


@pytest.fixture
def project(load) -> Project:
    """Four questions about one passage each, unlabelled; support is asked where the passage is relevant."""
    passages = [
        {"id": "p1", "title": "A river", "text": "The river runs through the town.", "context": "gold"}
    ]
    rows = [
        response(item=f"q{n}", text=f"Answer {n}.", question=f"Question {n}?", passages=passages)
        for n in range(4)
    ]
    return load(rows, criteria=[CORRECTNESS, RELEVANT, SUPPORT])


@pytest.fixture
def people(project) -> People:
    return People(
        ada=person("ada", project, "annotator"),
        ben=person("ben", project, "annotator"),
        cleo=person("cleo", project, "adjudicator"),
        rita=person("rita", project, "researcher"),
        adam=person("adam", project, "admin"),
        oscar=person("oscar", project),
    )


@pytest.fixture
def signed_in():
    """A client with somebody signed in: `signed_in(people.ada)`."""

    def client_of(somebody: Person) -> Client:
        client = Client()
        client.force_login(somebody)
        return client

    return client_of


def hand_in(project: Project, somebody: Person) -> Annotator:
    return hand(somebody.username, project, *somebody.memberships.values_list("role", flat=True))


def first_unit(project: Project) -> Unit:
    unit = project.units.order_by("pk").first()
    assert unit is not None
    return unit
