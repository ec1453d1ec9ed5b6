"""Which evaluator version a score belongs to."""

import hashlib
import json
from typing import Any

from annotate.models import Project
from metrics.evaluators import Metric
from metrics.models import Evaluator, EvaluatorVersion


def digest(recipe: dict[str, Any]) -> str:
    """The hash of all that a version's scores depend on."""
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()


def response_hash(text: str) -> str:
    """What a score keeps of the text it was computed on."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def imported_version(project: Project, key: str, defaults: dict[str, Any]) -> EvaluatorVersion:
    """The version that holds the scores of this key brought from elsewhere."""
    evaluator, _ = Evaluator.objects.get_or_create(
        project=project, key=key, defaults={"name": key, **defaults}
    )
    return _version(evaluator, EvaluatorVersion.Provenance.IMPORTED, {"imported": key})


def computed_version(project: Project, metric: Metric) -> EvaluatorVersion:
    """The version of a catalogue metric as the code stands now."""
    evaluator, _ = Evaluator.objects.get_or_create(
        project=project,
        key=metric.key,
        defaults={"name": metric.name, "higher_is_better": metric.higher_is_better},
    )
    return _version(evaluator, EvaluatorVersion.Provenance.COMPUTED, recipe_of(metric))


def recipe_of(metric: Metric) -> dict[str, Any]:
    """What the scores of a catalogue metric depend on."""
    return {"metric": metric.key, "revision": metric.revision, "parameters": {}}


def _version(evaluator: Evaluator, provenance: str, recipe: dict[str, Any]) -> EvaluatorVersion:
    version, _ = EvaluatorVersion.objects.get_or_create(
        evaluator=evaluator, digest=digest(recipe), defaults={"recipe": recipe, "provenance": provenance}
    )
    return version
