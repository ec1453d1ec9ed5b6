"""What an annotator sees of a unit: an allow-list, as plain values.

Templates get these and no model rows, so a system's name, an item's key or attributes, a passage's
origin or anybody's label cannot slip into a page.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.crypto import salted_hmac

from annotate.models import Annotator, Claim, Evidence, Passage, Unit
from annotate.querysets import labelled_by

WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, the marks on it, and those of them that end here."""

    text: str
    marks: tuple[str, ...] = ()
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage."""

    number: int
    title: str
    cite_as: str
    n_words: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ClaimPlace:
    """Which claim of its response is asked about, and which ones this annotator has done."""

    number: int
    steps: tuple[str, ...]
    text: str  # only where the claim is no stretch of the response


@dataclass(frozen=True, slots=True)
class Sheet:
    """A unit as it lies on the desk."""

    unit: str
    material: str
    question: str
    history: tuple[str, ...]
    references: tuple[str, ...]
    response: tuple[Piece, ...]
    is_silent: bool
    claim: ClaimPlace | None
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked stretch `[start, end)`, in code points, of a passage."""

    passage_id: int
    start: int
    end: int
    letter: str


def sheet_of(unit: Unit, annotator: Annotator, marks: Sequence[Mark] = ()) -> Sheet:
    response, item = unit.response, unit.response.item
    place: ClaimPlace | None = None
    pieces: tuple[Piece, ...] = (Piece(response.text),)
    if unit.claim is not None:
        place, pieces = _claim(unit, unit.claim, annotator)
    return Sheet(
        unit=unit.public_id,
        # Names the passages without telling their order: the browser keeps its place in the same ones.
        material=salted_hmac("annotate.sheet", str(response.passage_set_id)).hexdigest()[:12],
        question=item.question,
        history=tuple(item.history),
        references=tuple(item.references) if unit.claim is None else (),
        response=pieces,
        is_silent=not response.text.strip(),
        claim=place,
        sources=_sources(unit, marks),
    )


def _claim(unit: Unit, claim: Claim, annotator: Annotator) -> tuple[ClaimPlace, tuple[Piece, ...]]:
    """The claim's place among its siblings, and the response with the claim marked in it."""
    siblings = list(
        Claim.objects.filter(response=unit.response_id).order_by("position").values_list("pk", flat=True)
    )
    done = set(labelled_by(annotator).filter(unit__claim__in=siblings).values_list("unit__claim", flat=True))
    steps = tuple(_step(sibling, claim.pk, done) for sibling in siblings)
    text = unit.response.text
    start, end = _stretch(text, claim)
    if start is None:
        return ClaimPlace(siblings.index(claim.pk) + 1, steps, claim.text), (Piece(text),)
    pieces = (Piece(text[:start]), Piece(text[start:end], ("claim",)), Piece(text[end:]))
    return ClaimPlace(siblings.index(claim.pk) + 1, steps, ""), pieces


def _step(sibling: int, current: int, done: set[int]) -> str:
    if sibling == current:
        return "here"
    return "done" if sibling in done else "left"


def _stretch(text: str, claim: Claim) -> tuple[int | None, int | None]:
    """Where the claim stands in the response: as loaded, else its only verbatim occurrence."""
    if claim.start is not None:
        return claim.start, claim.end
    if text.count(claim.text) == 1:
        start = text.index(claim.text)
        return start, start + len(claim.text)
    return None, None


def _sources(unit: Unit, marks: Sequence[Mark]) -> tuple[Source, ...]:
    passages = Passage.objects.filter(passage_set=unit.response.passage_set_id).order_by("position")
    return tuple(
        Source(
            number=number,
            title=passage.title,
            cite_as=passage.cite_as,
            n_words=len(WORD.findall(passage.text)),
            pieces=cut(passage.text, [mark for mark in marks if mark.passage_id == passage.pk]),
        )
        for number, passage in enumerate(passages, 1)
    )


def cut(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """The text cut where marks begin and end; a stretch under two marks carries both."""
    edges = sorted({0, len(text)} | {edge for mark in marks for edge in (mark.start, mark.end)})
    return tuple(_piece(text, start, end, marks) for start, end in pairwise(edges))


def _piece(text: str, start: int, end: int, marks: Sequence[Mark]) -> Piece:
    over = [mark for mark in marks if mark.start <= start and end <= mark.end]
    letters = tuple(sorted({mark.letter for mark in over}))
    return Piece(
        text[start:end], letters, " ".join(sorted({mark.letter for mark in over if mark.end == end}))
    )


def marks_from(evidence: Iterable[Evidence], letters: dict[int, str]) -> list[Mark]:
    """Evidence rows as marks; `letters` by annotation."""
    return [Mark(e.passage_id, e.start, e.end, letters[e.annotation_id]) for e in evidence]
