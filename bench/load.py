"""Load 100,000 responses with passages and labels through the command's own action; one JSON line."""

import json
import os
import random
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
WORDS = (ROOT / "fixtures/demo/study.jsonl").read_text(encoding="utf-8").split()[:2000]


def write_study(path: Path, n_items: int, n_systems: int = 4, labelled: bool = True) -> int:
    """A study of `n_items` x `n_systems` responses, three passages an item; its size in bytes."""
    rng = random.Random(5)
    plain = [word.strip('"\\{}[],:') or "x" for word in WORDS]
    text = lambda n: " ".join(rng.choices(plain, k=n))  # noqa: E731
    criterion = {"key": "correctness", "categories": ["correct", "incorrect"], "positive": ["correct"]}
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps({"touchstone": 1, "criteria": [criterion]}) + "\n")
        for item in range(n_items):
            passages = [{"id": f"p{n}", "title": f"Title {n}", "text": text(120)} for n in range(3)]
            shared = {"item": f"q{item}", "question": text(10), "references": [text(2)], "passages": passages}
            for system in range(n_systems):
                good = rng.random() < 0.7
                second = good if rng.random() < 0.9 else not good
                annotations = [
                    {"annotator": name, "labels": {"correctness": "correct" if value else "incorrect"}}
                    for name, value in (("a1", good), ("a2", second))
                ]
                line = {**shared, "system": f"s{system}", "response": text(60)}
                file.write(json.dumps(line | ({"annotations": annotations} if labelled else {})) + "\n")
    return path.stat().st_size


def set_up(home: str) -> None:
    """Django on a fresh database in `home` (or DATABASE_URL)."""
    os.environ["TOUCHSTONE_HOME"] = home
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.base")
    sys.path.insert(0, str(ROOT))
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        from annotate.actions.load import load
        from django.db import connection

        for n_items, labelled in ((2_500, True), (25_000, False), (25_000, True)):
            path = Path(folder) / f"study{n_items}{labelled}.jsonl"
            size = write_study(path, n_items, labelled=labelled)
            start = perf_counter()
            loaded = load(slug=f"s{n_items}-{labelled}".lower(), paths=[path])
            seconds = perf_counter() - start
            record = {
                "bench": "load" + (" with two labels each" if labelled else ""),
                "database": connection.vendor,
                "n": loaded.made["responses"],
                "megabytes": round(size / 1e6),
                "ours_s": round(seconds, 2),
                "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
            print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
