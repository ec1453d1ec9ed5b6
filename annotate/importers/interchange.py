"""The interchange format: one response a line, as docs/interchange.md describes it. Raw records to rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotate.importers.fields import Fields
from annotate.importers.rows import (
    AdjudicationRow,
    AnnotationRow,
    ClaimRow,
    CriterionRow,
    EvaluatorRow,
    EvidenceRow,
    Header,
    PassageRow,
    Place,
    Problem,
    ResponseRow,
    ScoreRow,
)
from annotate.scales import number_of, text_of

LONGEST = 500
ADJUDICATOR = "adjudicator"  # who decided, where a file does not say


def is_header(raw: Mapping[str, Any]) -> bool:
    return "touchstone" in raw


def read_header(raw: Mapping[str, Any], place: Place, problems: list[Problem]) -> Header:
    """The first line, checked."""
    fields = Fields(raw, place, problems)
    if fields.count("touchstone") != 1:
        fields.wrong("touchstone", f"is version {raw.get('touchstone')!r}; this program reads version 1.")
    criteria = fields.each("criteria", read_criterion)
    evaluators = fields.each("evaluators", _evaluator)
    fields.refuse_unknown()
    return Header(place, criteria, evaluators)


def read_criterion(fields: Fields) -> CriterionRow:
    """A criterion, as a first line, a scheme file or the form declares it."""
    scale = fields.choice("scale", ("nominal", "ordinal", "numeric"), "nominal")
    positive = {text_of(value) for value in fields.raw.get("positive") or ()}
    fields.seen |= {"positive", "categories"}
    categories = tuple(
        _category(fields, number, raw, positive, ordinal=scale == "ordinal")
        for number, raw in enumerate(fields.raw.get("categories") or ())
    )
    values = [text_of(category["value"]) for category in categories]
    if len(set(values)) < len(values):
        fields.wrong("categories", "names a value twice.")
    if scale != "numeric" and len(values) < 2:
        fields.wrong("categories", f"declares {len(values)}; a {scale} criterion needs at least two.")
    if positive - set(values):
        fields.wrong("positive", f"names {min(positive - set(values))!r}, which is no category.")
    key = fields.key("key")
    row = CriterionRow(
        key=key,
        scale=scale,
        name=fields.text("name", default=key),
        question=fields.text("question"),
        level=fields.choice("level", ("response", "claim", "any"), "") or None,
        categories=categories,
        minimum=fields.number("minimum"),
        maximum=fields.number("maximum"),
        step=fields.number("step"),
        tolerance=fields.number("tolerance") or 0.0,
        show_if=_condition(fields),
    )
    fields.refuse_unknown()
    return row


def _category(
    fields: Fields, number: int, raw: object, positive: set[str], *, ordinal: bool
) -> dict[str, object]:
    record = Fields(
        raw if isinstance(raw, dict) else {"value": raw},
        fields.place,
        fields.problems,
        f"{fields.prefix}categories[{number}].",
    )
    record.seen |= {"value", "number", "positive"}
    given = record.raw.get("value")
    if given is None or isinstance(given, list | dict) or text_of(given) == "":
        record.wrong("value", "is missing; a category is a text, a number or true/false.")
        return {"value": ""}
    value = text_of(given)
    category: dict[str, object] = {"value": given, "label": record.text("label", default=value)}
    if help_text := record.text("help"):
        category["help"] = help_text
    own_number = record.raw.get("number")
    if own_number is None and ordinal:
        own_number = number_of(given)
        # Categories in words count by their place in the declared order.
        own_number = number if own_number is None else own_number
    if own_number is not None:
        category["number"] = own_number
    category["positive"] = bool(record.raw.get("positive")) or value in positive
    record.refuse_unknown()
    return category


def _condition(fields: Fields) -> dict[str, object] | None:
    condition = fields.mapping("show_if")
    if not condition:
        return None
    values = condition.get("values")
    if set(condition) != {"criterion", "values"} or not isinstance(values, list) or not values:
        fields.wrong("show_if", 'expected {"criterion": KEY, "values": [...]}.')
        return None
    return {"criterion": text_of(condition["criterion"]), "values": [text_of(value) for value in values]}


def _evaluator(fields: Fields) -> EvaluatorRow:
    higher = fields.flag("higher_is_better")
    row = EvaluatorRow(
        key=fields.key("key"),
        kind=fields.choice("kind", ("metric", "judge"), "metric"),
        name=fields.text("name"),
        higher_is_better=True if higher is None else higher,
    )
    fields.refuse_unknown()
    return row


def read_response(raw: Mapping[str, Any], place: Place, problems: list[Problem]) -> ResponseRow:
    """One line, checked in every field."""
    fields = Fields(raw, place, problems)
    if "response" not in raw:
        fields.wrong("response", "is missing; an empty text is allowed, a missing field is not.")
    row = ResponseRow(
        place=place,
        item=fields.key("item", longest=LONGEST),
        system=fields.key("system", longest=LONGEST),
        response=fields.text("response"),
        question=fields.text("question") if fields.has("question") else None,
        history=fields.texts("history"),
        references=_references(fields),
        attributes=fields.mapping("attributes") if fields.has("attributes") else None,
        passages=fields.each("passages", _passage) if fields.has("passages") else None,
        context=fields.text("context"),
        claims=fields.each("claims", _claim),
        annotations=fields.each("annotations", _annotation),
        adjudications=fields.each("adjudications", _adjudication),
        scores=fields.each("scores", _score),
    )
    fields.seen |= {"question", "attributes", "passages"}
    fields.refuse_unknown()
    _check_attributes(fields, row)
    _check_within(fields, row)
    return row


def _references(fields: Fields) -> tuple[str, ...] | None:
    references = fields.texts("references")
    for number, reference in enumerate(references or ()):
        if not reference.strip():
            # It would make recall 1 for any answer.
            fields.wrong(f"references[{number}]", "is empty; leave it out, or give the answer.")
    return references


def _passage(fields: Fields) -> PassageRow:
    row = PassageRow(
        key=fields.key("id", required=False, default=f"p{fields.nth}", longest=LONGEST),
        text=fields.text("text", required=True),
        title=fields.text("title"),
        context=fields.text("context"),
        relevant=fields.flag("relevant"),
        cite_as=fields.text("cite_as"),
    )
    fields.refuse_unknown()
    return row


def _claim(fields: Fields) -> ClaimRow:
    row = ClaimRow(
        key=fields.key("id", required=False, default=f"c{fields.nth}", longest=LONGEST),
        text=fields.text("text", required=True),
        citations=fields.texts("citations") or (),
        start=fields.count("start"),
        end=fields.count("end"),
    )
    fields.refuse_unknown()
    return row


def _annotation(fields: Fields) -> AnnotationRow:
    row = AnnotationRow(
        annotator=fields.key("annotator"),
        claim=fields.key("claim", required=False, longest=LONGEST) or None,
        labels=_labels(fields),
        evidence=fields.each("evidence", _evidence),
        comment=fields.text("comment"),
        seconds=fields.number("seconds"),
        at=fields.moment("at"),
    )
    fields.refuse_unknown()
    return row


def _labels(fields: Fields) -> dict[str, object]:
    labels = {key: value for key, value in fields.mapping("labels").items() if value is not None}
    for key, value in labels.items():
        if isinstance(value, list | dict) or text_of(value) == "":
            fields.wrong(f"labels.{key}", "expected a text, a number or true/false.")
        elif isinstance(value, str):
            fields.clean(f"labels.{key}", value)
    if not labels:
        fields.wrong("labels", 'is empty; expected {"criterion": value}.')
    return labels


def _evidence(fields: Fields) -> EvidenceRow:
    row = EvidenceRow(
        passage=fields.key("passage", longest=LONGEST),
        start=fields.count("start") or 0,
        end=fields.count("end") or 0,
        quote=fields.text("quote", required=True),
    )
    fields.refuse_unknown()
    return row


def _adjudication(fields: Fields) -> AdjudicationRow:
    row = AdjudicationRow(
        by=fields.key("by", required=False, default=ADJUDICATOR),
        claim=fields.key("claim", required=False, longest=LONGEST) or None,
        labels=_labels(fields),
        reason=fields.text("reason"),
        third=fields.choice("how", ("adjudicated", "third annotator"), "adjudicated") == "third annotator",
        at=fields.moment("at"),
    )
    fields.refuse_unknown()
    return row


def _score(fields: Fields) -> ScoreRow:
    row = ScoreRow(
        evaluator=fields.key("evaluator", longest=300),
        claim=fields.key("claim", required=False, longest=LONGEST) or None,
        value=fields.number("value"),
        label=fields.text("label"),
        failure=fields.text("failure"),
        criterion=fields.key("criterion", required=False) or None,
    )
    if row.failure and row.value is not None:
        fields.wrong("failure", "stands beside a value; a score is a value or a named failure.")
    elif not row.failure and row.value is None and not row.label:
        fields.wrong("value", 'is missing; expected a number, a "label", or null with a named "failure".')
    fields.refuse_unknown()
    return row


def _check_attributes(fields: Fields, row: ResponseRow) -> None:
    for key, value in (row.attributes or {}).items():
        if isinstance(value, list | dict):
            fields.wrong(f"attributes.{key}", "expected a text, a number, true/false or null: it slices.")
        elif isinstance(value, str):
            fields.clean(f"attributes.{key}", value)
        elif isinstance(value, float) and number_of(value) is None:
            fields.wrong(f"attributes.{key}", "expected a finite number.")


def _check_within(fields: Fields, row: ResponseRow) -> None:
    """What one line must agree on with itself: no key twice, no pointer to what is not there."""
    claims = {claim.key: claim for claim in row.claims}
    if len(claims) < len(row.claims):
        fields.wrong("claims", "has an id twice.")
    passages = {passage.key: passage for passage in row.passages or ()}
    if len(passages) < len(row.passages or ()):
        fields.wrong("passages", "has an id twice.")
    for claim in row.claims:
        if claim.start is not None and not 0 <= claim.start < (claim.end or 0) <= len(row.response):
            fields.wrong("claims", f"{claim.key!r} points outside the response.")
    _check_pointers(fields, row, set(claims))
    hands = [(entry.annotator, entry.claim) for entry in row.annotations]
    if len(set(hands)) < len(hands):
        fields.wrong("annotations", "has an annotator twice on one unit; a correction is a later version.")
    decided = [entry.claim for entry in row.adjudications if not entry.third]
    if len(set(decided)) < len(decided):
        fields.wrong("adjudications", "decides a unit twice.")
    scored = [(entry.evaluator, entry.claim, entry.criterion) for entry in row.scores]
    if len(set(scored)) < len(scored):
        fields.wrong("scores", "has an evaluator twice on one unit.")


def _check_pointers(fields: Fields, row: ResponseRow, claims: set[str]) -> None:
    named: tuple[tuple[str, Sequence[AnnotationRow | AdjudicationRow | ScoreRow]], ...] = (
        ("annotations", row.annotations),
        ("adjudications", row.adjudications),
        ("scores", row.scores),
    )
    for name, entries in named:
        for number, entry in enumerate(entries):
            if entry.claim is not None and entry.claim not in claims:
                fields.wrong(f"{name}[{number}].claim", f"{entry.claim!r} is no claim of this line.")
