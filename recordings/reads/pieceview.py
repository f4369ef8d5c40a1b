"""A piece as a page shows it: how much of its text, which of it is wrapping, and where its places are."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from django.urls import reverse

from recordings.models import Epoch, Piece, Presence, Recording
from recordings.reads.window import Fold, Item
from recordings.services.media import data_urls_of

#: A longer text is cut after this many characters, with its true size beside it.
MAX_SHOWN_CHARS: Final = 1_200
#: Of a message with all its fields; the arguments of a call may be of any length.
MAX_RAW_CHARS: Final = 6_000
_CUT_CHARS: Final = 1_000
MAX_ARGS_CHARS: Final = 400
_MAX_ASKS: Final = 20


class PlaceView(msgspec.Struct, frozen=True):
    """A commit that wrote something, and the page that shows the state after it."""

    url: str
    #: The stage that wrote it; the words for a base where it was there before the first commit.
    name: str
    commit_index: int
    epoch_position: int | None


class Ask(msgspec.Struct, frozen=True):
    """A call that a message asks for, as it says so."""

    id: str | None
    name: str | None
    #: The arguments as JSON, cut; how long they are in all; None when they are not recorded.
    args: str | None
    n_chars: int


class PieceView(msgspec.Struct, frozen=True):
    """One piece of one epoch."""

    piece: Piece
    facts: dict[str, Any]
    first_position: int
    #: What is shown of the text, cut in three: what the framework put around it, its own words, and the same again.
    before: str
    own: str
    after: str
    #: Line ends after that, which would only show as empty lines.
    n_line_ends: int
    is_cut: bool
    is_new: bool
    url: str
    origin: PlaceView
    landed: PlaceView
    let_in: PlaceView | None

    @property
    def n_shown(self) -> int:
        """How many characters are shown."""
        return len(self.before) + len(self.own) + len(self.after) + self.n_line_ends

    @property
    def n_shown_before(self) -> int:
        """Where what is shown last begins in the text."""
        return len(self.before) + len(self.own)

    @property
    def line_ends(self) -> str:
        """A sign for each line end that is not shown as a line, the first of them."""
        return " " + "↵" * min(self.n_line_ends, 8)

    @property
    def asks(self) -> list[Ask]:
        """The calls of tools that an assistant's message asks for, the first of them."""
        message = self.facts["message"]
        calls = message.get("toolCalls") if isinstance(message, dict) else None
        return [_ask(call) for call in (calls if isinstance(calls, list) else [])[:_MAX_ASKS] if isinstance(call, dict)]

    @property
    def raw(self) -> str:
        """
        The piece as the request had it: a message as JSON with its fields, a schema or a system text as it was.

        What is cut says how much of it is shown.
        """
        text, message = self.before + self.own + self.after + "\n" * self.n_line_ends, self.facts["message"]
        if message is None:
            return text + ("…" if self.is_cut else "")
        role = {"role": message["role"]} if "role" in message else {}
        others = {name: value for name, value in message.items() if name != "role"}
        content = text + ("…" if self.is_cut else "")
        whole = json.dumps({**role, "content": content, **others}, ensure_ascii=False)
        if len(whole) <= MAX_RAW_CHARS:
            return whole
        return f"{whole[:MAX_RAW_CHARS]}… (the first {MAX_RAW_CHARS:,} of {len(whole):,} characters)"

    @property
    def raw_media(self) -> list[dict[str, Any]]:
        """The data URLs in `raw`, by where they stand there; none of what is cut, whose size would be untrue."""
        return [] if self.is_cut else data_urls_of(self.raw)


def _ask(call: dict[str, Any]) -> Ask:
    args = json.dumps(call["args"], ensure_ascii=False) if "args" in call else None
    return Ask(
        id=call["id"] if isinstance(call.get("id"), str) else None,
        name=call["name"] if isinstance(call.get("name"), str) else None,
        args=None if args is None else args[:MAX_ARGS_CHARS],
        n_chars=len(args or ""),
    )


def piece_view(presence: Presence, recording: Recording, epoch: Epoch) -> PieceView:
    """Return *presence* as the page of *epoch* shows it."""
    piece, facts = presence.piece, presence.piece.facts
    head: str = piece.text.head
    is_cut = piece.text.n_chars > MAX_SHOWN_CHARS
    shown = head[:_CUT_CHARS] if is_cut else head
    start, end = facts["own"]
    return PieceView(
        piece=piece,
        facts=facts,
        first_position=presence.first_position,
        before=shown[:start],
        own=shown[start:end],
        after=shown[end:].rstrip("\n"),
        n_line_ends=len(shown[end:]) - len(shown[end:].rstrip("\n")),
        is_cut=is_cut,
        is_new=presence.first_position == epoch.position and epoch.previous_position is not None,
        url=reverse("recordings:piece-detail", args=[recording.public_id, piece.piece_id]),
        origin=place_view(recording, facts["origin"]),
        landed=place_view(recording, facts["landed"]),
        let_in=place_view(recording, facts["let_in"]) if facts["let_in"] else None,
    )


def place_view(recording: Recording, place: dict[str, Any]) -> PlaceView:
    """Return *place* with the page that shows the state there."""
    at = urlencode({"log": place["log"], "commit": place["commit_index"]}, errors="surrogatepass")
    return PlaceView(
        url=f"{reverse('recordings:recording-state', args=[recording.public_id])}?{at}",
        name=place["runtime_stage_id"] or ("the base" if place["commit_index"] < 0 else "a stage without an id"),
        commit_index=place["commit_index"],
        epoch_position=place["epoch_position"],
    )


class Block(msgspec.Struct, frozen=True):
    """Pieces of one record, joined by nothing; most records are one piece."""

    items: list[PieceView | Fold]

    @property
    def is_record(self) -> bool:
        """Whether there is more than one."""
        return len(self.items) > 1

    @property
    def head(self) -> PieceView | None:
        """The first piece that is shown."""
        return next((item for item in self.items if isinstance(item, PieceView)), None)


def blocks_of(items: list[Item], recording: Recording, epoch: Epoch) -> list[Block]:
    """Return *items* with the pieces of each record together."""
    blocks: list[Block] = []
    for item in items:
        if isinstance(item, Fold):
            blocks.append(Block([item]))
            continue
        view = piece_view(item, recording, epoch)
        is_joined = not view.facts["starts_record"] and blocks and isinstance(blocks[-1].items[-1], PieceView)
        if is_joined:
            blocks[-1].items.append(view)
        else:
            blocks.append(Block([view]))
    return blocks
