"""Runs, scores and what computed them."""

from metrics.models.evaluators import Evaluator, EvaluatorVersion
from metrics.models.runs import Run, RunItem
from metrics.models.scores import Score
from metrics.models.workers import Heartbeat

__all__ = ["Evaluator", "EvaluatorVersion", "Heartbeat", "Run", "RunItem", "Score"]
