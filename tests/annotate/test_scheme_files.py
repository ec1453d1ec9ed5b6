"""The ready-made schemes are complete and make sense; a new file in the folder is checked like the others."""

import copy
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "fixtures/schemes"
FILES = sorted(FOLDER.glob("*.json"))

SHIPPED = {
    "instructqa-correctness": {"correctness": ["correct", "incorrect"]},
    "instructqa-faithfulness": {
        "passage_relevant": ["yes", "no"],
        "faithfulness": ["fully", "partially", "not"],
    },
    "autoais-attribution": {"attribution": ["attributable", "not_attributable"]},
    "synsciqa-entailment": {"entailment": ["entailed", "not_entailed"]},
    "freshqa": {"relaxed": ["credited", "not_credited"], "strict": ["credited", "not_credited"]},
    "queryloop-verdict": {"verdict": ["pass", "partially_pass", "fail"]},
    "queryloop-similarity": {"similarity": []},
}

SCHEME_FIELDS = {"key", "name", "source", "guideline", "criteria"}
CRITERION_FIELDS = {"key", "name", "question", "level", "scale"}
OPTIONAL_FIELDS = {"categories", "minimum", "maximum", "step", "tolerance", "show_if"}
CATEGORY_FIELDS = {"value", "label", "number", "positive", "help"}


def refuse_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"A field is given twice among {keys}.")
    return dict(pairs)


def read(path):
    return json.loads(path.read_text("utf-8"), object_pairs_hook=refuse_twice)


def scheme(key):
    return read(FOLDER / f"{key}.json")


def criteria(key):
    return {criterion["key"]: criterion for criterion in scheme(key)["criteria"]}


def problems_of_scheme(scheme):
    if scheme.keys() != SCHEME_FIELDS:
        return [f"fields: {sorted(scheme.keys() ^ SCHEME_FIELDS)}"]
    problems = [f"{field} is empty" for field in sorted(SCHEME_FIELDS) if not scheme[field]]
    keys = [criterion.get("key") for criterion in scheme["criteria"]]
    if len(set(keys)) != len(keys):
        problems.append("a criterion's key is taken twice")
    for position, criterion in enumerate(scheme["criteria"]):
        problems += problems_of_criterion(criterion, scheme["criteria"][:position])
    return problems


def problems_of_criterion(criterion, earlier):
    absent = CRITERION_FIELDS - criterion.keys()
    unknown = criterion.keys() - CRITERION_FIELDS - OPTIONAL_FIELDS
    if absent or unknown:
        return [f"absent {sorted(absent)}, unknown {sorted(unknown)}"]
    problems = [f"{field} is empty" for field in sorted(CRITERION_FIELDS) if not criterion[field]]
    if criterion["level"] not in {"response", "claim"}:
        problems.append("no such level")
    if criterion.get("tolerance", 0) < 0:
        problems.append("tolerance is negative")
    check = {"nominal": problems_of_categories, "ordinal": problems_of_order, "numeric": problems_of_range}
    problems += check.get(criterion["scale"], lambda _: ["no such scale"])(criterion)
    return problems + problems_of_condition(criterion.get("show_if"), earlier)


def problems_of_categories(criterion):
    categories = criterion.get("categories", [])
    if len(categories) < 2:
        return ["fewer than two categories"]
    if any(category.keys() != CATEGORY_FIELDS for category in categories):
        return ["a category lacks a field or has one too many"]
    problems = []
    if {"minimum", "maximum", "step"} & criterion.keys():
        problems.append("a range beside categories")
    for field in ("value", "label", "help"):
        if len({category[field] for category in categories}) != len(categories):
            problems.append(f"two categories share a {field}")
        if not all(isinstance(category[field], str) and category[field].strip() for category in categories):
            problems.append(f"a category's {field} is not a text")
    return problems + problems_of_meaning(categories)


def problems_of_meaning(categories):
    problems = []
    if {category["positive"] for category in categories} != {True, False}:
        problems.append("all or no categories are positive")
    if not categories[0]["positive"]:
        problems.append("the first category, key 1, is not positive")
    if any(isinstance(category["number"], bool) for category in categories):
        problems.append("a number is true or false")
    numbers = [category["number"] for category in categories]
    if numbers != sorted(numbers, reverse=True):
        problems.append("the highest category is not first")
    return problems


def problems_of_order(criterion):
    problems = problems_of_categories(criterion)
    numbers = [category.get("number") for category in criterion.get("categories", [])]
    if len(set(numbers)) != len(numbers):
        problems.append("two ordered categories share a number")
    return problems


def problems_of_range(criterion):
    if "categories" in criterion:
        return ["categories on a numeric scale"]
    low, high, step = (criterion.get(field) for field in ("minimum", "maximum", "step"))
    if low is None or high is None or low >= high:
        return ["no range"]
    if step is not None and (step <= 0 or (high - low) / step % 1 > 1e-9):
        return ["the steps do not lead from minimum to maximum"]
    return []


def problems_of_condition(condition, earlier):
    if condition is None:
        return []
    values = {
        criterion["key"]: {category["value"] for category in criterion.get("categories", [])}
        for criterion in earlier
    }
    if condition.keys() != {"criterion", "values"} or condition["criterion"] not in values:
        return ["show_if names no earlier criterion"]
    allowed = values[condition["criterion"]]
    if not condition["values"] or not set(condition["values"]) < allowed:
        return ["show_if names no value, an unknown one, or all"]
    return []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestEveryFile:
    def test_it_makes_sense(self, path):
        assert problems_of_scheme(read(path)) == []

    def test_it_is_named_after_its_key(self, path):
        assert read(path)["key"] == path.stem
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.stem)

    def test_criteria_are_keyed_in_plain_words(self, path):
        for criterion in read(path)["criteria"]:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", criterion["key"])

    def test_the_guideline_shows_what_judges_and_borders(self, path):
        guideline = read(path)["guideline"]
        assert guideline.startswith("# ")
        for heading in ("## What you see", "## What you judge", "## Borderline cases", "## How to work"):
            assert heading in guideline
        assert len(guideline.split()) > 300

    def test_the_guideline_names_every_category_with_its_key(self, path):
        scheme = read(path)
        for criterion in scheme["criteria"]:
            for number, category in enumerate(criterion.get("categories", []), start=1):
                named = rf"\*\*{re.escape(category['label'])}\*\* \(key {number}\)"
                assert re.search(named, scheme["guideline"]), (criterion["key"], category["value"])

    def test_rows_of_a_table_have_the_same_number_of_cells(self, path):
        blocks = re.findall(r"(?:^\|.*\|$\n?)+", read(path)["guideline"], re.MULTILINE)
        assert blocks
        for block in blocks:
            assert len({row.count("|") for row in block.splitlines()}) == 1, block


def test_the_schemes_promised_are_there():
    found = {
        path.stem: {
            criterion["key"]: [category["value"] for category in criterion.get("categories", [])]
            for criterion in read(path)["criteria"]
        }
        for path in FILES
    }
    assert {key: found.get(key) for key in SHIPPED} == SHIPPED


def test_the_readme_lists_every_file():
    listed = re.findall(
        r"^\| `([a-z0-9-]+)` \| `[a-z_]+`.*\| (?:response|claim)",
        (FOLDER / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert sorted(listed) == [path.stem for path in FILES]


def test_the_readmes_example_makes_sense():
    example = re.search(r"```json\n(.*?)```", (FOLDER / "README.md").read_text("utf-8"), re.DOTALL)
    assert problems_of_scheme(json.loads(example.group(1))) == []


def test_only_full_support_counts_as_faithful():
    faithfulness = criteria("instructqa-faithfulness")["faithfulness"]
    assert [category["number"] for category in faithfulness["categories"]] == [1, 0, 0]
    assert [category["positive"] for category in faithfulness["categories"]] == [True, False, False]
    assert faithfulness["show_if"] == {"criterion": "passage_relevant", "values": ["yes"]}


def test_both_fresh_modes_are_always_asked():
    assert all("show_if" not in criterion for criterion in criteria("freshqa").values())


def test_the_verdict_is_ordered_and_only_pass_is_positive():
    verdict = criteria("queryloop-verdict")["verdict"]
    assert verdict["scale"] == "ordinal"
    assert [(category["number"], category["positive"]) for category in verdict["categories"]] == [
        (2, True),
        (1, False),
        (0, False),
    ]


def test_similarity_runs_from_0_to_5_by_halves():
    similarity = criteria("queryloop-similarity")["similarity"]
    assert [similarity[field] for field in ("scale", "minimum", "maximum", "step")] == ["numeric", 0, 5, 0.5]


def test_attribution_judges_claims_and_the_rest_responses():
    levels = {path.stem: {criterion["level"] for criterion in read(path)["criteria"]} for path in FILES}
    assert {key for key, level in levels.items() if key in SHIPPED and level == {"claim"}} == {
        "autoais-attribution"
    }


def broken(key, change):
    changed = copy.deepcopy(scheme(key))
    change(changed)
    return changed


@pytest.mark.parametrize(
    ("key", "change", "problem"),
    [
        ("freshqa", lambda s: s.pop("guideline"), "fields"),
        ("freshqa", lambda s: s.update(colour="red"), "fields"),
        ("freshqa", lambda s: s.update(guideline=""), "guideline is empty"),
        ("freshqa", lambda s: s.update(criteria=[]), "criteria is empty"),
        ("freshqa", lambda s: s["criteria"][1].update(key="relaxed"), "taken twice"),
        ("freshqa", lambda s: s["criteria"][0].pop("question"), "absent ['question']"),
        ("freshqa", lambda s: s["criteria"][0].update(colour="red"), "unknown ['colour']"),
        ("freshqa", lambda s: s["criteria"][0].update(level="word"), "no such level"),
        ("freshqa", lambda s: s["criteria"][0].update(scale="rainbow"), "no such scale"),
        ("freshqa", lambda s: s["criteria"][0].update(minimum=0), "a range beside"),
        ("freshqa", lambda s: s["criteria"][0].update(categories=[]), "fewer than two"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][0].pop("help"), "lacks a field"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][1].update(value="credited"), "share a value"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][1].update(value=0), "value is not a text"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][1].update(positive=True), "all or no"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][0].update(positive=False), "all or no"),
        ("freshqa", lambda s: s["criteria"][0]["categories"].reverse(), "key 1, is not positive"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][0].update(number=True), "true or false"),
        ("freshqa", lambda s: s["criteria"][0]["categories"][1].update(number=7), "highest"),
        ("queryloop-verdict", lambda s: s["criteria"][0]["categories"][1].update(number=2), "share a number"),
        ("queryloop-similarity", lambda s: s["criteria"][0].update(maximum=0), "no range"),
        ("queryloop-similarity", lambda s: s["criteria"][0].update(step=0.7), "steps"),
        ("queryloop-similarity", lambda s: s["criteria"][0].update(tolerance=-1), "tolerance"),
        ("queryloop-similarity", lambda s: s["criteria"][0].update(categories=[]), "on a numeric"),
        ("instructqa-faithfulness", lambda s: s["criteria"].reverse(), "no earlier criterion"),
        (
            "instructqa-faithfulness",
            lambda s: s["criteria"][1]["show_if"].update(values=["maybe"]),
            "no value",
        ),
        ("instructqa-faithfulness", lambda s: s["criteria"][1]["show_if"].update(values=[]), "no value"),
        (
            "instructqa-faithfulness",
            lambda s: s["criteria"][1]["show_if"].update(values=["yes", "no"]),
            "or all",
        ),
    ],
)
def test_a_broken_scheme_is_noticed(key, change, problem):
    assert any(problem in found for found in problems_of_scheme(broken(key, change)))


def test_a_field_given_twice_is_noticed(tmp_path):
    path = tmp_path / "twice.json"
    path.write_text('{"key": "a", "key": "b"}', "utf-8")
    with pytest.raises(ValueError, match="given twice"):
        read(path)
