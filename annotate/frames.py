"""Rows to data frames: the one way in which figures read labels. Columns are documented here.

`units_frame`   unit (index), item, system, level, response, slice_value
`labels_frame`  unit, annotator, criterion, value: first independent labels only
`gold_frame`    unit, criterion, value, origin: value is missing where unresolved
"""

from collections.abc import Mapping

import pandas as pd
from django.db.models import TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from annotate.models import Gold, Label, Project, Slot
from annotate.querysets import SYSTEM, units_where


def units_frame(
    project: Project, where: Mapping[str, str] | None = None, slice_by: str | None = None
) -> pd.DataFrame:
    """One row per unit: what it belongs to, and its value of the attribute (or `system`) to slice by."""
    units = units_where(project, where or {}).order_by("pk")
    held = (
        Cast(KeyTextTransform(slice_by, "response__item__attributes"), TextField())
        if slice_by and slice_by != SYSTEM
        else Value(None, output_field=TextField())
    )
    rows = units.annotate(held=held).values_list(
        "pk", "response__item__key", "response__system__key", "claim", "response", "held"
    )
    frame = pd.DataFrame.from_records(
        list(rows), columns=["unit", "item", "system", "level", "response", "slice_value"]
    )
    frame["level"] = frame["level"].notna().map({True: "claim", False: "response"})
    if slice_by == SYSTEM:
        frame["slice_value"] = frame["system"]
    return frame.set_index("unit")


def attributes_of(project: Project) -> list[str]:
    """The attribute names by which a project can be sliced; `system` besides."""
    names: dict[str, None] = {}
    for attributes in project.items.values_list("attributes", flat=True).distinct().iterator():
        names.update(dict.fromkeys(attributes))
    return [*names, SYSTEM]


def labels_frame(project: Project) -> pd.DataFrame:
    """First independent labels. Nothing done in adjudication, and no third label, is among them."""
    labels = Label.objects.filter(
        annotation__unit__project=project,
        annotation__version=1,
        annotation__independent=True,
        annotation__slot__purpose=Slot.Purpose.INDEPENDENT,
    ).order_by("annotation__unit", "annotation__slot__number")
    rows = labels.values_list("annotation__unit", "annotation__annotator__key", "criterion__key", "value")
    return pd.DataFrame.from_records(list(rows), columns=["unit", "annotator", "criterion", "value"])


def gold_frame(project: Project) -> pd.DataFrame:
    """The gold of every complete unit."""
    rows = (
        Gold.objects.filter(unit__project=project)
        .order_by("unit", "criterion")
        .values_list("unit", "criterion__key", "value", "origin")
    )
    frame = pd.DataFrame.from_records(list(rows), columns=["unit", "criterion", "value", "origin"])
    frame["value"] = frame["value"].where(frame["value"] != "")
    return frame
