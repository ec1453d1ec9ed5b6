"""Scores by metrics and judges, and the figures about labels and scores.

Reads labels through `annotate.frames` only and never changes one.
"""
