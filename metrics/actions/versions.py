"""Which evaluator version a score belongs to."""

import hashlib
import json
from typing import Any

from annotate.models import Project
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
