"""EVOUNA (QA-Eval): a list of questions with the answers of five systems and a human verdict on each.

One response per system and question; references are split at "/"; a null answer is an empty response;
a verdict is one label, or none where it is null or the text "nan".
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotate.importers.files import Raw, load_json
from annotate.importers.rows import Unreadable

ANSWER, VERDICT = "answer_", "judge_"
ANNOTATOR = "human"
CRITERION = {
    "key": "correctness",
    "name": "Correctness",
    "question": "Does the response answer the question correctly?",
    "scale": "nominal",
    "level": "response",
    "categories": ["correct", "incorrect"],
    "positive": ["correct"],
}


def read_evouna(path: Path, notes: Counter[str]) -> Iterator[Raw]:
    """Records in the order of the file; the line number is the question's place in the list."""
    records = load_json(path)
    if not isinstance(records, list) or not records:
        raise Unreadable(path, 0, 'is no list of questions. Expected [{"question": ..., ...}, ...].')
    yield 1, {"touchstone": 1, "criteria": [CRITERION]}
    for number, record in enumerate(records, start=1):
        for system in _systems(path, number, record):
            yield number, _response(path, number, record, system, notes)


def _systems(path: Path, number: int, record: Any) -> list[str]:
    """The systems of a record, after a check that it is one of this layout."""
    if not isinstance(record, dict):
        raise Unreadable(path, number, "is no object. Expected question, golden_answer, answer_SYSTEM ...")
    systems = [key.removeprefix(ANSWER) for key in record if key.startswith(ANSWER)]
    expected = ["question", "golden_answer", "improper", *(VERDICT + system for system in systems)]
    missing = [key for key in expected if key not in record]
    if missing or not systems:
        raise Unreadable(
            path,
            number,
            f"has no {missing[0] if missing else 'answer_SYSTEM'!r}; the layout evouna expects question, "
            "golden_answer, improper, and answer_SYSTEM with judge_SYSTEM for each system.",
        )
    return systems


def _response(
    path: Path, number: int, record: dict[str, Any], system: str, notes: Counter[str]
) -> dict[str, Any]:
    if not isinstance(record["improper"], bool):
        raise Unreadable(path, number, f"improper is {record['improper']!r}; expected true or false.")
    answer = record[ANSWER + system]
    if answer is None:
        notes["null answers, loaded as empty responses"] += 1
    verdict = _verdict(path, number, record, system, notes)
    notes[f"{'improper' if record['improper'] else 'proper'} responses"] += 1
    return {
        # Questions repeat in the data, so the place in the list is the key.
        "item": f"{path.stem}-{number}",
        "question": record["question"],
        "references": _references(record["golden_answer"], notes),
        "attributes": {"dataset": path.stem, "improper": record["improper"]},
        "passages": [],
        "system": system,
        "response": answer or "",
        "annotations": []
        if verdict is None
        else [{"annotator": ANNOTATOR, "labels": {"correctness": "correct" if verdict else "incorrect"}}],
    }


def _verdict(
    path: Path, number: int, record: dict[str, Any], system: str, notes: Counter[str]
) -> bool | None:
    verdict = record[VERDICT + system]
    if verdict == "nan":
        notes['verdicts that are the text "nan", loaded without a label'] += 1
        return None
    if verdict is None:
        kind = "improper" if record["improper"] else "proper"
        notes[f"null verdicts on {kind} questions, loaded without a label"] += 1
        return None
    if not isinstance(verdict, bool):
        raise Unreadable(path, number, f"{VERDICT}{system} is {verdict!r}; expected true, false or null.")
    return verdict


def _references(golden: str | None, notes: Counter[str]) -> list[str]:
    if golden is None:
        notes["responses to questions without a reference"] += 1
        return []
    parts = [part.strip() for part in golden.split("/")]
    notes["empty parts between slashes, left out of the references"] += parts.count("")
    return list(dict.fromkeys(part for part in parts if part))
