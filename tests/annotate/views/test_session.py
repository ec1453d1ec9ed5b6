"""Signing in and out."""

import pytest
from django.urls import reverse

from tests.annotate.views.pages import Sheet

NAME, PASSWORD = "ada", "four-words-of-no-meaning"


@pytest.fixture
def ada(people):
    people.ada.set_password(PASSWORD)
    people.ada.save()
    return people.ada


def sign_in(client, password=PASSWORD, **more):
    return client.post(reverse("sign-in"), {"username": NAME, "password": password, **more})


def test_the_page_asked_for_opens_after_signing_in(client, ada, project):
    answer = sign_in(client, next=f"/p/{project.slug}/desk/")
    assert answer["Location"] == f"/p/{project.slug}/desk/"


def test_another_site_is_never_the_next_page(client, ada):
    assert sign_in(client, next="https://evil.example/")["Location"] == "/"


def test_a_wrong_password_is_said_in_words(client, ada):
    assert b"do not go together" in sign_in(client, "wrong").content


def test_too_many_tries_close_the_door_in_words(client, ada, settings):
    settings.AXES_ENABLED = True
    for _ in range(10):
        answer = sign_in(client, "wrong")
    assert answer.status_code == 429
    assert b"Too many tries" in answer.content
    assert sign_in(client).status_code == 429


def test_signing_out_is_no_link(client, ada):
    sign_in(client)
    assert client.get(reverse("sign-out")).status_code == 405
    assert client.post(reverse("sign-out"))["Location"] == reverse("sign-in")


def test_a_form_from_before_signing_in_again_is_refused_in_words(ada, project):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    url = reverse("desk", args=[project.slug])
    form = Sheet(strict.get(url)).filled(correctness="correct", relevant="no")
    strict.cookies["csrftoken"] = "x" * 32
    answer = strict.post(url, form)
    assert answer.status_code == 403
    assert b"Please send it again" in answer.content


def test_a_changed_password_holds(client, ada):
    sign_in(client)
    new = {"old_password": PASSWORD, "new_password1": "another-fine-one", "new_password2": "another-fine-one"}
    assert client.post(reverse("password"), new)["Location"] == "/"
    assert client.login(username=NAME, password="another-fine-one")


@pytest.mark.parametrize("name", ["404.html", "403.html", "403_csrf.html"])
def test_error_pages_render_without_a_request(name):
    from django.template.loader import render_to_string

    assert "My projects" in render_to_string(name)


def test_the_page_of_a_crash_stands_alone():
    from django.template.loader import render_to_string

    assert "Something broke" in render_to_string("500.html")
