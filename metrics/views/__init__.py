"""The researcher's pages. Whoever sees a figure here sees other people's labels: annotators do not enter."""
