"""Submit and next over HTTP, signed in, against the real server on this machine; one JSON line a row."""

import argparse
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, sleep
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).parent))
from load import ROOT, set_up, write_study

PASSWORD = "bench-password"
HIDDEN = re.compile(r'name="(csrfmiddlewaretoken|unit|key|signed_as)" value="([^"]*)"')
ANSWER = re.compile(
    r'type="radio" name="(c\d+)" value="([^"]*)"|name="(c\d+)"[^>]*value="([^"]*)"[^>]*type="radio"'
)


class Annotator:
    """A person with a browser that keeps cookies and one connection."""

    def __init__(self, port: int, name: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.cookies: dict[str, str] = {}
        page = self.ask("GET", "/accounts/sign-in/")
        token = dict(HIDDEN.findall(page))["csrfmiddlewaretoken"]
        form = {"username": name, "password": PASSWORD, "csrfmiddlewaretoken": token}
        self.ask("POST", "/accounts/sign-in/", form, expect=(302,))
        self.page = self.ask("GET", "/p/bench/desk/")

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, expect=(200,)) -> str:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if form is not None:
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "HX-Request": "true",
                "X-CSRFToken": form["csrfmiddlewaretoken"],
            }
        self.connection.request(method, path, urlencode(form) if form else None, headers)
        answer = self.connection.getresponse()
        body = answer.read().decode()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        if answer.status not in expect:
            raise SystemExit(f"{method} {path} answered {answer.status}: {body[:500]}")
        self.size = len(body.encode())
        return body

    def submit(self) -> float:
        """Send the labels of the unit on the desk, receive the next; seconds."""
        form = dict(HIDDEN.findall(self.page))
        for match in ANSWER.findall(self.page):
            name, value = (match[0], match[1]) if match[0] else (match[2], match[3])
            form.setdefault(name, value)
        start = perf_counter()
        self.page = self.ask("POST", "/p/bench/desk/", form)
        return perf_counter() - start


def row(bench: str, n: int, times: list[float], **more: object) -> None:
    times = sorted(times)
    at = lambda share: round(1000 * times[min(int(share * len(times)), len(times) - 1)], 1)  # noqa: E731
    record = {
        "bench": bench,
        "n": n,
        "ours_p50_ms": at(0.5),
        "ours_p95_ms": at(0.95),
        "ours_max_ms": at(1),
        **more,
    }
    print(json.dumps(record), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=25_000, help="questions; four responses each")
    parser.add_argument("--labels", type=int, default=2000, help="labels of the one person")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        set_up(home)
        prepare(Path(home), arguments.items)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [sys.executable, ROOT / "manage.py", "serve", "--port", str(port)],
            env=os.environ,
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(port)
            measure(port, 4 * arguments.items, arguments.labels)
        finally:
            server.terminate()
            server.wait()


def prepare(home: Path, n_items: int) -> None:
    from annotate.actions.load import load
    from annotate.actions.projects import add_person
    from annotate.models import Person

    write_study(home / "study.jsonl", n_items, labelled=False)
    project = load(slug="bench", paths=[home / "study.jsonl"]).project
    for n in range(11):
        person = Person(username=f"person{n}")
        person.set_password(PASSWORD)
        person.save()
        add_person(project=project, person=person, role="annotator", by=None)


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.1)
    raise SystemExit("The server did not come up.")


def measure(port: int, n_units: int, n_labels: int) -> None:
    from annotate.models import Annotation

    one = Annotator(port, "person0")
    one.submit()
    quarter = n_labels // 4
    times = [one.submit() for _ in range(n_labels)]
    row("submit + next, one person", n_units, times, bytes=one.size)
    row(f"  labels 1-{quarter}", n_units, times[:quarter])
    row(f"  labels {n_labels - quarter + 1}-{n_labels}", n_units, times[-quarter:])
    ten = [Annotator(port, f"person{n}") for n in range(1, 11)]
    start = perf_counter()
    with ThreadPoolExecutor(10) as pool:
        shared = list(pool.map(lambda person: [person.submit() for _ in range(100)], ten))
    seconds = perf_counter() - start
    times = [time for own in shared for time in own]
    stored = Annotation.objects.count()
    row(
        "submit + next, ten people at once",
        n_units,
        times,
        labels_per_s=round(len(times) / seconds),
        acknowledged=len(times) + n_labels + 1,
        stored=stored,
        mean_ms=round(1000 * statistics.mean(times), 1),
    )


if __name__ == "__main__":
    main()
