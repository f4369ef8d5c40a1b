"""A piece as a page shows it: how much of its text, which of it is wrapping, and where its places are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from recordings.media import data_urls_of
from recordings.models import Epoch, Presence, Recording
from recordings.reads.asks import Ask, asks_of
from recordings.reads.viewed import Viewed
from recordings.reads.window import Fold, Item
from recordings.recordedtext import shown
from recordings.sources import look_of

#: A longer text is cut to `_CUT_CHARS` characters, with its true size beside it.
MAX_SHOWN_CHARS: Final = 1_200
_CUT_CHARS: Final = 1_000
#: Of a message with all its fields; the arguments of a call may be of any length.
_MAX_RAW_CHARS: Final = 6_000
_NO_ID: Final = "0" * 32
_TOOLS: Final = 2
#: What a call reads its slots from, in the order of the request.
_KEYS: Final = ("systemPromptInjections", "history", "dynamicToolSchemas")


class Links:
    """Where the pages of one recording are, asked for once."""

    def __init__(self, recording: Recording) -> None:
        self._state = reverse("recordings:recording-state", args=[recording.public_id])
        self._piece = reverse("recordings:piece-detail", args=[recording.public_id, _NO_ID])
        self._memory = reverse("recordings:recording-memory", args=[recording.public_id])
        self.has_thread = recording.thread_id is not None
        self._text = reverse("recordings-api:piece-text", args=[recording.public_id, _NO_ID])

    def piece(self, piece_id: str) -> str:
        """Return the page of a piece."""
        return self._piece.replace(_NO_ID, piece_id)

    def text(self, piece_id: str) -> str:
        """Return where the whole text of a piece is."""
        return self._text.replace(_NO_ID, piece_id)

    def memory(self, store: str, entry: str) -> str:
        """Return where the stored entry of a memory is."""
        return f"{self._memory}?{urlencode({'store': store, 'entry': entry}, errors='surrogatepass')}"

    def state(self, log: str, commit: int, key: str | None = None) -> str:
        """Return the page of the state after a commit: of *key*, else of all keys."""
        at = {"log": log, "commit": commit} | ({} if key is None else {"key": key})
        return f"{self._state}?{urlencode(at, errors='surrogatepass')}"


class PlaceView(Viewed, frozen=True):
    """A commit that did something to a piece, and the page that shows the state after it."""

    #: What it did: ``origin``, ``let in``, ``landed``.
    word: str
    url: str
    #: The stage that wrote it; the words for a base where it was there before the first commit.
    name: str
    #: The epoch around it, or the words for none.
    when: str


class PieceView(Viewed, frozen=True):
    """One piece of one epoch."""

    id: str
    url: str
    text_url: str
    #: Where the entry that it was rendered from is stored; None where no conversation is known.
    entry_url: str | None
    source: str | None
    css: str
    #: What it is called by its source; None where it has no name.
    name: str | None
    tool: str | None
    turn: int | None
    #: Who said it, for an entry of memory that is a message.
    said_by: str | None
    why: str | None
    #: The role that it was sent in, where that is not what its source says.
    role: str | None
    #: ``recorded``, ``redacted`` or ``empty``.
    state: str
    n_chars: int
    #: The epoch since which it is served; None when that is the one that is shown.
    since: int | None
    is_new: bool
    #: What is shown of the text, as recorded, and how that looks.
    text: str
    html: SafeString
    is_cut: bool
    #: Whether the phrase that is traced stands in it.
    is_hit: bool
    #: Of a tool: the beginning of its description.
    about: str | None
    asks: list[Ask]
    places: list[PlaceView]
    facts: dict[str, Any]

    @property
    def n_shown(self) -> int:
        """How many characters are shown."""
        return len(self.text)

    @property
    def raw(self) -> SafeString:
        """
        The piece as the request had it: a message as JSON with its fields, a schema or a system text as it was.

        What is cut says how much of it is shown.
        """
        text, message = self.text + ("…" if self.is_cut else ""), self.facts["message"]
        if message is not None:
            role = {"role": message["role"]} if "role" in message else {}
            others = {name: value for name, value in message.items() if name != "role"}
            whole = json.dumps({**role, "content": text, **others}, ensure_ascii=False)
            text = whole
            if len(whole) > _MAX_RAW_CHARS:
                text = f"{whole[:_MAX_RAW_CHARS]}… (the first {_MAX_RAW_CHARS:,} of {len(whole):,} characters)"
        # The size of a data URL that is cut would be untrue.
        return shown(text, () if self.is_cut else data_urls_of(text))


class Hit(NamedTuple):
    """Where a phrase stands in a text, and the classes that mark it."""

    start: int
    end: int
    css: str


#: The hits in pieces, by the ids of those.
Hits: TypeAlias = Mapping[str, Sequence[Hit]]


def piece_view(presence: Presence, links: Links, epoch: Epoch, hits: Hits = MappingProxyType({})) -> PieceView:
    """Return *presence* as the page of *epoch* shows it, with *hits* marked in its text."""
    piece, facts = presence.piece, presence.piece.facts
    source, source_id, role = facts["source"], facts["source_id"], facts["role"]
    is_cut = piece.text.n_chars > MAX_SHOWN_CHARS
    text: str = piece.text.head[:_CUT_CHARS] if is_cut else piece.text.head
    name = facts["memory_entry_id"] or facts["document_id"] or source_id
    return PieceView(
        id=piece.piece_id,
        url=links.piece(piece.piece_id),
        text_url=links.text(piece.piece_id),
        entry_url=(
            links.memory(facts["memory_store"], facts["memory_entry_id"])
            if links.has_thread and facts["memory_store"] and facts["memory_entry_id"]
            else None
        ),
        source=source,
        css=look_of(source).css,
        name=None if name is None else _short(name, 80),
        tool=_short(facts["tool_name"], 80) if facts["tool_name"] and facts["tool_name"] != source_id else None,
        turn=facts["memory_turn"],
        said_by=None if facts["memory_role"] is None else _short(facts["memory_role"], 40),
        why=None if facts["reason"] is None else _short(facts["reason"], 160),
        role=None if role in (None, source, "tool") else _short(role, 40),
        state=piece.state,
        n_chars=piece.text.n_chars,
        since=None if presence.first_position == epoch.position else presence.first_position,
        is_new=presence.first_position == epoch.position and epoch.previous_position is not None,
        text=text,
        html=_html(text, facts["own"], piece.text.media, hits.get(piece.piece_id, ())),
        is_hit=piece.piece_id in hits,
        is_cut=is_cut,
        about=_description(text) if presence.slot_order == _TOOLS else None,
        asks=asks_of(facts["message"]),
        places=[
            place_view(word, facts[name], links, key)
            for word, name, key in (
                ("origin", "origin", _key_of_origin(presence)),
                ("let in", "let_in", "activeInjections"),
                ("landed", "landed", _KEYS[presence.slot_order]),
            )
            if facts[name]
        ],
        facts=facts,
    )


def _description(schema: str) -> str | None:
    """Return the beginning of the description in the *schema* of a tool; None where it has none that can be read."""
    try:
        found = json.loads(schema)
    except (ValueError, RecursionError):
        return None
    about = found.get("description") if isinstance(found, dict) else None
    return _short(about, 120) if isinstance(about, str) and about else None


def _key_of_origin(presence: Presence) -> str:
    """Return the key under which the commit that wrote a piece wrote it."""
    facts = presence.piece.facts
    if facts["source"] == "memory" and facts["memory_store"]:
        return f"memoryInjection_{facts['memory_store']}"
    return _KEYS[presence.slot_order]


def place_view(word: str, place: dict[str, Any], links: Links, key: str | None = None) -> PlaceView:
    """Return *place*, a commit that did *word* to *key*, with the page that shows the state there."""
    is_base = place["commit_index"] < 0
    epoch = place["epoch_position"]
    return PlaceView(
        word=word,
        url=links.state(place["log"], place["commit_index"], key),
        name=_short(place["runtime_stage_id"] or ("the base" if is_base else "a stage without an id"), 60),
        when=f"E{epoch}" if epoch else "before the first commit" if is_base else "",
    )


def _html(text: str, own: list[int], media: list[dict[str, Any]], hits: Sequence[Hit]) -> SafeString:
    """Return *text* with what the framework put around the piece's own words paler than those, and *hits* marked."""
    start, end = own
    if start == 0 and end >= len(text):
        return _marked(text, 0, media, hits)
    after = text[end:].rstrip("\n")
    # Line ends at the end would only show as empty lines.
    n_line_ends = len(text) - end - len(after)
    parts = [
        _wrapped(_marked(text[:start], 0, media, hits)),
        _marked(text[start:end], start, media, hits),
        _wrapped(_marked(after, end, media, hits) + (" " + "↵" * min(n_line_ends, 8) if n_line_ends > 0 else "")),
    ]
    return SafeString("".join(parts))


def _marked(text: str, start: int, media: list[dict[str, Any]], hits: Sequence[Hit]) -> SafeString:
    """Return *text*, which begins at *start* of the whole, with the hits in it marked."""
    if not hits:
        return shown(text, media, start)
    parts: list[str] = []
    at = 0
    for hit in hits:
        left, right = max(hit.start - start, at), min(hit.end - start, len(text))
        if left < right:
            parts.append(shown(text[at:left], media, start + at))
            parts.append(f'<mark class="{hit.css}">{shown(text[left:right], media, start + left)}</mark>')
            at = right
    parts.append(shown(text[at:], media, start + at))
    return SafeString("".join(parts))


def _wrapped(html: str) -> str:
    return f'<span class="piece__wrap">{html}</span>' if html else ""


def _short(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


class Block(Viewed, frozen=True):
    """Pieces of one record, joined by nothing; most records are one piece."""

    items: list[PieceView | Fold]

    @property
    def fold(self) -> Fold | None:
        """The fold that it is, if it is one."""
        return self.items[0] if isinstance(self.items[0], Fold) else None

    @property
    def head(self) -> PieceView | None:
        """Its first piece when there are several."""
        first = self.items[0]
        return first if len(self.items) > 1 and isinstance(first, PieceView) else None

    @property
    def n_chars(self) -> int:
        """How long its pieces are together."""
        return sum(item.n_chars for item in self.items)


def blocks_of(items: list[Item], links: Links, epoch: Epoch, hits: Hits = MappingProxyType({})) -> list[Block]:
    """Return *items* with the pieces of each record together, and *hits* marked in them."""
    blocks: list[Block] = []
    for item in items:
        if isinstance(item, Fold):
            blocks.append(Block([item]))
            continue
        view = piece_view(item, links, epoch, hits)
        if not view.facts["starts_record"] and blocks and isinstance(blocks[-1].items[-1], PieceView):
            blocks[-1].items.append(view)
        else:
            blocks.append(Block([view]))
    return blocks
