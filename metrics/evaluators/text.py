"""The normaliser of the question-answering papers, and texts prepared once for all metrics that need them.

The rules, in this order: lower-case; delete the 32 ASCII punctuation characters, leaving nothing in their
place ("twenty-first" is one token); replace the whole words *a*, *an* and *the* by a space; collapse white
space. Tokens are what stands between white space. Typographic quotes and dashes stay, accents stay, numbers
are not interpreted.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = string.punctuation.encode("ascii")

# The prepared form of a text takes some fifteen times its size, so each shelf stays near 30 MB.
SHELF_CHARACTERS = 2_000_000


def tokenise(text: str | None) -> list[str]:
    """Return the normalised tokens of a text; none for an empty or absent one."""
    if not text:
        return []
    tokens = [token for token in _without_punctuation(text.lower()).split() if token not in ARTICLES]
    if "".join(tokens).isalnum():
        return tokens
    # Other signs than letters and digits end words too: an article may stand inside a token ("the’").
    pieces: list[str] = []
    for token in tokens:
        if token.isalnum():
            pieces.append(token)
        else:
            pieces += _ARTICLE.sub(" ", token).split()
    return pieces


def _without_punctuation(text: str) -> str:
    # No byte of a longer UTF-8 sequence is an ASCII one, so deleting bytes is safe; str.translate takes forty
    # times as long on a text with a single typographic quote.
    return (
        text.encode("utf-8", "surrogatepass").translate(None, _PUNCTUATION).decode("utf-8", "surrogatepass")
    )


def normalise(text: str | None) -> str:
    """Return the normalised text: its tokens with one space between them."""
    return " ".join(tokenise(text))


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A text after normalisation, in the three shapes that metrics ask for. Shared: treat as read-only."""

    normalised: str
    tokens: tuple[str, ...]
    counts: Counter[str]

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)


class _Shelf(dict[str | tuple[str, ...], Prepared]):
    """Prepared texts by their source, bounded by the characters they came from.

    A full shelf is emptied: units are scored in order, so what is lost is at most the few texts in use. A
    hit is a plain dict look-up. Two threads that miss at once do the same work twice and agree on the
    result.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity
        self.characters = 0

    def __missing__(self, source: str | tuple[str, ...]) -> Prepared:
        text = source if isinstance(source, str) else " ".join(source)
        tokens = tuple(tokenise(text))
        prepared = Prepared(" ".join(tokens), tokens, Counter(tokens))
        if self.characters + len(text) > self.capacity:
            self.clear()
        self.characters += len(text)
        self[source] = prepared
        return prepared

    def clear(self) -> None:
        super().clear()
        self.characters = 0


_shelf = _Shelf(SHELF_CHARACTERS)


def prepare(text: str | None) -> Prepared:
    """Return the prepared form of a text, computed once while the text is in use."""
    return _shelf[text or ""]


def prepare_joined(texts: Sequence[str]) -> Prepared:
    """Return the prepared form of several texts joined by one space, computed once per list."""
    if isinstance(texts, str):
        raise TypeError(f"Expected a list of texts, got one text: {texts[:40]!r}.")
    return _shelf[tuple(texts)]


# A handful of pairs is enough: the metrics of one unit are computed one after another.
@lru_cache(maxsize=32)
def n_common(one: Prepared, other: Prepared) -> int:
    """Return the size of the multiset intersection: each token counts as often as it occurs in both."""
    few, many = one.counts, other.counts
    if len(few) > len(many):
        few, many = many, few
    n = 0
    for token, count in few.items():
        if token in many:
            n += min(count, many[token])
    return n


@lru_cache(maxsize=32)
def without_types_of(text: Prepared, other: Prepared) -> Prepared:
    """Return the text less every token, at all its places, whose type occurs in the other text."""
    tokens = tuple(token for token in text.tokens if token not in other.counts)
    return Prepared(" ".join(tokens), tokens, Counter(tokens))


def forget() -> None:
    """Let go of every prepared text; the next use prepares it again."""
    _shelf.clear()
    n_common.cache_clear()
    without_types_of.cache_clear()
