"""What the page of one piece shows: a part of its text, the places of a phrase, and where it was served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from recordings.models import Piece, Presence, Recording
from recordings.recordedtext import Shower
from recordings.textparts import Found, Part, part_at

MAX_LISTED: Final = 50
#: More marks would make the page larger than its text.
_MAX_MARKS: Final = 500
_CONTEXT_CHARS: Final = 60


def text_of(piece: Piece, at: int | None, phrase: str, *, is_appended: bool) -> dict[str, Any]:
    """
    Return the part of the text of *piece* that holds character *at*, and what is known of *phrase*.

    at: from 0; None for the first place of *phrase*, or the start of the text.
    is_appended: whether the part goes below another one, where it points at no place of its own.
    """
    text, media = piece.text.content, piece.text.media
    found = Found(text, phrase) if phrase else None
    if at is None:
        at = found.starts[0] if found and found.starts else 0
    part = part_at(at, len(text), media)
    hits = found.between(part.start, part.end) if found else []
    here = at if at in hits and not is_appended else None
    shown = _marked(text, part, media, _marks(hits, found.length if found else 0, here), here)
    context: dict[str, Any] = {
        "part": part,
        "shown": shown,
        "has_media": any(url["start"] < part.end and url["end"] > part.start for url in media),
        "n_in_part": len(hits),
        "n_marked": min(len(hits), _MAX_MARKS),
        "addresses": {
            name: address(phrase, offset)
            for name, offset in (("first", 0), ("earlier", part.earlier), ("later", part.later), ("last", part.last))
            if offset is not None and offset != part.start
        },
    }
    return context | ({"found": _found_of(found, text, phrase, here, at)} if found else {})


def address(phrase: str, at: int, anchor: str = "") -> str:
    """Return the query of the page that shows character *at* and looks for *phrase*."""
    query = {"from": at} | ({"find": phrase} if phrase else {})
    return f"?{urlencode(query)}{anchor}"


def _found_of(found: Found, text: str, phrase: str, here: int | None, at: int) -> dict[str, Any]:
    shower = Shower()
    before, after = found.before(at), found.after(at)
    return {
        "n": len(found.starts),
        "is_more": found.is_more,
        "number": None if here is None else found.number_of(here),
        "previous": None if before is None else address(phrase, before, "#hit"),
        "next": None if after is None else address(phrase, after, "#hit"),
        "listed": [
            {
                "at": start,
                "is_here": start == here,
                "address": address(phrase, start, "#hit"),
                "is_cut": start > _CONTEXT_CHARS,
                "before": shower.show(text[max(start - _CONTEXT_CHARS, 0) : start]),
                "hit": shower.show(text[start : start + found.length]),
                "after": shower.show(text[start + found.length : start + found.length + _CONTEXT_CHARS]),
                "goes_on": start + found.length + _CONTEXT_CHARS < len(text),
            }
            for start in found.starts[:MAX_LISTED]
        ],
    }


def _marks(hits: list[int], length: int, here: int | None) -> list[tuple[int, int]]:
    """Return the first and the last character after each place to mark, the one at *here* among them."""
    marked = hits[:_MAX_MARKS]
    if here is not None and here not in marked:
        marked[-1] = here
    return [(start, start + length) for start in marked]


def _marked(
    text: str, part: Part, media: Sequence[Mapping[str, Any]], marks: list[tuple[int, int]], here: int | None
) -> SafeString:
    shown: list[str] = []
    shower, at = Shower(), part.start
    for first, after in marks:
        # A place in a data URL marks the chip, which stands for all of it.
        touched = [url for url in media if url["start"] < after and url["end"] > first]
        start = min([first, *(url["start"] for url in touched)])
        end = min(max([after, *(url["end"] for url in touched)]), part.end)
        if end <= at and first != here:
            continue
        start = max(start, at)
        shown.append(shower.show(text[at:start], media, at))
        marked = shower.show(text[start:end], media, start)
        opened = '<mark class="hit hit--here" id="hit">' if first == here else '<mark class="hit">'
        shown.append(f"{opened}{marked}</mark>")
        at = max(end, at)
    shown.append(shower.show(text[at : part.end], media, at))
    return SafeString("".join(shown))


def named_facts(piece: Piece) -> list[tuple[str, Any]]:
    """Return what the recording says of *piece*, by name; None where it leaves out what others of its slot have."""
    facts = piece.facts
    always = [("source id", facts["source_id"])] if piece.slot != "messages" else [("role", facts["role"])]
    always += [("reason", facts["reason"])] if piece.slot == "system-prompt" else []
    sometimes = [
        # The source id of a tool result is the id of its call.
        ("source id", facts["source_id"] if piece.slot == "messages" and not facts["tool_call_id"] else None),
        ("reason", facts["reason"] if piece.slot != "system-prompt" else None),
        ("recorded as", facts["recorded_source"]),
        ("tool", facts["tool_name"]),
        ("tool call", facts["tool_call_id"]),
        ("memory store", facts["memory_store"]),
        ("memory entry", facts["memory_entry_id"]),
        ("turn", facts["memory_turn"]),
        ("document", facts["document_id"]),
        ("stands for", f"{facts['n_folded']:,} earlier messages" if facts["n_folded"] else None),
    ]
    return always + [(name, value) for name, value in sometimes if value is not None]


def served_in(recording: Recording, piece: Piece) -> dict[str, Any]:
    """Return the spans of epochs in which *piece* was served, by lane, the first fifty."""
    rows = Presence.objects.filter(piece=piece).order_by("lane", "first_position", "last_position")
    spans = [
        {"lane_name": recording.lanes[row.lane], "first": row.first_position, "last": row.last_position}
        for row in rows[: MAX_LISTED + 1]
    ]
    return {"spans": spans[:MAX_LISTED], "is_more": len(spans) > MAX_LISTED}


def places_of(recording: Recording, piece: Piece) -> list[tuple[str, dict[str, Any]]]:
    """Return the commits that made *piece* what it is, each with the address of its state."""
    path = reverse("recordings:recording-state", args=[recording.public_id])
    places = []
    for name, word in (("origin", "origin"), ("let_in", "let in"), ("landed", "landed")):
        if (place := piece.facts[name]) is not None:
            # A recorded name may hold half of a character.
            query = urlencode({"log": place["log"], "commit": place["commit_index"]}, errors="surrogatepass")
            places.append((word, {**place, "address": f"{path}?{query}"}))
    return places
