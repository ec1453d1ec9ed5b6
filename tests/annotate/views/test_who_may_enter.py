"""Every page and every role. A page that is not in the list fails the test."""

import pytest
from django.urls import reverse

from annotate.urls import urlpatterns
from tests.annotate.views.pages import without_nonces

SEEN, GONE, MOVED = 200, 404, 302
EVERYBODY = {"ada", "cleo", "rita", "adam"}
# Page -> who may open it. The others get what a wrong address gets; who is not signed in goes to sign-in.
PAGES = {
    "project": EVERYBODY,
    "desk": {"ada", "adam"},
    "adjudicate": {"cleo", "adam"},
    "guideline": EVERYBODY,
    "people": {"adam"},
    "settings": {"adam"},
}
# Form -> who may send it.
FORMS = {
    "settings-settlement": {"adam"},
    "settings-scheme": {"adam"},
    "settings-criterion": {"adam"},
    "settings-guideline": {"adam"},
}
OF_NO_PROJECT = {"home", "sign-in", "sign-out", "password", "health"}
NAMES = ("ada", "cleo", "rita", "adam", "oscar")


def test_every_page_of_the_room_is_listed():
    assert {pattern.name for pattern in urlpatterns} == PAGES.keys() | FORMS.keys() | OF_NO_PROJECT


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_for_its_roles_alone(page, name, project, people, signed_in):
    answer = signed_in(getattr(people, name)).get(reverse(page, args=[project.slug]))
    assert answer.status_code == (SEEN if name in PAGES[page] else GONE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", [*FORMS, "desk", "adjudicate", "people"])
def test_a_form_is_taken_from_its_roles_alone(page, name, project, people, signed_in):
    answer = signed_in(getattr(people, name)).post(reverse(page, args=[project.slug]), {"unit": "?"})
    may = name in (FORMS.get(page) or PAGES[page])
    # An admin's empty form is refused in words; a unit that is not there is not found.
    expected = 404 if not may or page in ("desk", "adjudicate") else 422
    assert answer.status_code == expected


@pytest.mark.parametrize("page", [*PAGES, *FORMS])
def test_who_is_not_signed_in_goes_to_sign_in(page, project, client):
    answer = client.get(reverse(page, args=[project.slug]))
    assert answer.status_code == MOVED
    assert answer["Location"].startswith(reverse("sign-in"))


@pytest.mark.parametrize("page", [*PAGES, *FORMS])
def test_a_fragment_is_never_answered_with_the_sign_in_page(page, project, client):
    answer = client.post(reverse(page, args=[project.slug]), headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert b"<" not in answer.content


@pytest.mark.parametrize("page", PAGES)
def test_another_project_is_as_if_it_were_not_there(page, project, people, load, signed_in):
    other = load([{"item": "x", "system": "y", "response": "z"}], slug="other")
    mine = signed_in(people.adam)
    there = mine.get(reverse(page, args=[other.slug]))
    nowhere = mine.get(reverse(page, args=["no-such-project"]))
    assert (there.status_code, nowhere.status_code) == (404, 404)
    assert without_nonces(there) == without_nonces(nowhere)


def test_home_shows_only_my_projects(project, people, load, signed_in):
    load([{"item": "x", "system": "y", "response": "z"}], slug="secret-study")
    assert b"Study" in signed_in(people.ada).get("/").content
    page = signed_in(people.oscar).get("/")
    assert b"No project yet" in page.content
    assert b"Study" not in page.content


@pytest.mark.parametrize(
    ("name", "rooms"),
    [
        ("ada", {"Overview", "Desk"}),
        ("cleo", {"Overview", "Adjudicate"}),
        ("adam", {"Overview", "Desk", "Adjudicate", "People", "Settings"}),
    ],
)
def test_the_rail_shows_the_rooms_of_the_role(name, rooms, project, people, signed_in):
    page = signed_in(getattr(people, name)).get(f"/p/{project.slug}/").content.decode()
    every = {"Overview", "Desk", "Adjudicate", "People", "Settings", "Agreement", "Runs", "Tables"}
    shown = {word for word in every if f">{word}</a>" in page}
    assert rooms <= shown
    assert name == "adam" or shown == rooms


def test_health_is_open_to_anyone(client, db):
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()) == (200, {"database": "ok"})


def test_the_operator_of_the_site_is_an_admin_everywhere(project, django_user_model, signed_in):
    operator = django_user_model.objects.create_superuser("root")
    client = signed_in(operator)
    assert b"Study" in client.get("/").content
    assert client.get(f"/p/{project.slug}/settings/").status_code == SEEN
