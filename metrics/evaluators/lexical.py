"""Word overlap between a response and its references or its passages, as in InstructQA.

Tokens come from `metrics.evaluators.text`. With p and r the tokens of response and reference and c the size
of their multiset intersection, precision is c/|p|, recall c/|r|, and F1 their harmonic mean. Against several
references every metric takes its own maximum, so a unit's F1 and its recall may come from different
references.

The edge cases are those of the published scores and are not symmetric: an empty response has precision 0
even against an empty reference, an empty reference has recall 1 whatever the response, and F1 is 1 when both
are empty. An empty reference therefore lifts recall to 1 for the whole list; importers refuse it, these
functions do not.

The knowledge metrics put the passages, joined by one space, in the reference's place. The `_pp` ("++")
variants first delete from the response every token that occurs anywhere in the query, which is the history
and the question; the passages keep theirs. When nothing of the response is left, all three are 1.

Source: Adlakha et al. 2024, "Evaluating Correctness and Faithfulness of Instruction-Following Models for
Question Answering" (TACL), with the edge cases of its released code.
"""

from collections.abc import Callable, Sequence

from metrics.evaluators.text import Prepared, n_common, prepare, prepare_joined, without_types_of

PairScore = Callable[[Prepared, Prepared], float]


def em(response: str, references: Sequence[str]) -> float:
    """Exact match: 1 if the tokens are the same in the same order, else 0."""
    return _best(_same, response, references)


def f1(response: str, references: Sequence[str]) -> float:
    """Harmonic mean of precision and recall."""
    return _best(_f1, response, references)


def precision(response: str, references: Sequence[str]) -> float:
    """Share of the response's tokens that the reference has too."""
    return _best(_precision, response, references)


def recall(response: str, references: Sequence[str]) -> float:
    """Share of the reference's tokens that the response has too."""
    return _best(_recall, response, references)


def recall_strict(response: str, references: Sequence[str]) -> float:
    """1 if the normalised reference is a stretch of characters of the normalised response, else 0.

    Characters, not words: "art" is found in "artist".
    """
    return _best(_contains, response, references)


def k_f1(response: str, passages: Sequence[str]) -> float:
    """F1 between the response and its passages."""
    return _f1(prepare(response), prepare_joined(passages))


def k_precision(response: str, passages: Sequence[str]) -> float:
    """Share of the response's tokens that the passages have too.

    Counts are clipped: a word said more often than the passages say it lowers the score.
    """
    return _precision(prepare(response), prepare_joined(passages))


def k_recall(response: str, passages: Sequence[str]) -> float:
    """Share of the passages' tokens that the response has too."""
    return _recall(prepare(response), prepare_joined(passages))


def k_f1_pp(response: str, passages: Sequence[str], query: Sequence[str]) -> float:
    """K-F1 of what the response adds to the query."""
    return _beyond_query(_f1, response, passages, query)


def k_precision_pp(response: str, passages: Sequence[str], query: Sequence[str]) -> float:
    """K-precision of what the response adds to the query."""
    return _beyond_query(_precision, response, passages, query)


def k_recall_pp(response: str, passages: Sequence[str], query: Sequence[str]) -> float:
    """K-recall of what the response adds to the query."""
    return _beyond_query(_recall, response, passages, query)


def _best(score: PairScore, response: str, references: Sequence[str]) -> float:
    if isinstance(references, str):
        raise TypeError(f"Expected a list of references, got one text: {references[:40]!r}.")
    if not references:
        raise ValueError("No reference to compare with; ask `missing` before computing.")
    prepared = prepare(response)
    return max([score(prepared, prepare(reference)) for reference in references])


def _beyond_query(score: PairScore, response: str, passages: Sequence[str], query: Sequence[str]) -> float:
    rest = without_types_of(prepare(response), prepare_joined(query))
    return score(rest, prepare_joined(passages)) if rest.tokens else 1.0


def _same(response: Prepared, reference: Prepared) -> float:
    return float(response.normalised == reference.normalised)


def _contains(response: Prepared, reference: Prepared) -> float:
    return float(reference.normalised in response.normalised)


def _precision(response: Prepared, reference: Prepared) -> float:
    if not response.tokens:
        return 0.0
    return n_common(response, reference) / response.n_tokens


def _recall(response: Prepared, reference: Prepared) -> float:
    if not reference.tokens:
        return 1.0
    return n_common(response, reference) / reference.n_tokens


def _f1(response: Prepared, reference: Prepared) -> float:
    if not response.tokens or not reference.tokens:
        return float(response.tokens == reference.tokens)
    # 2PR/(P+R) with c cancelled: the same number, one rounding instead of four.
    return 2 * n_common(response, reference) / (response.n_tokens + reference.n_tokens)
