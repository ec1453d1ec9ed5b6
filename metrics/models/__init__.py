"""Runs, scores and what computed them."""

from metrics.models.evaluators import Evaluator, EvaluatorVersion
from metrics.models.runs import Run, RunItem
from metrics.models.scores import Score

__all__ = ["Evaluator", "EvaluatorVersion", "Run", "RunItem", "Score"]
