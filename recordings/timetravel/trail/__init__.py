"""
Trails: from a phrase to where it stands, and from there back to what wrote it.
"""

from recordings.timetravel.trail.matching import MAX_MATCHES, Match, SearchedPieces, find_matches
from recordings.timetravel.trail.searched import SearchedPiece

__all__ = ["MAX_MATCHES", "Match", "SearchedPiece", "SearchedPieces", "find_matches"]
