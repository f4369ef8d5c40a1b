"""The list of recordings: what narrows it, what one click more would give, and one page of it."""

from recordings.listing.filters import FLAGS, OUTCOMES, SORTS, SOURCES, Filters
from recordings.listing.pages import PAGE_SIZE, Listing, list_recordings

__all__ = ["FLAGS", "OUTCOMES", "PAGE_SIZE", "SORTS", "SOURCES", "Filters", "Listing", "list_recordings"]
