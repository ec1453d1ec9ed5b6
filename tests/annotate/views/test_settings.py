"""Setting a study up in the browser: policy, schemes, own criteria, guideline, people."""

import re

import pytest
from django.urls import reverse

from annotate.models import Event, Person
from tests.makers import response


@pytest.fixture
def adam(people, signed_in):
    return signed_in(people.adam)


@pytest.fixture
def send(adam, project):
    def sent(page, /, **data):
        return adam.post(reverse(page, args=[project.slug]), data)

    return sent


OWN = {
    "key": "tone",
    "name": "Tone",
    "question": "Is it polite?",
    "level": "response",
    "scale": "ordinal",
    "categories": "yes | Polite | 2 | *\nso-so | | 1\nno | *",
}


def test_the_policy_is_stored_with_its_event(send, project):
    assert send("settings-settlement", settlement="third").status_code == 302
    project.refresh_from_db()
    assert project.settlement == "third"
    assert Event.objects.get(verb="set_settlement").by.username == "adam"


def test_an_unknown_policy_is_refused_in_words(send, project):
    answer = send("settings-settlement", settlement="dice")
    assert answer.status_code == 422
    assert b"choose one of adjudicator, third" in answer.content


def test_a_ready_made_scheme_brings_its_criteria_and_guideline(send, project, adam):
    assert send("settings-scheme", scheme="freshqa").status_code == 302
    assert {"relaxed", "strict"} <= set(project.criteria.values_list("key", flat=True))
    page = adam.get(reverse("guideline", args=[project.slug]))
    assert b"<h1>Does the response deserve credit?" in page.content
    assert b"<table>" in page.content


def test_a_scheme_that_does_not_fit_says_why(adam, load, project):
    send_to = load([response()], slug="fit", criteria=[{"key": "similarity", "categories": ["a", "b"]}])
    send_to.memberships.create(person=Person.objects.get(username="adam"), role="admin")
    url = reverse("settings-scheme", args=["fit"])
    answer = adam.post(url, {"scheme": "queryloop-similarity"})
    assert answer.status_code == 422
    assert b"give one of them another key" in answer.content


def test_a_file_of_the_server_is_no_scheme(send):
    assert send("settings-scheme", scheme="/etc/passwd.json").status_code == 422


def test_a_criterion_of_ones_own_is_asked(send, project):
    assert send("settings-criterion", **OWN).status_code == 302
    made = project.criteria.get(key="tone")
    assert [(c["value"], c["label"], c["number"], c["positive"]) for c in made.categories] == [
        ("yes", "Polite", 2, True),
        ("so-so", "so-so", 1, False),
        ("no", "no", 2, True),
    ]


def test_a_numeric_criterion_has_bounds_and_a_condition(send, project):
    numeric = {"scale": "numeric", "categories": "", "minimum": "0", "maximum": "10", "step": "1"}
    asked = {"condition": "correctness", "condition_values": "correct, incorrect"}
    assert send("settings-criterion", **OWN | numeric | asked).status_code == 302
    made = project.criteria.get(key="tone")
    assert (made.minimum, made.maximum, made.step) == (0, 10, 1)
    assert made.show_if == {"criterion": "correctness", "values": ["correct", "incorrect"]}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"key": "correctness"}, "There is a criterion"),
        ({"key": ""}, "required"),
        ({"categories": "yes"}, "needs at least two"),
        ({"categories": "yes\nyes"}, "names a value twice"),
        ({"scale": "numeric", "minimum": "5", "maximum": "1"}, "not above"),
        ({"condition": "nothing", "condition_values": "x"}, "is no criterion"),
        ({"condition": "correctness"}, "Say at which answers"),
        ({"condition": "correctness", "condition_values": "maybe"}, "is no answer there"),
    ],
)
def test_a_wrong_criterion_is_refused_in_words_and_kept(wrong, words, send, project):
    answer = send("settings-criterion", **OWN | wrong)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert "Is it polite?" in answer.content.decode()
    assert not project.criteria.filter(key="tone").exists()


def test_a_guideline_gets_versions(send, project):
    for text in ("# One", "# Two", "# Two"):
        assert send("settings-guideline", text=text).status_code == 302
    assert list(project.guidelines.values_list("version", "text")) == [(1, "# One"), (2, "# Two")]
    assert send("settings-guideline", text="").status_code == 422


@pytest.mark.parametrize(
    "nasty",
    [
        "<script>alert(1)</script>",
        "![x](https://evil.example/x.png)",
        '<img src="https://evil.example/x.png">',
        '<button hx-post="/x">press</button>',
        "[x](javascript:alert(1))",
        '<p style="position:fixed">x</p>',
        "[x](data:text/html,<script>alert(1)</script>)",
        '<a id="main" href="//evil.example">x</a>',
    ],
)
def test_a_guideline_is_text_with_structure_and_nothing_more(nasty, send, project, adam):
    send("settings-guideline", text=f"# Title\n\n{nasty}\n")
    page = adam.get(reverse("guideline", args=[project.slug])).content.decode()
    prose = page[page.index("<h1>Title</h1>") : page.index("</main>")]
    assert not re.search(r"<(script|img|button|style|p style)|<[^>]*(hx-|javascript:|id=|data:)", prose)


def test_a_new_account_gets_a_password_that_is_shown_once(send, project, client):
    page = send("people", name="nora", role="annotator", make="").content.decode()
    password = re.search(r'<b class="mono">([^<]+)</b>', page).group(1)
    assert client.login(username="nora", password=password) or Person.objects.get(
        username="nora"
    ).check_password(password)
    assert project.memberships.get(person__username="nora").role == "annotator"
    assert password not in send("people", name="nora", role="annotator", make="").content.decode()


def test_an_existing_account_is_added(send, project, people):
    assert send("people", name="oscar", role="researcher", add="").status_code == 302
    assert project.memberships.filter(person=people.oscar, role="researcher").exists()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"name": "nobody", "role": "annotator", "add": ""}, "There is no account"),
        ({"name": "Oscar", "role": "annotator", "make": ""}, "already"),
        ({"name": "a b", "role": "annotator", "make": ""}, "valid username"),
        ({"name": "x", "role": "king", "make": ""}, "Select a valid choice"),
    ],
)
def test_a_person_who_cannot_be_added_is_said_in_words(form, words, send, project):
    answer = send("people", **form)
    assert answer.status_code == 422
    assert words in answer.content.decode()
