"""The demonstration study is the first thing a newcomer reads: its file is whole, declared and plausible."""

import json
from collections import Counter
from pathlib import Path

import pytest

STUDY = Path(__file__).parent.parent / "fixtures" / "demo" / "study.jsonl"
SYSTEMS = {"aster", "birch", "cedar", "dahlia"}
ANNOTATORS = {"ada", "ben"}
ADJUDICATOR = "cleo"

LINES = [json.loads(line) for line in STUDY.read_text(encoding="utf-8").splitlines()]
DECLARATION, RESPONSES = LINES[0], LINES[1:]
CRITERIA = {
    criterion["key"]: {
        "scale": criterion["scale"],
        "show_if": criterion.get("show_if"),
        "categories": [category["value"] for category in criterion["categories"]],
        "positive": [category["value"] for category in criterion["categories"] if category["positive"]],
    }
    for criterion in DECLARATION["criteria"]
}
LABELLED = [row for row in RESPONSES if row.get("annotations")]
ITEMS = {row["item"]: row for row in RESPONSES}

every_response = pytest.mark.parametrize(
    "row", RESPONSES, ids=[f"{row['item']}-{row['system']}" for row in RESPONSES]
)
every_item = pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())


def labels_of(row, criterion):
    """The labels that a response received for a criterion, in the order of its annotations."""
    return [a["labels"][criterion] for a in row["annotations"] if criterion in a["labels"]]


def contested_criteria(row):
    return {key for key in CRITERIA if len(set(labels_of(row, key))) > 1}


def contested_share(criterion):
    """The share of contested responses among those that both annotators labelled."""
    twice = [row for row in LABELLED if len(labels_of(row, criterion)) == 2]
    return sum(criterion in contested_criteria(row) for row in twice) / len(twice)


def gold(row, criterion):
    for adjudication in row.get("adjudications", []):
        if criterion in adjudication["labels"]:
            return adjudication["labels"][criterion]
    values = set(labels_of(row, criterion))
    return values.pop() if len(values) == 1 else None


def positive_share(rows, criterion):
    settled = [value for row in rows if (value := gold(row, criterion)) is not None]
    return sum(value in CRITERIA[criterion]["positive"] for value in settled) / len(settled)


def test_the_first_line_declares_the_three_criteria():
    assert DECLARATION["touchstone"] == 1
    assert {key: (c["scale"], c["categories"], c["positive"]) for key, c in CRITERIA.items()} == {
        "correctness": ("nominal", ["correct", "incorrect"], ["correct"]),
        "passage_relevant": ("nominal", ["yes", "no"], ["yes"]),
        "faithfulness": ("nominal", ["fully", "partially", "not"], ["fully"]),
    }


def test_support_is_asked_only_where_the_passages_help():
    assert CRITERIA["faithfulness"]["show_if"] == {"criterion": "passage_relevant", "values": ["yes"]}


def test_four_systems_answer_forty_eight_questions_once_each():
    pairs = Counter((row["item"], row["system"]) for row in RESPONSES)

    assert len(ITEMS) == 48
    assert set(pairs) == {(item, system) for item in ITEMS for system in SYSTEMS}
    assert set(pairs.values()) == {1}
    assert len({item["question"] for item in ITEMS.values()}) == 48


def test_slices_have_the_promised_sizes():
    def sizes(attribute):
        return Counter(item["attributes"][attribute] for item in ITEMS.values())

    assert list(sizes("topic").values()) == [8] * 6
    assert sizes("hops") == {"one": 36, "multi": 12}
    assert sizes("premise") == {"valid": 42, "false": 6}
    assert sizes("setting") == {"invented": 24, "real": 24}


@every_response
def test_responses_to_one_question_share_everything_but_the_answer(row):
    shared = ("question", "references", "attributes", "passages", "context")

    assert {key: row[key] for key in shared} == {key: ITEMS[row["item"]][key] for key in shared}


@every_item
def test_references_are_one_to_three_and_say_something(item):
    assert 1 <= len(item["references"]) <= 3
    assert all(reference.strip() for reference in item["references"])


@every_item
def test_passages_are_readable_and_told_apart(item):
    passages = item["passages"]

    assert 1 <= len(passages) <= 3
    assert len({passage["id"] for passage in passages}) == len(passages)
    assert all(passage["title"].strip() for passage in passages)
    assert all(60 <= len(passage["text"].split()) <= 140 for passage in passages)
    assert {passage["context"] for passage in passages} == {item["context"]}


@every_item
def test_gold_context_means_that_every_passage_is_relevant(item):
    all_relevant = all(passage["relevant"] for passage in item["passages"])

    assert item["context"] == ("gold" if all_relevant else "retrieved")


@every_item
def test_multi_hop_questions_need_two_passages(item):
    relevant = sum(passage["relevant"] for passage in item["passages"])

    assert relevant == 2 if item["attributes"]["hops"] == "multi" else relevant <= 1


def test_four_questions_come_with_nothing_but_an_irrelevant_passage():
    hopeless = [i for i in ITEMS.values() if not any(passage["relevant"] for passage in i["passages"])]
    distracted = [i for i in ITEMS.values() if len({passage["relevant"] for passage in i["passages"]}) == 2]

    assert len(hopeless) == 4
    assert len(distracted) == 16


def test_just_one_response_is_empty():
    assert sum(not row["response"] for row in RESPONSES) == 1


def test_six_questions_of_six_topics_are_left_for_the_newcomer():
    unlabelled = [row for row in RESPONSES if not row.get("annotations")]

    assert len(unlabelled) == 24
    assert not any(row.get("adjudications") for row in unlabelled)
    assert len({row["item"] for row in unlabelled}) == 6
    assert len({row["attributes"]["topic"] for row in unlabelled}) == 6


@every_response
def test_labels_are_complete_and_declared(row):
    annotations = row.get("annotations", [])

    assert {a["annotator"] for a in annotations} == (ANNOTATORS if annotations else set())
    assert len(annotations) in (0, 2)
    for annotation in annotations:
        labels = annotation["labels"]
        assert {"correctness", "passage_relevant"} <= labels.keys()
        assert all(value in CRITERIA[key]["categories"] for key, value in labels.items())
        assert ("faithfulness" in labels) == (labels["passage_relevant"] == "yes")


@every_response
def test_evidence_quotes_the_passage_it_points_to(row):
    texts = {passage["id"]: passage["text"] for passage in row["passages"]}

    for annotation in row.get("annotations", []):
        for span in annotation.get("evidence", []):
            assert texts[span["passage"]][span["start"] : span["end"]] == span["quote"]


def test_an_annotator_is_never_in_two_places_at_once():
    for name in ANNOTATORS:
        times = [a["at"] for row in LABELLED for a in row["annotations"] if a["annotator"] == name]
        assert len(set(times)) == len(times) == 168
        assert all("2026-09-07" <= at < "2026-09-19" for at in times)


@pytest.mark.parametrize(
    ("criterion", "low", "high"),
    [("correctness", 0.09, 0.12), ("faithfulness", 0.13, 0.16), ("passage_relevant", 0.02, 0.03)],
)
def test_contested_shares_stay_in_the_intended_range(criterion, low, high):
    assert low <= contested_share(criterion) <= high


def test_disagreement_is_not_the_fault_of_one_system():
    contested = Counter(row["system"] for row in LABELLED if contested_criteria(row))

    assert set(contested) == SYSTEMS
    assert max(contested.values()) < 0.4 * contested.total()


@every_response
def test_adjudications_settle_contested_units_by_a_third_person_with_a_reason(row):
    for adjudication in row.get("adjudications", []):
        labels = adjudication["labels"]
        assert contested_criteria(row) <= labels.keys()
        assert contested_criteria(row)
        assert all(value in CRITERIA[key]["categories"] for key, value in labels.items())
        assert adjudication["by"] == ADJUDICATOR
        assert adjudication["reason"].endswith(".")


def test_the_adjudication_queue_is_not_empty():
    contested = [row for row in LABELLED if contested_criteria(row)]
    waiting = [row for row in contested if not row.get("adjudications")]

    assert len(contested) == 40
    assert len(waiting) == 12


def test_systems_differ_and_none_is_a_caricature():
    rates = {
        system: positive_share([row for row in LABELLED if row["system"] == system], "correctness")
        for system in SYSTEMS
    }

    assert 0.62 <= positive_share(LABELLED, "correctness") <= 0.72
    assert 0.60 <= positive_share(LABELLED, "faithfulness") <= 0.70
    assert sorted(rates, key=rates.get) == ["cedar", "dahlia", "aster", "birch"]
    assert all(0.3 < rate < 0.9 for rate in rates.values())
