"""Every door of the room and every role: figures tell of other people's labels, so annotators stay out."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from metrics.actions.runs import start_runs
from metrics.urls import urlpatterns

SEEN, GONE, MOVED, REFUSED = 200, 404, 302, 403
NAMES = ("ada", "cleo", "rita", "adam", "oscar")
MAY = {"rita", "adam"}
TABLE, RUN = {"key": "agreement"}, {"pk": None}
READ = {
    "agreement": {},
    "runs": {},
    "run": RUN,
    "tables": {},
    "table": TABLE,
    "export-table": {**TABLE, "form": "csv"},
    "api-tables": {},
    "api-table": TABLE,
    "api-runs": {},
    "api-run": RUN,
}
WRITE = {
    "runs": {},
    "cancel-run": RUN,
    "resume-run": RUN,
    "api-runs": {},
    "api-cancel-run": RUN,
    "api-resume-run": RUN,
}


@pytest.fixture
def url_of(project):
    (run,) = start_runs(project=project, keys=["k_f1"], by=None, at=timezone.now())

    def url(name, words):
        given = {key: run.pk if value is None else value for key, value in words.items()}
        return reverse(name, kwargs={"slug": project.slug, **given})

    return url


def test_every_door_of_the_room_is_listed():
    assert {pattern.name for pattern in urlpatterns} == READ.keys() | WRITE.keys() | {"api-projects"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("door", READ)
@pytest.mark.parametrize("fragment", [False, True])
def test_researchers_and_admins_read(door, name, fragment, url_of, people, signed_in):
    headers = {"HX-Request": "true"} if fragment else {}
    answer = signed_in(getattr(people, name)).get(url_of(door, READ[door]), headers=headers)
    assert answer.status_code == (SEEN if name in MAY else GONE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("door", WRITE)
def test_researchers_and_admins_start_and_stop(door, name, url_of, people, signed_in):
    answer = signed_in(getattr(people, name)).post(url_of(door, WRITE[door]))
    assert (answer.status_code == GONE) == (name not in MAY)


@pytest.mark.parametrize("door", [*READ, "api-projects"])
def test_who_is_not_signed_in_learns_nothing(door, url_of, client):
    url = reverse(door) if door == "api-projects" else url_of(door, READ[door])
    answer = client.get(url)
    assert answer.status_code == (REFUSED if door.startswith("api-") else MOVED)
    assert client.get(url, headers={"HX-Request": "true"}).status_code in {401, REFUSED}


@pytest.mark.parametrize("door", ["agreement", "runs", "tables", "api-tables", "api-runs"])
def test_a_project_that_is_not_there_looks_like_one_that_is_closed(door, people, signed_in):
    answer = signed_in(people.rita).get(reverse(door, args=["elsewhere"]))
    assert answer.status_code == GONE


def test_a_run_of_another_project_is_not_found(url_of, people, signed_in, load):
    other = load([{"item": "q", "system": "s", "response": "r", "references": ["r"]}], slug="other")
    (run,) = start_runs(project=other, keys=["em"], by=None, at=timezone.now())
    rita = signed_in(people.rita)
    for door in ("run", "api-run"):
        assert rita.get(reverse(door, args=["study", run.pk])).status_code == GONE
        assert rita.get(reverse(door, args=["study", 2**70])).status_code == GONE
    for door in ("cancel-run", "resume-run", "api-cancel-run", "api-resume-run"):
        assert rita.post(reverse(door, args=["study", run.pk])).status_code == GONE
    run.refresh_from_db()
    assert run.state == "running"


def test_my_projects(people, signed_in, load):
    load([{"item": "q", "system": "s", "response": "r"}], slug="other")
    mine = signed_in(people.ada).get(reverse("api-projects")).json()
    assert [(one["slug"], one["roles"]) for one in mine] == [("study", ["annotator"])]
    assert signed_in(people.oscar).get(reverse("api-projects")).json() == []


def test_a_write_needs_the_token(project, people):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(people.rita)
    assert strict.post(reverse("runs", args=["study"]), {"key": "k_f1"}).status_code == REFUSED
    assert strict.post(reverse("api-runs", args=["study"]), {"evaluators": ["k_f1"]}).status_code == REFUSED
    assert not project.runs.exists()
