"""What a metric may see of one unit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """The texts of one unit, and nothing that could bias a score.

    The system's name and every human label are left out on purpose. `response` is the text being judged: for
    a claim-level unit the claim's own text. `history` holds the earlier utterances of a conversation, oldest
    first, without `question`, which is its last turn. `passages` holds body texts, without titles.
    """

    response: str
    question: str = ""
    history: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
