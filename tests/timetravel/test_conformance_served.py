"""Conformance: the served view of every epoch that has a golden, its gaps, its receipt and what that proves."""

import pytest

from recordings.timetravel import (
    epoch_locations,
    message_digest_input,
    receipt_at,
    receipt_hash,
    served_at,
    tool_digest_input,
    verify,
)
from tests.corpus import golden, golden_names, needs_corpus, recording_named, same, utf16

NAMES = golden_names(".served")
#: The only recording of which the record shows less than went out: it lost its base.
SHORT = "flat-receipt-resumed-nobase"

pytestmark = [needs_corpus, pytest.mark.parametrize("name", NAMES)]


def epochs(name: str) -> list:
    """The epochs of a recording: where each is, its served context, and the golden's view, receipt and law."""
    recording, expected = recording_named(name), golden(f"{name}.served")
    locations = epoch_locations(recording)
    columns = [expected[column] for column in ("views", "receipts", "law")]
    served = [served_at(recording, location) for location in locations]
    return list(zip(locations, served, *columns, strict=True))


def view_row(served) -> dict:
    """A served context as the reference spells it."""
    row = {
        "epoch": served.epoch,
        "callRuntimeStageId": served.call_runtime_stage_id,
        "system": {
            "text": served.system.text,
            "pieces": [
                {"text": piece.text, "slot": piece.slot, "source": piece.source} for piece in served.system.pieces
            ],
        },
        "messages": {"asSent": served.messages, "requestOnly": served.request_only},
        "tools": {"names": served.tools.names, "schemas": served.tools.schemas},
        "gaps": [gap_row(gap) for gap in served.gaps],
    }
    if served.basis is not None:
        row["basis"] = {
            "model": served.basis.model,
            "provider": served.basis.provider,
            "runId": served.basis.run_id,
        }
    for name in ("forced", "withheld"):
        if getattr(served.tools, name) is not None:
            row["tools"][name] = getattr(served.tools, name)
    return row


def gap_row(gap) -> dict:
    row = {"gap": gap.gap, "fields": gap.fields}
    return row if gap.cause is None else {**row, "cause": gap.cause}


def test_views(name):
    """Every field of the view: system, messages, tools, gaps in order with their fields and causes, and the basis."""
    assert epochs(name)
    for _, served, view, _, _ in epochs(name):
        assert same(view_row(served), view)


def test_receipts(name):
    for location, served, _, receipt, _ in epochs(name):
        assert same(receipt_at(location), receipt)
        assert same(receipt_at(recording_named(name), location), receipt)
        assert (served.basis is None) == (receipt is None)


def test_the_law(name):
    """The digests of what is served are those of the receipt, exactly where the reference found them to be."""
    for _, served, _, receipt, law in epochs(name):
        if receipt is None:
            assert law["receipt"] is None
            continue
        run_id, system, tools = receipt["basis"]["runId"], receipt["system"], receipt["tools"]
        pieces = [
            {"hash": receipt_hash(run_id, piece.text), "slot": piece.slot, "source": piece.source}
            for piece in served.system.pieces
        ]
        entries = [receipt_hash(run_id, message_digest_input(message)) for message in served.messages]
        schemas = {tool["name"]: receipt_hash(run_id, tool_digest_input(tool)) for tool in served.tools.schemas}
        assert law == {
            "epoch": served.epoch,
            "system": receipt_hash(run_id, served.system.text) == system["hash"],
            "chars": len(utf16(served.system.text)) // 2 == system["chars"],
            "pieces": pieces == system["pieces"],
            "messages": entries == [entry["hash"] for entry in receipt["messages"]["entries"]],
            # The reference asks only about the schemas that are on record.
            "tools": schemas.items() <= tools["schemaHashes"].items(),
            "names": served.tools.names == tools["names"],
            "withheld": served.tools.withheld == tools["withheld"],
        }


def test_every_receipt_verifies_but_where_the_base_was_lost(name):
    for _, served, _, receipt, _ in epochs(name):
        states = {check.row: check.state for check in verify(served, receipt)}
        if receipt is None:
            assert set(states.values()) == {"no-receipt-on-chart"}
        elif name != SHORT:
            assert set(states.values()) == {"verified"}
        else:
            assert {row for row, state in states.items() if state == "differs"} == {
                "system.hash",
                "system.chars",
                "system.pieces",
                "messages.count",
                "messages.entries",
                "tools.names",
                "tools.schemaHashes",
            }


def test_what_differs_is_what_a_gap_had_left_unproven(name):
    for _, served, _, receipt, _ in epochs(name):
        for check in verify(served, receipt):
            if check.state == "differs":
                assert "no-fold-base" in check.gaps
