"""Pieces and presences: what they rebuild on every real run, and where each piece comes from."""

import itertools

import pytest

from recordings.timetravel import (
    all_epoch_locations,
    changes_between,
    context_of,
    decode_recording,
    epoch_locations,
    lanes,
    read_at_call,
    served_at,
)
from tests.corpus import needs_corpus, read_bytes, recording_files, recording_named

NAMES = list(recording_files())
SHORT = [name for name in NAMES if "600" not in name]
pytestmark = needs_corpus


def epochs(name):
    recording = recording_named(name)
    return recording, context_of(recording), all_epoch_locations(recording)


def system_text(presences) -> str:
    text = ""
    for presence in presences:
        if presence.slot == "system-prompt":
            text += ("\n\n" if text and presence.piece.starts_record else "") + presence.piece.text
    return text


@pytest.mark.parametrize("name", NAMES)
def test_the_presences_rebuild_the_served_view_of_every_epoch(name):
    """System text, messages in order and tools in order, at every call of every lane."""
    recording, context, locations = epochs(name)
    for location in locations:
        served, presences = served_at(recording, location), context.at(location.position)

        assert system_text(presences) == served.system.text
        assert [p.piece.value for p in presences if p.slot == "messages"] == list(served.messages)
        assert [p.piece.value for p in presences if p.slot == "tools"] == list(served.tools.schemas)


@pytest.mark.parametrize("name", NAMES)
def test_the_pieces_of_a_record_cover_it_exactly(name):
    """Also where it was cut into entries, wrapping included."""
    _, context, locations = epochs(name)
    for location in locations:
        records = read_at_call(location, "systemPromptInjections")
        if not isinstance(records, list):
            continue
        built: list[str] = []
        for presence in context.at(location.position):
            if presence.slot == "system-prompt":
                if presence.piece.starts_record:
                    built.append("")
                built[-1] += presence.piece.text
        assert built == [record["rawContent"] for record in records if record.get("rawContent")]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_the_corpus_moves(name):
    _, context, _ = epochs(name)

    assert not [presence for presence in context.presences if presence.moved]


@pytest.mark.parametrize("name", SHORT)
def test_a_piece_has_one_id_and_its_own_words_are_inside(name):
    _, context, _ = epochs(name)
    pieces = context.pieces

    assert len({piece.id for piece in pieces}) == len(pieces)
    for piece in pieces:
        start, end = piece.own
        assert 0 <= start <= end <= len(piece.text)
        assert len(piece.id) == 32


@pytest.mark.parametrize("name", SHORT)
def test_reading_again_gives_the_same_rows(name):
    """Ids, spans and orders depend on nothing but the bytes."""
    _, context, _ = epochs(name)
    again = context_of(decode_recording(read_bytes(recording_files()[name])))

    assert [row(p) for p in again.presences] == [row(p) for p in context.presences]


def row(presence):
    return presence.piece.id, presence.lane, presence.slot, presence.first, presence.last, presence.order


@pytest.mark.parametrize("name", SHORT)
def test_origin_is_a_commit_that_holds_the_text(name):
    """Whoever follows the link finds the text there: in the value that the commit wrote, or in the base."""
    recording, context, _ = epochs(name)
    for piece in context.pieces:
        log = recording.run_log if not piece.origin.log else recording.mount_log(piece.origin.log)
        keys = ["history", "systemPromptInjections", "messagesInjections", "dynamicToolSchemas", "toolSchemas"]
        keys += ["toolResults", *(key for key in log.key_names() if key.startswith("memoryInjection_"))]
        values = [log.value_at(key, piece.origin.commit_index) for key in keys]
        own = piece.text[slice(*piece.own)] if piece.slot == "system-prompt" else piece.value
        assert any(holds(value, own) for value in values), (piece.key, piece.origin)


def holds(value, wanted) -> bool:
    """Whether *wanted* stands somewhere in *value*: a text as a part, a message or schema as all of one."""
    if isinstance(wanted, str):
        if isinstance(value, str):
            return wanted in value
    elif isinstance(value, dict) and (wanted.items() <= value.items() or wanted.get("content") in value.values()):
        return True
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(holds(child, wanted) for child in children)


@pytest.mark.parametrize("name", SHORT)
def test_the_difference_of_two_epochs_leads_from_one_to_the_other(name):
    _, context, locations = epochs(name)
    for before, after in itertools.pairwise(locations):
        difference = changes_between(context, before.position, after.position)
        old = {p.piece.id for p in context.at(before.position)}
        new = {p.piece.id for p in context.at(after.position)}
        came = {p.id for p in difference.added} | {c.after.id for c in difference.changed}
        went = {p.id for p in difference.removed} | {c.before.id for c in difference.changed}

        assert came == new - old
        assert went == old - new
        assert {p.id for p in difference.unchanged + difference.moved} == old & new


def piece_of(name, **wanted):
    """The one piece of the recording whose attributes are *wanted*."""
    _, context, _ = epochs(name)
    found = [p for p in context.pieces if all(getattr(p, key) == value for key, value in wanted.items())]
    assert len(found) == 1, found
    return found[0]


def presence_of(name, piece):
    return next(p for p in context_of(recording_named(name)).presences if p.piece is piece)


def test_a_memory_block_is_cut_into_its_entries():
    piece = piece_of("flat-memory-turn4", key=("memory", "chat", "msg-1-0"))

    assert piece.text[slice(*piece.own)] == "My delivery address is 12 Mill Lane, Leeds LS1 4AB. Please remember it."
    assert (piece.memory.memory_id, piece.memory.entry_id, piece.memory.turn) == ("chat", "msg-1-0", 1)
    assert (piece.origin.runtime_stage_id, piece.origin.commit_index) == ("sf-memory-read-chat#1", 1)
    assert (piece.landed.runtime_stage_id, piece.landed.commit_index) == ("context#12", 7)
    assert piece.source == "memory"


def test_facts_are_lines_and_beats_are_sentences():
    fact = piece_of("flat-factmem-turn3", key=("memory", "user-facts", "fact:user.name"))
    beat = piece_of("flat-beats-turn3", key=("memory", "beats", "beat-1-0"))

    assert fact.text == "- user.name: Alice"
    assert beat.text[slice(*beat.own)].startswith("User said: My name is Dana")
    assert beat.memory.value["value"]["refs"] == ["msg-1-0"]


def test_causal_memory_is_one_piece_a_block():
    _, context, _ = epochs("grouped-causal-turn3")
    pieces = [p for p in context.pieces if p.source == "memory"]

    assert [p.text.splitlines()[-1] for p in pieces if p.text.strip()][0:2]
    assert [p.memory.entry_id for p in pieces] == [None, None]
    assert all(p.text.lstrip().startswith("[Past run") for p in pieces)


def test_a_passage_keeps_its_document():
    piece = piece_of("flat-rag", document_id="refunds-2024")

    assert piece.source == "rag"
    assert piece.text[slice(*piece.own)] == (
        "Refunds for espresso machines are accepted within 60 days of delivery. (2024 edition)"
    )
    assert piece.origin.runtime_stage_id == "sf-memory-read-policy-docs#1"


def test_a_tool_result_is_written_by_the_call_and_belongs_to_the_epoch_that_asked():
    piece = piece_of("flat-wrong-tool", tool_call_id="w1")

    assert piece.source == "tool-result"
    assert piece.origin.runtime_stage_id.startswith("tool-calls#")
    assert piece.origin.epoch_position == 1
    assert presence_of("flat-wrong-tool", piece).first == 2


def test_a_skill_joins_a_tool_that_was_offered_all_along():
    tool = piece_of("flat-wrong-skill", tool_name="track_parcel", slot="tools")

    assert tool.source == "registry"
    assert [(s.source, s.source_id, s.first_position, s.last_position) for s in tool.sources] == [
        ("registry", "track_parcel", 1, 3),
        ("skill", "shipping", 2, 3),
    ]


def test_an_injected_fact_is_born_where_it_was_put_in_and_let_in_by_the_engine():
    piece = piece_of("grouped-planted-fact", source="fact", source_id="repair-policy")

    assert piece.origin == piece.landed
    assert piece.origin.runtime_stage_id.startswith("sf-llm-call/context#")
    assert piece.let_in.runtime_stage_id.startswith("sf-llm-call/sf-injection-engine#")


def test_a_delivered_message_is_a_fact_and_not_the_assistants():
    piece = piece_of("flat-messages-delivery", source_id="tier")

    assert (piece.source, piece.role) == ("fact", "assistant")
    assert piece.origin.runtime_stage_id == "deliver#6"
    assert "injectedBy" not in piece.value


def test_nobody_typed_what_the_framework_says():
    summary = [p for p in epochs("grouped-window-compaction")[1].pieces if p.source_id == "compact"]
    wrap_up = piece_of("flat-wrap-up", source_id="wrap-up")

    assert [(p.source, p.recorded_source, len(p.folded)) for p in summary] == [
        ("custom", "user", 3),
        ("custom", "user", 6),
    ]
    assert (wrap_up.source, wrap_up.recorded_source, wrap_up.role) == ("custom", "user", "user")


def test_a_window_that_slides_takes_the_turns_it_says():
    """Many log lines are equal texts: which of them left is said by the compaction, not guessed."""
    _, context, _ = epochs("flat-window-sliding")
    spans = {p.piece.tool_call_id: (p.first, p.last) for p in context.presences if p.piece.tool_call_id}

    assert spans == {"c1": (2, 3), "c2": (3, 4), "c3": (4, 5), "c4": (5, 6), "c5": (6, 6)}


def test_a_resumed_leg_starts_from_its_base():
    question = next(p for p in epochs("flat-resumed")[1].pieces if p.source == "user")
    answer = piece_of("flat-resumed", tool_call_id="p2")

    assert (question.origin.commit_index, question.origin.epoch_position) == (-1, None)
    assert (answer.origin.runtime_stage_id, answer.origin.epoch_position) == ("tool-calls#45", None)


def test_lanes_have_conversations_of_their_own():
    recording, context, _ = epochs("parallel-grouped-agents")

    assert lanes(recording) == ["legal", "finance"]
    assert [(p.lane, p.first, p.last) for p in context.presences if p.piece.source == "user"] == [
        ("legal", 1, 3),
        ("finance", 2, 4),
    ]


def test_calls_inside_nested_runs_are_found():
    """The reference sees one epoch of this run; the agent's two calls stand in the log of its step."""
    recording, context, locations = epochs("sequence-llmcall-agent")

    assert len(epoch_locations(recording)) == 1
    assert [(location.lane, location.position) for location in locations] == [
        ("step-classify", 1),
        ("step-resolve", 2),
        ("step-resolve", 3),
    ]
    assert [p.piece.text for p in context.at(2) if p.slot == "messages"] == ["Intent billing: what did A-1042 cost?"]


def test_what_was_taken_out_is_redacted_and_not_empty():
    _, history, _ = epochs("flat-redacted-history")
    _, system, _ = epochs("flat-redacted-system")

    assert {epoch.messages for epoch in history.epochs.values()} == {"copy"}
    assert {epoch.system for epoch in system.epochs.values()} == {"redacted"}
    assert not [p for p in system.presences if p.slot == "system-prompt"]
    result = piece_of("flat-redacted-history", tool_call_id="t2")
    assert result.origin.runtime_stage_id == "tool-calls#22"


def test_no_piece_shares_the_text_redacted():
    for name in SHORT:
        assert not [p for p in context_of(recording_named(name)).pieces if p.text == "REDACTED"]
