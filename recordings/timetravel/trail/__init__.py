"""
Trails: from a phrase to where it stands, and from there back to what wrote it.
"""

from recordings.timetravel.trail.candidates import Candidate, candidates_for, hops_of, trace_back
from recordings.timetravel.trail.claims import ClaimSpan, claims_in
from recordings.timetravel.trail.evidence import Evidence, LaneAnswer, Served, served_evidence
from recordings.timetravel.trail.hops import Hop
from recordings.timetravel.trail.influence import influence_in_any_script, lexical_influence, ranking_confidence
from recordings.timetravel.trail.matching import MAX_MATCHES, Match, SearchedPieces, find_matches
from recordings.timetravel.trail.searched import SearchedPiece
from recordings.timetravel.trail.supported import AnswerClaims, Claim, claims, claims_of
from recordings.timetravel.trail.verdict import Disagreement, answer_of, disagreements_of

__all__ = [
    "MAX_MATCHES",
    "AnswerClaims",
    "Candidate",
    "Claim",
    "ClaimSpan",
    "Disagreement",
    "Evidence",
    "Hop",
    "LaneAnswer",
    "Match",
    "SearchedPiece",
    "SearchedPieces",
    "Served",
    "answer_of",
    "candidates_for",
    "claims",
    "claims_in",
    "claims_of",
    "disagreements_of",
    "find_matches",
    "hops_of",
    "influence_in_any_script",
    "lexical_influence",
    "ranking_confidence",
    "served_evidence",
    "trace_back",
]
