"""Do the annotators agree? A headline for each criterion, what it means, and the coefficients behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.models import Criterion
from metrics.tables.asked import Asked
from metrics.tables.kept import Shelf
from metrics.tables.table import Table
from metrics.views.boards import Line, Row, caveats_of, line_of, slices_of
from metrics.views.marks import SIGNED
from metrics.views.words import count, counted, number, percent, statistic_word

HEADLINES = {
    Criterion.Scale.NOMINAL: "fleiss_kappa",
    Criterion.Scale.ORDINAL: "krippendorff_alpha_ordinal",
    Criterion.Scale.NUMERIC: "krippendorff_alpha_interval",
}
PAIRS = "cohen_kappa"
MOST_IN_MATRIX = 12
HEAT = 5  # tints of the rater-pair matrix
HIGH, MODEST = 0.9, 0.8


@dataclass(frozen=True, slots=True)
class Headline:
    """The first figures of a criterion in one slice."""

    coefficient: str
    line: Line
    agreement: str
    agreement_interval: str
    n_contested: str
    share_contested: str


@dataclass(frozen=True, slots=True)
class Tint:
    """A pair's kappa in the matrix of raters; level 0 has no value or is at most 0."""

    value: str
    level: int
    n: str
    caveat: str


@dataclass(frozen=True, slots=True)
class Matrix:
    raters: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Tint | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """One criterion: the headline and what it says, then coefficients, pairs and slices."""

    criterion: Criterion
    headline: Headline
    says: tuple[str, ...]
    coefficients: tuple[Line, ...]
    matrix: Matrix | None
    slices: tuple[tuple[str, Headline], ...]

    @property
    def caveats(self) -> list[str]:
        return caveats_of([self.headline.line, *self.coefficients])


def show(shelf: Shelf, table: Table, asked: Asked, _query: Mapping[str, str]) -> dict[str, Any]:
    """A standing for each criterion that has labels."""
    given = shelf.table("distribution", replace(asked, slice_by=None, options=()))
    by_slice = slices_of(table.rows)
    standings = []
    for criterion in shelf.project.criteria.all():
        if rows := by_slice.get((criterion.key, None)):
            slices = [
                (str(held), headline_of(criterion, part))
                for (key, held), part in by_slice.items()
                if key == criterion.key and held is not None
            ]
            standings.append(_standing(criterion, rows, given.rows, slices))
    return {
        "standings": standings,
        "slice": asked.slice_by,
        "scale": SIGNED,
        "nothing": "" if standings or table.notes else "There are no labels yet.",
    }


def _standing(
    criterion: Criterion, rows: Sequence[Row], given: Sequence[Row], slices: list[tuple[str, Headline]]
) -> Standing:
    pairs = [row for row in rows if row["annotator"] is not None]
    matrix = matrix_of([row for row in pairs if row["statistic"] == PAIRS])
    # A few pairs are lines among the coefficients; more are a matrix.
    beside = [row for row in pairs if matrix is None or row["statistic"] != PAIRS]
    lines = [row for row in rows if row["annotator"] is None and row["statistic"] != "n_contested"]
    return Standing(
        criterion,
        headline_of(criterion, rows),
        tuple(says(criterion, rows, given)),
        tuple(line_of(row, SIGNED, name=_name(row)) for row in [*lines, *beside]),
        matrix,
        tuple(slices),
    )


def _name(row: Row) -> str:
    word = statistic_word(row["statistic"])
    return f"{word}: {row['annotator']}, {row['annotator_b']}" if row["annotator"] is not None else word


def headline_of(criterion: Criterion, rows: Sequence[Row]) -> Headline:
    found = {row["statistic"]: row for row in rows if row["annotator"] is None}
    main, share, contested = (
        found[name]
        for name in (HEADLINES[Criterion.Scale(criterion.scale)], "percent_agreement", "n_contested")
    )
    line = line_of(main, SIGNED, name=statistic_word(main["statistic"]))
    bounded = share["low"] is not None
    return Headline(
        statistic_word(main["statistic"]),
        line,
        "–" if share["value"] is None else percent(share["value"], 1),
        f"{percent(share['low']).removesuffix(' %')} to {percent(share['high'])}" if bounded else "",
        count(contested["value"]),
        percent(contested["value"] / contested["n"]) if contested["n"] else "",
    )


def says(criterion: Criterion, rows: Sequence[Row], given: Sequence[Row]) -> list[str]:
    """What the headline means, from the figures of the tables alone."""
    found = {row["statistic"]: row for row in rows if row["annotator"] is None}
    main, share = found[HEADLINES[Criterion.Scale(criterion.scale)]], found["percent_agreement"]
    if main["value"] is None or share["value"] is None:
        return [main["note"] or share["note"] or "The coefficient is undefined here."]
    if criterion.scale != Criterion.Scale.NOMINAL:
        text = f"The labels of a unit are equal {percent(share['value'])} of the time"
        return [f"{text}; the coefficient also counts how far apart the others are."]
    return [_against_chance(main["value"], share["value"], _most_frequent(criterion, given))]


def _against_chance(kappa: float, agreed: float, frequent: str) -> str:
    """Fleiss' kappa is (agreed - chance) / (1 - chance), so the two figures give the third."""
    if kappa >= 1:
        return f"{frequent}; the annotators never disagree."
    chance = (agreed - kappa) / (1 - kappa)
    if agreed >= HIGH and kappa < MODEST:
        return (
            f"High agreement, modest kappa: {_small(frequent)}, so chance alone would agree "
            f"{percent(chance)} of the time."
        )
    return (
        f"{frequent}, so chance alone would agree {percent(chance)} of the time; the annotators agree "
        f"{percent(agreed)}."
    )


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _most_frequent(criterion: Criterion, given: Sequence[Row]) -> str:
    rows = [row for row in given if row["criterion"] == criterion.key and row["statistic"] == "n_labels"]
    most = max(rows, key=lambda row: row["value"])
    words = {str(category["value"]): str(category.get("label") or "") for category in criterion.categories}
    word = words.get(most["category"]) or most["category"]
    return f"{percent(most['value'] / most['n'])} of labels are “{word}”"


def matrix_of(rows: Sequence[Row]) -> Matrix | None:
    """The pairs as a square, where there are more than two raters and not too many to see."""
    raters = sorted({row[name] for row in rows for name in ("annotator", "annotator_b")})
    if not 2 < len(raters) <= MOST_IN_MATRIX:
        return None
    found = {frozenset((row["annotator"], row["annotator_b"])): row for row in rows}
    return Matrix(
        tuple(raters),
        tuple(
            (
                one,
                tuple(
                    _tint(found.get(frozenset((one, other)))) if one != other else None for other in raters
                ),
            )
            for one in raters
        ),
    )


def _tint(row: Row | None) -> Tint:
    if row is None:
        return Tint("", 0, "", "no unit in common")
    value = row["value"]
    level = 0 if value is None or value <= 0 else min(HEAT, 1 + int(value * HEAT))
    return Tint(number(value, 2), level, counted(row["n"], "unit"), row["note"] or "")
