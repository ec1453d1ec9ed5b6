"""The pages of figures: the same numbers as the command, at once when kept, in words when refused."""

import html
import json
import re

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone

from annotate.actions.load import load as load_files
from metrics.actions.chunks import work_once
from metrics.actions.imports import ImportedScores
from metrics.actions.runs import start_runs
from metrics.tables import kept, make_table
from metrics.tables.asked import Asked
from metrics.tables.kept import Shelf, stamp_of
from metrics.views.marks import SIGNED, common_scale
from metrics.views.words import interval, number, percent
from tests.makers import CORRECTNESS, SIMILARITY, hand, label_next, labelled, person, response, write

HTMX = {"HX-Request": "true"}
FORMATS = {
    "csv": ("text/csv", "csv"),
    "json": ("application/json", "json"),
    "latex": ("application/x-latex", "tex"),
    "markdown": ("text/markdown", "md"),
}


@pytest.fixture
def study(load):
    """Twelve responses of two systems, two labels each, scored by three metrics."""
    rows = []
    for n in range(12):
        right = n % 3 != 0
        values = ("correct" if right else "incorrect", "correct" if right != (n == 4) else "incorrect")
        text = "Paris" if right else f"Rome {n}"
        rows.append(
            labelled(
                *values,
                item=f"q{n // 2}",
                system="alpha" if n % 2 else "beta",
                text=text,
                references=["Paris"],
                attributes={"hops": "one" if n < 6 else "two"},
            )
        )
    project = load(rows)
    (run,) = start_runs(project=project, keys=["em", "f1", "recall"], by=None, at=timezone.now())
    while work_once(run=run, at=timezone.now()):
        pass
    return project


@pytest.fixture
def rita(study, signed_in):
    return signed_in(person("rita", study, "researcher"))


def url(name, *args, **query):
    asked = QueryDict(mutable=True)
    asked.update(query)
    return reverse(name, args=["study", *args]) + (f"?{asked.urlencode()}" if query else "")


def text_of(answer):
    """What a reader sees, tags and scripts away."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


def cells(answer):
    """Rows of the tables as texts."""
    body = answer.content.decode()
    return [
        [
            re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", cell))).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    ]


def test_the_page_comes_at_once_and_asks_for_its_figures(rita):
    shell = rita.get(url("table", "correlation"))
    assert shell.status_code == 200
    assert 'hx-trigger="load"' in shell.content.decode()
    assert "<table" not in shell.content.decode()
    assert "figures=now&amp;grouping=pooled" in shell.content.decode()
    figures = rita.get(url("table", "correlation"), headers=HTMX)
    assert "<html" not in figures.content.decode()
    assert "<table" in figures.content.decode()


@pytest.mark.parametrize("door", [("agreement",), ("table", "correlation"), ("table", "accuracy")])
def test_without_javascript_the_figures_are_a_link_away(door, rita):
    page = rita.get(url(*door, figures="now")).content.decode()
    assert "<html" in page
    assert "<table" in page
    assert "Receipt" in page


def test_kept_figures_are_in_the_page_at_once(rita):
    rita.get(url("table", "correlation"), headers=HTMX)
    page = rita.get(url("table", "correlation")).content.decode()
    assert "<html" in page
    assert "<table" in page
    assert 'hx-trigger="load"' not in page


@pytest.mark.parametrize("statistic", ["spearman", "kendall_tau_b", "pearson"])
@pytest.mark.parametrize("grouping", ["pooled", "by_item", "by_system", "system_level"])
def test_the_leaderboard_holds_the_figures_of_the_command(statistic, grouping, study, rita):
    table = make_table(study, "correlation", options={"grouping": grouping})
    wanted = {
        (row["evaluator"], number(row["value"]), interval(row["low"], row["high"]))
        for row in table.rows
        if row["statistic"] == statistic
    }
    page = rita.get(url("table", "correlation", statistic=statistic, grouping=grouping), headers=HTMX)
    names = {"Exact match metric": "em", "F1 metric": "f1", "Recall metric": "recall"}
    found = {(names[row[0]], row[2].split()[0].rstrip("*"), row[3]) for row in cells(page) if row[0] in names}
    assert found == wanted


def test_lines_are_sorted_by_value_and_the_sentence_names_the_first(study, rita):
    page = rita.get(url("table", "correlation"), headers=HTMX)
    values = [
        float(row[2].split()[0].rstrip("*")) for row in cells(page) if len(row) == 7 and row[2][0] == "."
    ]
    assert values == sorted(values, reverse=True)
    assert "follows the labels most closely" in text_of(page)
    assert "significan" not in text_of(page)


def test_slices_come_as_further_boards(rita):
    page = text_of(rita.get(url("table", "correlation", slice="hops"), headers=HTMX))
    assert "hops: one" in page
    assert "hops: two" in page


def test_a_filter_reaches_the_figures_and_the_files(study, rita):
    page = rita.get(url("table", "accuracy", where="system=alpha"), headers=HTMX)
    table = make_table(study, "accuracy", where={"system": "alpha"})
    assert [row["system"] for row in table.rows] == [None, "alpha"]
    assert "beta" not in [row[0] for row in cells(page)]
    assert "export.csv?where=system%3Dalpha" in page.content.decode()


def test_an_undefined_figure_is_a_dash_with_its_reason(load, signed_in):
    study = load([labelled("correct", item=f"q{n}", references=["x"]) for n in range(3)])
    (run,) = start_runs(project=study, keys=["em"], by=None, at=timezone.now())
    work_once(run=run, at=timezone.now())
    rita = signed_in(person("rita", study, "researcher"))
    reason = make_table(study, "correlation", options={"grouping": "pooled"}).rows[0]["note"]
    page = rita.get(url("table", "correlation"), headers=HTMX)
    assert f'<abbr title="{html.escape(reason)}">–</abbr>' in page.content.decode()
    assert f"undefined: {reason}" in text_of(page)
    grid = rita.get(url("table", "agreement"), headers=HTMX)
    assert "undefined: " in text_of(grid)


def test_agreement_says_what_kappa_means(load, signed_in):
    rows = [labelled("correct", "correct", item=f"q{n}") for n in range(48)]
    rows += [labelled("correct", "incorrect", item="q48"), labelled("incorrect", "incorrect", item="q49")]
    study = load(rows)
    page = text_of(signed_in(person("rita", study, "researcher")).get(url("agreement"), headers=HTMX))
    # 97 of 100 labels are "correct": chance agrees .97² + .03² = .9418 of the time.
    assert "High agreement, modest kappa: 97 % of labels are “correct”, " in page
    assert "so chance alone would agree 94 % of the time." in page
    assert "98.0 % agreement" in page


def test_agreement_holds_the_figures_of_the_command(study, rita):
    rows = {row["statistic"]: row for row in make_table(study, "agreement").rows if row["annotator"] is None}
    page = rita.get(url("agreement"), headers=HTMX)
    kappa = rows["fleiss_kappa"]
    assert f"Fleiss’ κ, {interval(kappa['low'], kappa['high'])}" in text_of(page)
    by_name = {row[0]: row for row in cells(page) if len(row) == 6}
    assert by_name["Fleiss’ κ"][2].split()[0] == number(kappa["value"])
    assert by_name["Gwet’s AC1"][2].split()[0] == number(rows["gwet_ac1"]["value"])
    sliced = text_of(rita.get(url("agreement", slice="hops"), headers=HTMX))
    assert " one " in sliced
    assert " two " in sliced


def test_agreement_without_labels_or_on_other_scales(load, signed_in):
    bare = load([response()])
    rita = person("rita", bare, "researcher")
    assert "There are no labels yet." in text_of(signed_in(rita).get(url("agreement"), headers=HTMX))
    scored = [labelled(n % 4, (n + n % 2) % 4, criterion="similarity", item=f"q{n}") for n in range(8)]
    other = load(scored, slug="other", criteria=[SIMILARITY])
    person("rita", other, "researcher")
    page = signed_in(rita).get(reverse("agreement", args=["other"]), headers=HTMX)
    assert "Krippendorff’s α, interval" in text_of(page)


def test_more_than_two_raters_are_a_matrix(load, signed_in):
    rows = [
        labelled("correct", "correct", "correct" if n % 2 else "incorrect", item=f"q{n}") for n in range(6)
    ]
    rows.append(labelled("incorrect", "incorrect", "incorrect", item="q6"))
    study = load(rows)
    page = signed_in(person("rita", study, "researcher")).get(url("agreement"), headers=HTMX)
    assert 'class="heat"' in page.content.decode()
    assert next(row for row in cells(page) if row[0] == "a1")[:3] == ["a1", "", "1.00"]


@pytest.mark.parametrize("key", ["progress", "distribution", "agreement", "accuracy", "correlation"])
@pytest.mark.parametrize("view", ["", "tidy"])
def test_every_table_has_a_page(key, view, rita):
    page = rita.get(url("table", key, figures="now", **({"view": view} if view else {})))
    assert page.status_code == 200
    assert "<table" in page.content.decode()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("key", ["progress", "distribution", "agreement", "accuracy", "correlation"])
def test_a_file_is_what_the_command_writes(form, key, study, rita, capsys):
    answer = rita.get(url("export-table", key, form))
    media, ending = FORMATS[form]
    assert answer["Content-Type"] == f"{media}; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="study-{key}.{ending}"'
    call_command("table", "study", key, "--format", form)
    written = capsys.readouterr().out
    if form == "json":
        ours, theirs = json.loads(answer.content), json.loads(written)
        ours["receipt"].pop("made_at"), theirs["receipt"].pop("made_at")
        assert ours == theirs
    else:
        assert answer.content.decode() == written


def test_the_program_door_gives_the_table_as_json(study, rita):
    asked = {"slice": "hops", "where": "system=alpha", "option": "resamples=50"}
    found = rita.get(url("api-table", "accuracy", **asked)).json()
    wanted = make_table(
        study, "accuracy", slice_by="hops", where={"system": "alpha"}, options={"resamples": "50"}
    ).as_dict()
    found["receipt"].pop("made_at"), wanted["receipt"].pop("made_at")
    assert found == json.loads(json.dumps(wanted))
    listed = rita.get(url("api-tables")).json()
    assert {"key", "name", "question", "options"} == set(listed[0])


BAD = [
    ({"grouping": "nope"}, "expected one of pooled"),
    ({"labels": "nope"}, "expected one of gold"),
    ({"resamples": "-1"}, "option resamples is '-1'"),
    ({"resamples": "many"}, "option resamples is 'many'"),
    ({"level": "nan"}, "option level is 'nan'"),
    ({"seed": "-5"}, "option seed is '-5'"),
    ({"seed": "x"}, "option seed is 'x'"),
    ({"slice": "nope"}, "No attribute 'nope'"),
    ({"where": "nope"}, "expected NAME=VALUE"),
    ({"where": "nope=1"}, "No attribute 'nope'"),
    ({"where": "hops=\x00"}, "zero byte"),
    ({"slice": "\x00"}, "zero byte"),
    ({"option": "colour=red"}, "No option 'colour'"),
    ({"option": "colour"}, "expected NAME=VALUE"),
]


@pytest.mark.parametrize(("asked", "words"), BAD)
def test_what_is_not_there_is_answered_in_words(asked, words, rita):
    plain = rita.get(url("table", "correlation", figures="now", **asked))
    assert (plain.status_code, words in text_of(plain)) == (400, True)
    fragment = rita.get(url("table", "correlation", **asked), headers=HTMX)
    assert (fragment.status_code, words in text_of(fragment)) == (422, True)
    file = rita.get(url("export-table", "correlation", "csv", **asked))
    assert (file.status_code, words in file.content.decode()) == (400, True)
    program = rita.get(url("api-table", "correlation", **asked))
    assert (program.status_code, words in program.json()["detail"]) == (400, True)


def test_a_table_or_format_that_is_not_there(rita):
    assert rita.get(url("table", "nope")).status_code == 404
    assert rita.get(url("export-table", "nope", "csv")).status_code == 404
    assert "choose one of" in rita.get(url("api-table", "nope")).json()["detail"]
    assert rita.get(url("export-table", "correlation", "pdf")).status_code == 400
    assert rita.get(url("table", "accuracy", where="hops=none", figures="now")).status_code == 200


def test_the_address_follows_the_form(rita):
    headers = {**HTMX, "HX-Trigger": "asked"}
    asked = {"slice": "", "where": "", "grouping": "by_item", "statistic": "pearson", "labels": ""}
    answer = rita.get(url("table", "correlation", **asked), headers=headers)
    assert answer["HX-Push-Url"] == "/p/study/tables/correlation/?grouping=by_item&statistic=pearson"
    assert "HX-Push-Url" not in rita.get(url("table", "correlation"), headers=HTMX)


def test_a_table_is_computed_once_until_something_changes(study, rita, monkeypatch):
    made = []

    def counted(*args, **options):
        made.append(args)
        return make_table(*args, **options)

    monkeypatch.setattr(kept, "make_table", counted)
    for _ in range(3):
        rita.get(url("table", "accuracy"), headers=HTMX)
        rita.get(url("export-table", "accuracy", "csv"))
    assert len(made) == 1
    rita.get(url("table", "accuracy", resamples="10"), headers=HTMX)
    assert len(made) == 2


def test_a_new_label_and_a_new_score_change_the_stamp(load):
    rows = [response(item=f"q{n}", references=["Paris"]) for n in range(3)]
    study = load(rows, criteria=[CORRECTNESS])
    before = stamp_of(study)
    assert stamp_of(study) == before
    assert Shelf.of(study).table("accuracy", Asked()) == Shelf.of(study).find("accuracy", Asked())

    label_next(hand("ada", study), correctness="correct")
    labelled_stamp = stamp_of(study)
    assert labelled_stamp != before
    assert Shelf.of(study).find("accuracy", Asked()) is None

    (run,) = start_runs(project=study, keys=["em"], by=None, at=timezone.now())
    started = stamp_of(study)
    work_once(run=run, at=timezone.now())
    assert len({before, labelled_stamp, started, stamp_of(study)}) == 4
    # Scores alone, without the event that ends the run, are enough.
    run.project.events.filter(verb="finish_run").delete()
    assert stamp_of(study) != started

    before = stamp_of(study)
    load([response(item="new")])
    assert stamp_of(study) != before
    before = stamp_of(study)
    load([response()], slug="other")
    assert stamp_of(study) == before, "another study's rows are none of ours"


HOSTILE = '<script>alert("x")</script>'


def test_what_came_from_a_file_stays_text(load, signed_in):
    scores = [{"evaluator": f"{HOSTILE}@endpoint:t=0", "value": 0.5}]
    rows = [
        labelled(
            "correct" if n % 2 else "incorrect",
            "correct",
            item=f"q{n}",
            system=f"{HOSTILE}{n % 2}",
            attributes={HOSTILE: f"{HOSTILE}{n % 2}"},
            scores=[{**scores[0], "value": n / 7}],
        )
        for n in range(6)
    ]
    study = load(rows)
    rita = signed_in(person("rita", study, "researcher"))
    doors = [
        ("agreement",),
        ("runs",),
        *(("table", key) for key in ("accuracy", "correlation", "distribution")),
    ]
    for door in doors:
        asked = {} if door == ("runs",) else {"slice": HOSTILE, "figures": "now"}
        page = rita.get(url(*door, **asked)).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
        assert " style=" not in page
        assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
    refused = rita.get(url("table", "accuracy", slice=f"{HOSTILE}?", figures="now")).content.decode()
    assert "<script>alert" not in refused
    assert rita.get(url("agreement", where=f"{HOSTILE}={HOSTILE}1"), headers=HTMX).status_code == 200


def test_the_list_of_tables_asks_the_questions(rita):
    page = text_of(rita.get(url("tables")))
    assert "Which score follows the people's labels?" in page


def test_marks_stay_on_their_scale():
    row = {"value": 0.5, "low": -2.0, "high": 1.0}
    assert (SIGNED.mark(row).x, SIGNED.mark(row).low, SIGNED.mark(row).high) == ("74.00%", "2.00%", "98.00%")
    assert SIGNED.mark({**row, "value": None}) is None
    assert SIGNED.mark({**row, "low": None}).low == ""
    scale = common_scale([{"value": -0.05, "low": -0.1, "high": 0.61}])
    assert (scale.low, scale.high) == (-0.2, 0.8)
    assert common_scale([]).high == 0.2


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0 %"), (1, "1 %"), (0.996, "99.6 %"), (0.004, "0.4 %"), (0.955, "96 %")]
)
def test_a_share_is_never_rounded_to_all_or_nothing(share, words):
    assert percent(1.0) == "100 %"
    assert percent(share) == (words if share != 1 else "100 %")


def test_a_score_that_is_better_when_lower_is_turned_and_says_so(db, tmp_path, signed_in):
    rows = [
        labelled("correct" if n < 5 else "incorrect", item=f"q{n}", scores=[
            {"evaluator": "errors", "value": n}, {"evaluator": "praise", "value": 5 if n < 3 else 1}
        ])
        for n in range(10)
    ]  # fmt: skip
    evaluators = [{"key": "errors", "kind": "judge", "higher_is_better": False}]
    path = write(tmp_path / "rows.jsonl", rows, [CORRECTNESS], evaluators=evaluators)
    study = load_files(slug="study", paths=[path], scores=ImportedScores()).project
    page = signed_in(person("rita", study, "researcher")).get(url("table", "correlation"), headers=HTMX)
    assert "errors follows the labels most closely (.8" in text_of(page)
    assert "lower is better" in text_of(page)
    assert '<tr class="judge' in page.content.decode()
