"""Lexical metrics, agreement and correlation over 100,000 labelled units, from rows to table; JSON lines."""

import json
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent))
from load import set_up, write_study

KEYS = ["em", "f1", "precision", "recall", "recall_strict", "k_precision"]


def timed(bench: str, n: int, work, **more: object) -> object:
    start = perf_counter()
    result = work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    record = {"bench": bench, "n": n, "ours_s": round(perf_counter() - start, 2), "peak_rss_mb": peak, **more}
    print(json.dumps(record), flush=True)
    return result


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        from annotate.actions.load import load
        from django.utils import timezone
        from metrics.actions.runs import start_runs
        from metrics.management.commands.evaluate import work_until_done
        from metrics.tables import make_table

        write_study(Path(folder) / "study.jsonl", 25_000)
        project = load(slug="bench", paths=[Path(folder) / "study.jsonl"]).project
        n = project.units.count()
        (run,) = timed(
            f"start a run of {len(KEYS)} metrics",
            n,
            lambda: start_runs(project=project, keys=KEYS, by=None, at=timezone.now()),
        )
        timed("the run, one process", n, lambda: work_until_done(run), scores=n * len(KEYS))
        timed("agreement table, 1000 resamples of items", n, lambda: make_table(project, "agreement"))
        options = {"grouping": "pooled"}
        timed(
            f"correlation table, {len(KEYS)} evaluators, pooled, 1000 resamples of items",
            n,
            lambda: make_table(project, "correlation", options=options),
        )
        timed("correlation table, four groupings", n, lambda: make_table(project, "correlation"))


if __name__ == "__main__":
    main()
