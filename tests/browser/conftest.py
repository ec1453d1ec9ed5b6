"""A real browser against the live server. Any console error or CSP report fails the test that caused it."""

import os
import re

import pytest
from django.db import connections
from playwright.sync_api import sync_playwright

from tests.conftest import PASSWORD
from tests.services import chromium, need

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# What a browser says of an answer that the test asked for.
EXPECTED = re.compile(
    r"(status of|Error Code) (401|403|409|422|500)|htmx:(sendError|afterRequest)"
    r"|ERR_(FAILED|INTERNET_DISCONNECTED|CONNECTION_REFUSED)"
)


@pytest.fixture(scope="session")
def browser():
    path = chromium()
    need(path is not None, "Chromium: set CHROMIUM or put it on the path")
    # Playwright's loop runs in this thread; the ORM is used from it too, one after the other.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture(autouse=True)
def _real_rows(transactional_db):
    """The server answers in another thread: it sees only what is committed."""
    yield
    connections.close_all()


@pytest.fixture
def complaints():
    """What the browser complained of: script errors, CSP reports, failed loads."""
    heard = []
    yield heard
    assert [one for one in heard if not EXPECTED.search(one)] == []


@pytest.fixture
def visit(browser, live_server, complaints):
    """A window, signed in as somebody: `visit(people.ada, "/p/study/desk/")`."""
    contexts = []

    def opened(somebody=None, path="/", **options):
        context = browser.new_context(
            base_url=live_server.url, viewport={"width": 1440, "height": 900}, **options
        )
        context.set_default_timeout(8000)
        contexts.append(context)
        page = listened(context.new_page(), complaints)
        if somebody is not None:
            sign_in(page, somebody)
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()


def listened(page, complaints):
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page


def sign_in(page, somebody):
    if not somebody.has_usable_password() or not somebody.check_password(PASSWORD):
        somebody.set_password(PASSWORD)
        somebody.save()
    page.goto("/accounts/sign-in/")
    page.fill("[name=username]", somebody.username)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(lambda url: "sign-in" not in url)
