"""In which order units are offered. Plain numbers, no rows."""

import hashlib

CLAIM_BITS = 20


def slot_rank(response_id: int, claim_position: int | None, seed: str) -> int:
    """A slot's place in line: random by response, the claims of a response one after the other.

    The same for every slot of a unit, so it tells nothing of the others; each annotator starts at a
    place of their own (`first_cursor`) and goes round.
    """
    digest = hashlib.blake2b(f"{seed}:{response_id}".encode(), digest_size=8).digest()
    place = int.from_bytes(digest) >> 33
    within = 0 if claim_position is None else min(claim_position + 1, (1 << CLAIM_BITS) - 1)
    return (place << CLAIM_BITS) | within


def first_cursor(project: str, annotator: str) -> int:
    """Where an annotator starts in the line."""
    digest = hashlib.blake2b(f"{project}:{annotator}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 33) << CLAIM_BITS
