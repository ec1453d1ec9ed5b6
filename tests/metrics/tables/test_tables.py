"""Figures from rows: the published ones, and the ones that must not move."""

import json
import math
import re
import string
from collections import Counter

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from scipy import stats

from annotate.actions.load import load
from annotate.exporters.tables import to_csv, to_json, to_latex, to_markdown
from annotate.models import Project
from metrics.actions.imports import ImportedScores
from metrics.assignments import BadRequest
from metrics.tables import TABLES, make_table
from tests.makers import (
    CORRECTNESS,
    SHARED,
    SIMILARITY,
    hand,
    label_next,
    labelled,
    load_rows,
    response,
    write,
)

pytestmark = pytest.mark.django_db
QUICK = {"resamples": "50"}


def scored(value, *labels, n=0, system="alpha", **fields):
    score = (
        {"evaluator": "m", "value": value}
        if value is not None
        else {"evaluator": "m", "value": None, "failure": "timeout"}
    )
    return labelled(*labels, item=f"q{n}", system=system, scores=[score], **fields)


@pytest.fixture
def study(db, tmp_path):
    """Twelve items, two systems, two annotators who differ on four units, a metric that fails on one."""
    rng = np.random.default_rng(7)
    rows = []
    for n in range(12):
        for system in ("alpha", "beta"):
            good = bool(rng.random() < 0.6)
            first = "correct" if good else "incorrect"
            second = (
                first
                if (n, system) not in {(1, "alpha"), (2, "beta"), (5, "alpha"), (9, "beta")}
                else ("incorrect" if good else "correct")
            )
            value = None if (n, system) == (3, "alpha") else round(float(good) * 0.5 + float(rng.random()), 3)
            rows.append(scored(value, first, second, n=n, system=system, attributes={"topic": "ab"[n % 2]}))
    return load_rows(tmp_path, rows)


def figures(table, **index):
    return [row for row in table.rows if all(row[name] == value for name, value in index.items())]


def figure(table, statistic, **index):
    (row,) = figures(table, statistic=statistic, **index)
    return row


class TestAgreement:
    def test_counts_and_coefficients(self, study):
        table = make_table(study, "agreement", options=QUICK)
        assert figure(table, "n_contested")["value"] == 4
        assert figure(table, "percent_agreement")["value"] == pytest.approx(20 / 24)
        assert figure(table, "cohen_kappa", annotator="a1", annotator_b="a2")["n"] == 24
        assert {"fleiss_kappa", "fleiss_kappa_pooled", "gwet_ac1", "krippendorff_alpha_nominal"} <= {
            row["statistic"] for row in table.rows
        }

    def test_slices_by_attribute_and_system(self, study):
        table = make_table(study, "agreement", slice_by="topic", options=QUICK)
        parts = [figure(table, "percent_agreement", slice_value=value)["n"] for value in (None, "a", "b")]
        assert parts == [24, 12, 12]
        by_system = make_table(study, "agreement", slice_by="system", options=QUICK)
        assert {row["slice_value"] for row in by_system.rows} == {None, "alpha", "beta"}

    def test_does_not_move_when_units_are_decided(self, study, tmp_path):
        before = to_csv(make_table(study, "agreement", options=QUICK))
        decided = {"by": "judge", "labels": {"correctness": "correct"}}
        load_rows(tmp_path, [response(item="q1", adjudications=[decided])])
        assert to_csv(make_table(study, "agreement", options=QUICK)) == before

    def test_numeric_scales(self, db, tmp_path):
        rows = [
            labelled(a, b, item=f"q{a}{b}", criterion="similarity")
            for a, b in ((1, 1.5), (3, 3), (5, 4.5), (0, 0.5))
        ]
        table = make_table(load_rows(tmp_path, rows, criteria=(SIMILARITY,)), "agreement", options=QUICK)
        assert figure(table, "krippendorff_alpha_interval")["value"] > 0.9
        assert figure(table, "n_contested")["value"] == 3

    def test_one_category_is_undefined_with_a_reason(self, db, tmp_path):
        project = load_rows(tmp_path, [labelled("correct", "correct", item=f"q{n}") for n in range(5)])
        row = figure(make_table(project, "agreement", options=QUICK), "fleiss_kappa")
        assert row["value"] is None
        assert row["note"]

    def test_an_empty_project_has_no_figures(self, db, tmp_path):
        table = make_table(load_rows(tmp_path, [response()]), "agreement")
        assert (table.rows, table.notes) == ([], ["There are no labels yet."])


class TestCorrelation:
    def test_equals_scipy_on_the_same_rows_and_adds_up(self, study):
        table = make_table(study, "correlation", options=QUICK)
        gold = {row["unit"]: row["value"] == "correct" for row in gold_rows(study)}
        scores = {unit: value for unit, value in score_rows(study) if value is not None}
        units = sorted(gold.keys() & scores.keys())
        x, y = [float(gold[unit]) for unit in units], [scores[unit] for unit in units]
        expected = {
            "spearman": stats.spearmanr(x, y).statistic,
            "kendall_tau_b": stats.kendalltau(x, y).statistic,
            "pearson": stats.pearsonr(x, y).statistic,
        }
        for statistic, value in expected.items():
            row = figure(table, statistic, grouping="pooled")
            assert row["value"] == pytest.approx(value, abs=1e-12)
            assert row["low"] < row["value"] < row["high"]
            assert (row["n"], row["n"] + row["n_excluded"]) == (len(units), 24)
        assert table.receipt["exclusions"]["no gold"] == 4

    def test_says_why_units_are_left_out(self, study):
        note = figure(make_table(study, "correlation", options=QUICK), "spearman", grouping="pooled")["note"]
        assert "4 no gold" in note
        assert "1 timeout" in note

    def test_one_grouping_on_request(self, study):
        table = make_table(study, "correlation", options={"grouping": "by_item", **QUICK})
        assert {row["grouping"] for row in table.rows} == {"by_item"}

    def test_gold_or_the_mean_of_labels(self, study):
        by_gold = make_table(study, "correlation", options={"labels": "gold", **QUICK})
        by_mean = make_table(study, "correlation", options={"labels": "mean", **QUICK})
        assert figure(by_gold, "spearman", grouping="pooled")["n"] == 19
        assert figure(by_mean, "spearman", grouping="pooled")["n"] == 23

    def test_a_criterion_without_a_positive_category_is_not_correlated(self, db, tmp_path):
        criterion = {**CORRECTNESS, "positive": []}
        project = load_rows(tmp_path, [scored(0.5, "correct", "correct")], criteria=(criterion,))
        table = make_table(project, "correlation")
        assert not table.rows
        assert "declares no positive category" in table.notes[0]

    def test_a_score_for_one_criterion_is_compared_with_that_alone(self, db, tmp_path):
        other = {**CORRECTNESS, "key": "other"}
        rows = [
            response(
                item=f"q{n}",
                annotations=[{"annotator": "a", "labels": {"correctness": v, "other": v}}],
                scores=[{"evaluator": "m", "value": n, "criterion": "other"}],
            )
            for n, v in enumerate(["correct", "incorrect", "correct", "incorrect"])
        ]
        table = make_table(
            load_rows(tmp_path, rows, criteria=(CORRECTNESS, other)), "correlation", options=QUICK
        )
        assert {row["criterion"] for row in table.rows} == {"other"}

    def test_a_score_that_is_better_when_lower_is_turned(self, db, tmp_path):
        rows = [scored(n % 2 / 2 + n / 100, ["correct", "incorrect"][n % 2], n=n) for n in range(8)]
        path = write(tmp_path / "s.jsonl", rows, evaluators=[{"key": "m", "higher_is_better": False}])
        project = load(slug="s", paths=[path], scores=ImportedScores()).project
        table = make_table(project, "correlation", options={"grouping": "pooled", **QUICK})
        assert figure(table, "spearman")["value"] > 0.8
        assert table.notes == ["Lower is better for m: its sign is turned, so that higher is better for all."]


def gold_rows(project):
    from annotate.frames import gold_frame

    return gold_frame(project).dropna(subset=["value"]).to_dict("records")


def score_rows(project):
    from metrics.frames import scores_frame

    frame = scores_frame(project)
    return [
        (unit, None if math.isnan(value) else value)
        for unit, value in zip(frame["unit"], frame["value"], strict=True)
    ]


class TestRequests:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"key": "nope"}, "choose one of progress, distribution"),
            ({"slice_by": "nope"}, "the items have topic, system"),
            ({"where": {"nope": "1"}}, "the items have topic, system"),
            ({"options": {"nope": "1"}}, "it has grouping, labels"),
            ({"options": {"grouping": "x"}}, "expected one of pooled"),
            ({"options": {"resamples": "-1"}}, "expected 0"),
            ({"options": {"level": "95"}}, "expected a share"),
        ],
    )
    def test_what_is_not_there_is_answered_with_what_is(self, study, options, message):
        with pytest.raises(BadRequest, match=message):
            make_table(study, **{"key": "correlation", **options})

    def test_the_same_seed_gives_the_same_figures_and_hash(self, study):
        one, two = (make_table(study, "correlation", options=QUICK) for _ in range(2))
        assert to_csv(one) == to_csv(two)
        assert one.receipt["data_hash"] == two.receipt["data_hash"]

    def test_the_hash_changes_with_a_label(self, study, tmp_path):
        before = make_table(study, "agreement", options=QUICK).receipt["data_hash"]
        load_rows(tmp_path, [response(item="new")])
        while label_next(hand("ann", study), correctness="correct"):
            pass
        assert make_table(study, "agreement", options=QUICK).receipt["data_hash"] != before


class TestExports:
    def test_the_same_numbers_everywhere(self, study):
        table = make_table(study, "correlation", options={"grouping": "pooled", **QUICK})
        row = figure(table, "spearman")
        assert json.loads(to_json(table))["rows"][0]["value"] == row["value"]
        assert repr(row["value"]) in to_csv(table)
        printed = f"{row['value']:.3f}".replace("0.", ".", 1)
        assert printed in to_latex(table)
        assert printed in to_markdown(table)

    def test_text_is_escaped_in_each_format(self, db, tmp_path):
        nasty = "=1+1 & 50% of_{x} | #$~^\\"
        rows = [scored(n / 4, v, v, n=n, system=nasty) for n, v in enumerate(["correct", "incorrect"] * 2)]
        table = make_table(load_rows(tmp_path, rows), "accuracy", options=QUICK)
        assert f"'{nasty}" in to_csv(table)
        assert (
            r"=1+1 \& 50\% of\_\{x\} | \#\$\textasciitilde{}\textasciicircum{}\textbackslash{}"
            in to_latex(table)
        )
        assert nasty.replace("\\", "\\\\").replace("|", "\\|") in to_markdown(table)

    @pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.key)
    def test_every_table_goes_into_every_format_from_the_command(self, study, spec, tmp_path):
        for format_ in ("json", "csv", "latex", "markdown"):
            out = tmp_path / f"{spec.key}.{format_}"
            call_command("table", "study", spec.key, format=format_, out=out)
            assert out.read_text()

    def test_the_command_says_what_is_wrong(self, study):
        with pytest.raises(CommandError, match="No project 'x'; there is study"):
            call_command("table", "x", "agreement")
        with pytest.raises(CommandError, match="No table 'x'"):
            call_command("table", "study", "x")
        with pytest.raises(CommandError, match="expected NAME=VALUE"):
            call_command("table", "study", "agreement", where=["topic"])


class TestPublished:
    def test_synsciqa(self, db):
        path = SHARED / "data/SynSciQA/HandEval_of_QualityFilters_SynSciQA++.xlsx"
        if not path.exists():
            pytest.skip("needs ../shared/data beside the checkout")
        call_command("load", "s", path, layout="synsciqa-handeval")
        table = make_table(Project.objects.get(), "agreement", options=QUICK)
        assert round(figure(table, "percent_agreement")["value"], 4) == 0.9632
        assert round(figure(table, "fleiss_kappa")["value"], 4) == 0.5026
        assert round(figure(table, "cohen_kappa")["value"], 4) == 0.5026
        assert round(figure(table, "krippendorff_alpha_nominal")["value"], 4) == 0.5034
        assert figure(table, "n_contested")["value"] == 11

    def test_evouna_recall_follows_people_better_than_f1_and_em(self, db):
        path = SHARED / "data/EVOUNA/TQ.json"
        if not path.exists():
            pytest.skip("needs ../shared/data beside the checkout")
        call_command("load", "e", path, layout="evouna")
        call_command("evaluate", "e", "em", "f1", "recall", wait=True)
        table = make_table(
            Project.objects.get(),
            "correlation",
            where={"improper": "false"},
            options={"grouping": "pooled", "resamples": "0"},
        )
        value = {row["evaluator"]: row["value"] for row in figures(table, statistic="spearman")}
        assert value["recall"] > value["f1"] > value["em"] > 0
        assert {row["n"] for row in table.rows} == {5 * 1938}
        # By SciPy on the same file, with the words of the definitions.
        assert {name: round(number, 3) for name, number in value.items()} == scipy_on(path)


def scipy_on(path):
    """Spearman over TQ's proper rows, straight from the file: no row of ours in between."""
    scores = {"em": [], "f1": [], "recall": []}
    verdicts = []
    for record in json.loads(path.read_text()):
        for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing"):
            if record["improper"]:
                continue
            references = [words(part) for part in record["golden_answer"].split("/") if part.strip()]
            response = words(record[f"answer_{system}"] or "")
            verdicts.append(record[f"judge_{system}"])
            for name, score in (("em", em), ("f1", f1), ("recall", recall)):
                scores[name].append(max(score(response, reference) for reference in references))
    return {name: round(stats.spearmanr(verdicts, values).statistic, 3) for name, values in scores.items()}


def words(text):
    bare = "".join(character for character in text.lower() if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def em(response, reference):
    return float(response == reference)


def recall(response, reference):
    return (Counter(response) & Counter(reference)).total() / len(reference) if reference else 1.0


def f1(response, reference):
    common = (Counter(response) & Counter(reference)).total()
    if not response or not reference:
        return float(response == reference)
    return 2 * common / (len(response) + len(reference))
