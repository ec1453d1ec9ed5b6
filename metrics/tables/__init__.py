"""The list of tables. A table is a module with a `build` function, and a line here."""

import hashlib
import importlib.metadata
from collections.abc import Mapping
from typing import Any

import pandas as pd
from django.utils import timezone

from annotate.frames import attributes_of
from annotate.models import Project
from metrics.assignments import BadRequest
from metrics.querysets import current_versions
from metrics.stats import GROUPINGS
from metrics.tables import accuracy, agreement, correlation, distribution, progress
from metrics.tables.gold import LABELS
from metrics.tables.table import Option, Request, Table, TableSpec

DEFAULT_SEED = 20260105


def _resamples(text: str) -> int:
    count = int(text)
    if not 0 <= count <= 100_000:
        raise ValueError("expected 0 (no interval) to 100000")
    return count


def _level(text: str) -> float:
    level = float(text)
    if not 0 < level < 1:
        raise ValueError("expected a share such as 0.95")
    return level


def _seed(text: str) -> int:
    seed = int(text)
    if seed < 0:
        raise ValueError("expected a whole number from 0 on")
    return seed


INTERVALS = (
    Option("resamples", "bootstrap resamples; 0 for no interval", 1000, _resamples),
    Option("level", "confidence level of intervals", 0.95, _level),
    Option("seed", "seed of the resampling", DEFAULT_SEED, _seed),
)
TABLES = (
    TableSpec("progress", "Progress", "Where does the study stand?", progress.build),
    TableSpec("distribution", "Distribution", "Which values do labels and gold take?", distribution.build),
    TableSpec("agreement", "Agreement", "Do the annotators agree?", agreement.build, INTERVALS),
    TableSpec("accuracy", "Accuracy", "How often is each system right?", accuracy.build, INTERVALS),
    TableSpec(
        "correlation",
        "Correlation",
        "Which score follows the people's labels?",
        correlation.build,
        (
            Option("grouping", "one grouping instead of all", None, str, GROUPINGS),
            Option(
                "labels",
                "what scores are compared with (default: gold if nominal, else mean)",
                None,
                str,
                LABELS,
            ),
            *INTERVALS,
        ),
    ),
)
BY_KEY = {spec.key: spec for spec in TABLES}
if len(BY_KEY) != len(TABLES):
    raise ValueError("Two tables share a key.")


def get_spec(key: str) -> TableSpec:
    try:
        return BY_KEY[key]
    except KeyError:
        raise BadRequest(f"No table {key!r}; choose one of {', '.join(BY_KEY)}.") from None


def make_table(
    project: Project,
    key: str,
    *,
    slice_by: str | None = None,
    where: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
) -> Table:
    """The table, computed now. Raises `BadRequest` for what is not there."""
    spec = get_spec(key)
    _check_attributes(project, slice_by, where or {})
    request = Request(project, slice_by, dict(where or {}), _read_options(spec, options or {}))
    built = spec.build(request)
    receipt = {
        "project": project.slug,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "data_hash": _hash(built.frames),
        "slice": slice_by,
        "where": dict(where or {}),
        "options": dict(request.options),
        "exclusions": dict(built.exclusions),
        "evaluators": {version.evaluator.key: version.digest for version in current_versions(project)},
        "versions": {name: importlib.metadata.version(name) for name in ("numpy", "pandas", "scipy")},
    }
    return Table(spec.key, spec.name, built.rows, built.notes, receipt)


def _check_attributes(project: Project, slice_by: str | None, where: Mapping[str, str]) -> None:
    asked = [*([slice_by] if slice_by else []), *where]
    if asked:
        known = attributes_of(project)
        for name in asked:
            if name not in known:
                raise BadRequest(f"No attribute {name!r}; the items have {', '.join(known)}.")


def _read_options(spec: TableSpec, given: Mapping[str, str]) -> dict[str, Any]:
    known = {option.name: option for option in spec.options}
    for name in given:
        if name not in known:
            raise BadRequest(f"No option {name!r} of {spec.key}; it has {', '.join(known) or 'none'}.")
    return {
        name: option.parse(given[name]) if name in given else option.default for name, option in known.items()
    }


def _hash(frames: Any) -> str:
    """A hash of the frozen rows, the same after a reload: keys go in, row ids do not."""
    digest = hashlib.sha256()
    for frame in frames:
        ordered = frame.reset_index(drop=True)
        digest.update("|".join(ordered.columns).encode())
        digest.update(pd.util.hash_pandas_object(ordered, index=False).to_numpy().tobytes())
    return digest.hexdigest()
