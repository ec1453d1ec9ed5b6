"""What these tests read of a page and send from it, as a browser would."""

import re
from html.parser import HTMLParser

CLOCKS = {"Date", "Expires"}
NONCE = re.compile(rb'name="(csrfmiddlewaretoken|key)" value="[^"]*"')


class _Form(HTMLParser):
    """Fields of the form that labels: hidden ones, and the choices by criterion."""

    def __init__(self, form_id):
        super().__init__()
        self.form_id, self.inside = form_id, False
        self.fields, self.questions, self.hidden = {}, {}, set()
        self.question = None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.inside = given.get("id") == self.form_id
        if not self.inside:
            return
        if tag == "fieldset":
            self.question = given["data-key"]
            if "hidden" in given:
                self.hidden.add(self.question)
        if tag == "input" and given.get("type") == "hidden":
            self.fields[given["name"]] = given.get("value") or ""
        elif tag == "input" and self.question and given.get("name"):
            self.questions.setdefault(self.question, given["name"])
            if "checked" in given or given.get("type") == "number":
                self.fields[given["name"]] = given.get("value") or ""

    def handle_endtag(self, tag):
        if tag == "fieldset":
            self.question = None


class Sheet:
    """A desk page: what it holds hidden, which questions it asks."""

    def __init__(self, page):
        form = _Form("labels")
        form.feed(page.content.decode())
        self.fields, self.questions, self.hidden = form.fields, form.questions, form.hidden

    @property
    def unit(self):
        return self.fields.get("unit")

    def filled(self, comment="", **labels):
        """The form with these labels chosen, by criterion."""
        chosen = {self.questions[key]: value for key, value in labels.items()}
        return {**self.fields, **chosen, "comment": comment}

    def chosen(self, key):
        return self.fields.get(self.questions[key])


def without_nonces(page):
    """A page's bytes and headers but for what is random on every page."""
    headers = sorted((name, value) for name, value in page.headers.items() if name not in CLOCKS)
    return NONCE.sub(b"", page.content), headers
