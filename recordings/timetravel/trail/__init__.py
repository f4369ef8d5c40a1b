"""
Trails: from a phrase to where it stands, and from there back to what wrote it.
"""

from recordings.timetravel.trail.claims import ClaimSpan, claims_in
from recordings.timetravel.trail.influence import influence_in_any_script, lexical_influence, ranking_confidence
from recordings.timetravel.trail.matching import MAX_MATCHES, Match, SearchedPieces, find_matches
from recordings.timetravel.trail.searched import SearchedPiece

__all__ = [
    "MAX_MATCHES",
    "ClaimSpan",
    "Match",
    "SearchedPiece",
    "SearchedPieces",
    "claims_in",
    "find_matches",
    "influence_in_any_script",
    "lexical_influence",
    "ranking_confidence",
]
