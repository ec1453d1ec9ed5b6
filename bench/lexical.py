"""How fast the word-overlap metrics are: one JSON line per workload.

Run from the checkout: `PYTHONPATH=. python bench/lexical.py`. The peer "naive" is the straightforward way,
which normalises both texts again for every metric and every pair. Both score the same texts, ours with an
empty cache, and must agree; the best of several runs counts.
"""

import json
import random
import re
import string
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from metrics.evaluators import METRICS, Sample
from metrics.evaluators.text import forget

N = 10_000
RESPONSES_PER_ITEM = 4
REPEATS = 3

QA = tuple(metric for metric in METRICS if metric.group == "lexical" and "references" in metric.needs)
KNOWLEDGE = tuple(metric for metric in METRICS if metric.group == "lexical" and "passages" in metric.needs)


def vocabulary(rng: random.Random) -> list[str]:
    """Return words of plausible lengths, some with capitals, marks, accents and typographic quotes."""
    letters = string.ascii_lowercase
    words = ["".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(4000)]
    words += ["the", "a", "an", "of", "in", "is", "was", "and"] * 250
    marked = [word + rng.choice([",", ".", ";", ")"]) for word in words[:600]]
    accented = [word + "é" for word in words[:40]] + [f"{word}’s" for word in words[:40]]
    return words + marked + accented + [word.title() for word in words[:600]]


def text(rng: random.Random, words: list[str], low: int, high: int) -> str:
    return " ".join(rng.choices(words, k=rng.randint(low, high)))


def pairs() -> list[Sample]:
    """Return one response of 10 to 40 words for each reference of one to five of them."""
    rng = random.Random(1)
    words = vocabulary(rng)
    samples = []
    for _ in range(N):
        response = text(rng, words, 10, 40)
        samples.append(
            Sample(response, references=(" ".join(rng.sample(response.split(), rng.randint(1, 5))),))
        )
    return samples


def grounded() -> list[Sample]:
    """Return four responses to each question, each beside the same four passages of about a hundred words."""
    rng = random.Random(2)
    words = vocabulary(rng)
    samples = []
    for _ in range(N // RESPONSES_PER_ITEM):
        question = text(rng, words, 8, 15)
        passages = [text(rng, words, 80, 120) for _ in range(4)]
        # New strings for every response, as rows from a database would bring them.
        samples += [
            Sample(
                text(rng, words, 10, 40),
                question=question,
                passages=tuple("".join([passage[:9], passage[9:]]) for passage in passages),
            )
            for _ in range(RESPONSES_PER_ITEM)
        ]
    return samples


def naive_tokens(raw: str) -> list[str]:
    bare = "".join(character for character in raw.lower() if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def naive_overlap(kind: str, response: list[str], other: list[str]) -> float:
    common = sum((Counter(response) & Counter(other)).values())
    precision = common / len(response) if response else 0.0
    recall = common / len(other) if other else 1.0
    if kind == "precision":
        return precision
    if kind == "recall":
        return recall
    if not response or not other:
        return float(response == other)
    return 2 * precision * recall / (precision + recall) if common else 0.0


def naive_against(kind: str, response: str, reference: str) -> float:
    if kind == "em":
        return float(naive_tokens(response) == naive_tokens(reference))
    if kind == "recall_strict":
        return float(" ".join(naive_tokens(reference)) in " ".join(naive_tokens(response)))
    return naive_overlap(kind, naive_tokens(response), naive_tokens(reference))


def naive(key: str, sample: Sample) -> float:
    if not key.startswith("k_"):
        return max(naive_against(key, sample.response, reference) for reference in sample.references)
    kind = key.removeprefix("k_").removesuffix("_pp")
    response = naive_tokens(sample.response)
    if key.endswith("_pp"):
        query = naive_tokens(" ".join([*sample.history, sample.question]))
        response = [token for token in response if token not in query]
        if not response:
            return 1.0
    return naive_overlap(kind, response, naive_tokens(" ".join(sample.passages)))


def timed(work):
    started = perf_counter()
    result = work()
    return perf_counter() - started, result


def measure(bench: str, make, metrics) -> dict:
    best = float("inf")
    for _ in range(REPEATS):
        samples = make()
        forget()
        seconds, ours = timed(lambda: [[metric.compute(sample) for metric in metrics] for sample in samples])  # noqa: B023
        best = min(best, seconds)
    peer, theirs = timed(lambda: [[naive(metric.key, sample) for metric in metrics] for sample in samples])
    apart = max(
        abs(a - b) for row, other in zip(ours, theirs, strict=True) for a, b in zip(row, other, strict=True)
    )
    if apart > 1e-9:
        sys.exit(f"{bench}: ours and the naive values differ by {apart}.")
    return {
        "bench": bench,
        "n": len(samples),
        "metrics": len(metrics),
        "ours_s": round(best, 4),
        "peer": "naive",
        "peer_s": round(peer, 4),
        "ratio": round(peer / best, 1),
    }


if __name__ == "__main__":
    for line in (measure("lexical_qa", pairs, QA), measure("lexical_knowledge", grounded, KNOWLEDGE)):
        print(json.dumps(line))
