"""People label units; two labels become one.

Holds the material (items, responses, passages), the people, their labels and how a disagreement is
settled. It knows nothing of metrics: it never imports `metrics`.
"""
