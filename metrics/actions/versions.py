"""Which evaluator version a score belongs to."""

import hashlib
import json
from typing import Any

from annotate.models import Project
from metrics.evaluators import Metric
from metrics.models import Evaluator, EvaluatorVersion

IMPORTED: dict[str, Any] = {"provenance": "imported"}


def digest(recipe: dict[str, Any]) -> str:
    """The hash of all that a version's scores depend on."""
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()


def response_hash(text: str) -> str:
    """What a score keeps of the text it was computed on."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def imported_version(project: Project, key: str, defaults: dict[str, Any]) -> EvaluatorVersion:
    """The version that holds the scores of this key brought from elsewhere."""
    evaluator, _ = Evaluator.objects.get_or_create(
        project=project,
        key=key,
        defaults={"name": key, "provenance": Evaluator.Provenance.IMPORTED, **defaults},
    )
    version, _ = EvaluatorVersion.objects.get_or_create(
        evaluator=evaluator, digest=digest(IMPORTED), defaults={"recipe": IMPORTED}
    )
    return version


def computed_version(project: Project, metric: Metric) -> EvaluatorVersion:
    """The version of a catalogue metric as the code stands now."""
    evaluator, _ = Evaluator.objects.get_or_create(
        project=project,
        key=metric.key,
        defaults={
            "name": metric.name,
            "provenance": Evaluator.Provenance.COMPUTED,
            "higher_is_better": metric.higher_is_better,
        },
    )
    if evaluator.provenance != Evaluator.Provenance.COMPUTED:
        raise ValueError(
            f"{metric.key!r} names scores that were imported into this project; export them under another key first."
        )
    recipe = {"metric": metric.key, "revision": metric.revision, "parameters": {}}
    version, _ = EvaluatorVersion.objects.get_or_create(
        evaluator=evaluator, digest=digest(recipe), defaults={"recipe": recipe}
    )
    return version
