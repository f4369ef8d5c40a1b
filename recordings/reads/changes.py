"""A difference as a page shows it: slot by slot, in the order of the request, by words inside what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from recordings.models import Epoch, NotServed, Presence
from recordings.reads.difference import Difference, difference_of
from recordings.reads.pieceview import Links, PieceView, piece_view
from recordings.reads.served import presences_at
from recordings.reads.viewed import Viewed
from recordings.timetravel.pieces import SLOTS
from recordings.worddiff import Sign, word_changes

Kind: TypeAlias = Literal["added", "removed", "changed", "moved"]
#: So many changes are shown at once.
N_SHOWN: Final = 60
_MAX_KEPT: Final = 12
_MESSAGES: Final = 1


class Change(Viewed, frozen=True):
    """One piece that is not as it was."""

    kind: Kind
    view: PieceView
    #: Of a changed piece: how the text came from the one before.
    words: list[tuple[Sign, str]] | None = None
    #: Whether only the beginnings were compared.
    is_cut: bool = False
    #: Of a removed piece: why it is not served any more, where the recording tells.
    reason: str | None = None


class Same(Viewed, frozen=True):
    """A piece that stays as it was."""

    source: str | None
    name: str | None


class SlotChanges(Viewed, frozen=True):
    """What changed in one slot."""

    name: str
    number: int
    state: str
    changes: list[Change]
    n_same: int
    #: What stays, by source and name, where it is little: not of messages.
    same: list[Same]


class Changes(Viewed, frozen=True):
    """What changed between two epochs."""

    before: Epoch
    after: Epoch
    slots: list[SlotChanges]
    n_by_kind: dict[Kind, int]
    n_same: int
    #: Of all changes, which are shown.
    n_changes: int
    start: int
    #: Messages that are served at both.
    n_kept_messages: int

    @property
    def end(self) -> int:
        """The number of the last change that is shown."""
        return min(self.start + N_SHOWN, self.n_changes)


def changes_of(links: Links, before: Epoch, after: Epoch, not_served: Iterable[NotServed], start: int = 0) -> Changes:
    """
    Return what changed from *before* to *after*, of many changes those from *start* on.

    Args:
        not_served: What *after* was not served; it may tell why something is gone.
    """
    reasons = {row.text: row.facts["reason"] for row in not_served if row.text is not None}
    difference = difference_of(before, after, has_heads_only=True)
    ordered = sorted(_signed(difference), key=lambda signed: (signed[1].slot_order, signed[1].order))
    shown = ordered[start : start + N_SHOWN]
    slots = []
    kept = _kept(before, after)
    for number, name in enumerate(SLOTS):
        here = [signed for signed in shown if signed[1].slot_order == number]
        n_new = sum(kind != "removed" for kind, presence, _ in ordered if presence.slot_order == number)
        changes = [_change(links, before, after, *signed, reasons) for signed in here]
        slots.append(
            SlotChanges(name, number, _state(after, number), changes, after.n_pieces[number] - n_new, kept[number])
        )
    n_by_kind: dict[Kind, int] = {
        "added": len(difference.added),
        "removed": len(difference.removed),
        "changed": len(difference.changed),
        "moved": len(difference.moved),
    }
    return Changes(
        before=before,
        after=after,
        slots=slots,
        n_by_kind=n_by_kind,
        n_same=sum(slot.n_same for slot in slots),
        n_changes=len(ordered),
        start=start,
        n_kept_messages=slots[1].n_same,
    )


def _kept(before: Epoch, after: Epoch) -> list[list[Same]]:
    """Return by slot what both epochs are served, the first of it, without reading a text."""
    kept: list[list[Same]] = [[] for _ in SLOTS]
    if before.lane == after.lane:
        low, high = sorted((before.position, after.position))
        staying = (
            presences_at(after)
            .filter(first_position__lte=low, last_position__gte=high)
            .exclude(slot_order=_MESSAGES)
            .values_list("slot_order", "piece__facts")[:_MAX_KEPT]
        )
        for slot, facts in staying:
            kept[slot].append(Same(facts["source"], facts["document_id"] or facts["source_id"] or facts["tool_name"]))
    return kept


def _state(epoch: Epoch, slot: int) -> str:
    return (epoch.system_state, epoch.messages_state, epoch.tools_state)[slot]


def _signed(difference: Difference) -> Sequence[tuple[Kind, Presence, Presence | None]]:
    return [
        *(("added", presence, None) for presence in difference.added),
        *(("removed", presence, None) for presence in difference.removed),
        *(("changed", new, old) for old, new in difference.changed),
        *(("moved", presence, None) for presence in difference.moved),
    ]


def _change(
    links: Links,
    before: Epoch,
    after: Epoch,
    kind: Kind,
    presence: Presence,
    old: Presence | None,
    reasons: Mapping[str, str | None],
) -> Change:
    view = piece_view(presence, links, before if kind == "removed" else after)
    if old is None:
        # A text longer than a head is too long to stand for the message that it was.
        is_told = kind == "removed" and presence.piece.text.n_chars == len(presence.piece.text.head)
        return Change(kind, view, reason=reasons.get(presence.piece.text.head) if is_told else None)
    old_text, new_text = old.piece.text, presence.piece.text
    is_cut = len(old_text.head) < old_text.n_chars or len(new_text.head) < new_text.n_chars
    return Change(kind, view, word_changes(old_text.head, new_text.head), is_cut)
