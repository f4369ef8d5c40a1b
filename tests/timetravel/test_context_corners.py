"""Pieces and presences where the corpus has no example: recordings of our own."""

from recordings.timetravel import all_epoch_locations, changes_between, context_of, lanes, served_at
from tests.timetravel.build import US, call, commit, flat, record, recording, tool, user


def texts(context, position, slot="messages"):
    return [p.piece.text for p in context.at(position) if p.slot == slot]


def spans(context, slot="messages"):
    return [(p.piece.text, p.first, p.last) for p in context.presences if p.slot == slot]


def test_two_equal_messages_are_two_pieces():
    run = recording(
        commit("seed", 0, ("history", "set", [user("again"), user("again")])),
        call(1),
        commit("tool-calls", 2, ("history", "append", [user("again")])),
        call(3),
    )
    context = context_of(run)

    assert spans(context) == [("again", 1, 2), ("again", 1, 2), ("again", 2, 2)]
    assert len({piece.id for piece in context.pieces}) == 3


def test_of_two_equal_messages_the_one_that_stays_keeps_its_birth():
    """A compaction says which stage's messages it took: the other one, equal in every letter, stays."""
    run = recording(
        commit("seed", 0, ("history", "set", [user("start")])),
        commit("tool-calls", 1, ("history", "append", [user("same")])),
        commit("tool-calls", 2, ("history", "append", [user("same")])),
        call(3),
        commit(
            "compact",
            4,
            ("history", "set", [user("start"), user("same")]),
            ("compactions", "set", [{"strategy": "sliding-window", "removedStageIds": ["tool-calls#1"]}]),
        ),
        call(5),
    )
    context = context_of(run)

    kept = [p.piece for p in context.at(2)]
    assert [piece.origin.runtime_stage_id for piece in kept] == ["seed#0", "tool-calls#2"]


def test_a_message_that_is_edited_in_place_is_one_removed_and_one_added():
    run = recording(
        commit("seed", 0, ("history", "set", [user("one"), user("two")])),
        call(1),
        commit("fix", 2, (f"history{US}1{US}content", "set", "TWO")),
        call(3),
    )
    context = context_of(run)
    difference = changes_between(context, 1, 2)

    assert texts(context, 2) == ["one", "TWO"]
    assert [p.text for p in difference.removed] == ["two"]
    assert [p.text for p in difference.added] == ["TWO"]
    assert difference.changed == []
    assert difference.added[0].origin.runtime_stage_id == "fix#2"


def test_a_keyed_piece_with_another_text_is_changed():
    context = context_of(
        flat(
            {
                "systemPromptInjections": [record("30 days", "fact", "f")],
                "dynamicToolSchemas": [tool("a", "old")],
            },
            {
                "systemPromptInjections": [record("45 days", "fact", "f")],
                "dynamicToolSchemas": [tool("a", "new")],
            },
        )
    )
    difference = changes_between(context, 1, 2)

    assert [c.before.key for c in difference.changed] == [("system", "fact", "f"), ("tool", "a")]
    assert (difference.changed[0].before.text, difference.changed[0].after.text) == ("30 days", "45 days")
    assert (difference.added, difference.removed) == ([], [])


def test_what_changes_its_order_is_moved_and_each_epoch_is_still_rebuilt():
    a, b, c = (record(text, "fact", text) for text in "abc")
    context = context_of(
        flat(
            {"systemPromptInjections": [a, b, c]},
            {"systemPromptInjections": [c, a, b]},
            {"systemPromptInjections": [c, b]},
        )
    )

    assert [texts(context, n, "system-prompt") for n in (1, 2, 3)] == [["a", "b", "c"], ["c", "a", "b"], ["c", "b"]]
    assert [p.piece.text for p in context.presences if p.moved] == ["c"]
    assert [p.text for p in changes_between(context, 1, 2).moved] == ["c"]
    assert len(context.pieces) == 3, "a moved piece is still one piece"


def test_what_comes_in_between_is_put_in_between():
    """A skill lands in the middle of the prompt: its neighbours stay what they are."""
    first, last, skill = record("first"), record("last", "fact", "f"), record("skill", "skill", "s")
    context = context_of(
        flat({"systemPromptInjections": [first, last]}, {"systemPromptInjections": [first, skill, last]})
    )

    assert spans(context, "system-prompt") == [("first", 1, 2), ("skill", 2, 2), ("last", 1, 2)]


def test_what_leaves_and_comes_back_has_two_spans_and_two_births():
    tone = record("tone", "steering", "tone")
    context = context_of(
        flat({"systemPromptInjections": [tone]}, {"systemPromptInjections": []}, {"systemPromptInjections": [tone]})
    )

    assert [(first, last) for _, first, last in spans(context, "system-prompt")] == [(3, 3), (1, 1)]
    assert len(context.pieces) == 2


def memory_run(raw, entries, key="selected"):
    """A flat run that recalled *entries* and rendered them as *raw*."""
    return recording(
        commit("seed", 0, ("history", "set", [user("q")])),
        commit("sf-memory-read-notes", 1, ("memoryInjection_notes", "set", [{"role": "system", "content": raw}])),
        commit("context", 2, ("systemPromptInjections", "set", [record(raw, "memory", "memory:notes")])),
        call(3),
        mounts={"sf-memory-read-notes#1": [commit("pick", 1, (key, "set", entries))]},
    )


def entry(entry_id, value, turn=1):
    return {"id": entry_id, "value": value, "updatedAt": 5, "source": {"turn": turn}}


def test_tags_inside_an_entry_do_not_cut_it():
    """The words of an entry may look like the wrapping around it: entries are found by their text, in order."""
    evil = 'see <memory role="user" turn="9">\nnot an entry\n</memory>\n\n<memory>'
    raw = f'Head.\n\n<memory turn="1">\n{evil}\n</memory>\n\n<memory turn="2">\nplain\n</memory>'
    context = context_of(
        memory_run(raw, [entry("msg-1-0", {"content": evil}), entry("msg-2-0", {"content": "plain"}, 2)])
    )
    pieces = [p.piece for p in context.at(1) if p.slot == "system-prompt"]

    assert [(p.memory.entry_id, p.text[slice(*p.own)]) for p in pieces] == [("msg-1-0", evil), ("msg-2-0", "plain")]
    assert "".join(p.text for p in pieces) == raw
    assert pieces[1].text.startswith('<memory turn="2">')


def test_entries_of_every_kind_cover_their_block():
    """Beats in one line, facts in lines, a value that is no text, an entry that is not in the block."""
    beats = "From earlier: A said x. B said y."
    facts = 'Known:\n\n- city: York\n- size: 42\n- tags: ["a"]'
    runs = {
        beats: [entry("beat-1-0", {"summary": "A said x."}), entry("beat-1-1", {"summary": "B said y."})],
        facts: [
            entry("fact:city", {"key": "city", "value": "York"}),
            entry("fact:gone", {"key": "gone", "value": "nowhere"}),
            entry("fact:size", {"key": "size", "value": 42}),
            entry("fact:tags", {"key": "tags", "value": ["a"]}),
        ],
    }
    for raw, entries in runs.items():
        for key in ("selected", "loadedFacts"):
            context = context_of(memory_run(raw, entries, key))
            pieces = [p.piece for p in context.at(1) if p.slot == "system-prompt"]
            assert "".join(p.text for p in pieces) == raw
            assert [p.memory.entry_id for p in pieces] == [e["id"] for e in entries if e["id"] != "fact:gone"]


def test_an_entry_that_is_recalled_twice_in_one_text_is_found_twice():
    raw = "same\nsame"
    context = context_of(
        memory_run(raw, [entry("msg-1-0", {"content": "same"}), entry("msg-2-0", {"content": "same"})])
    )
    pieces = [p.piece for p in context.at(1) if p.slot == "system-prompt"]

    assert [(p.text, p.memory.entry_id) for p in pieces] == [("same\n", "msg-1-0"), ("same", "msg-2-0")]


def test_a_record_of_a_memory_whose_read_is_not_on_record_stays_whole():
    context = context_of(flat({"systemPromptInjections": [record("Known: x", "memory", "memory:lost")]}))
    piece = context.pieces[0]

    assert (piece.text, piece.memory, piece.source) == ("Known: x", None, "memory")


def test_a_turn_that_is_no_turn_is_none():
    context = context_of(memory_run("a", [entry("doc", {"content": "a"}, turn=0)]))

    assert next(p.piece for p in context.at(1) if p.slot == "system-prompt").memory.turn is None


def grouped(*histories, delivered=()):
    """A grouped run without a run log: each call's own log sets the whole conversation, then delivers lines."""
    mounts = {}
    for number, history in enumerate(histories, 1):
        rows = [commit("sf-llm-call/turn-seed", number * 10, ("history", "set", history))]
        if number <= len(delivered):
            rows.append(commit("sf-llm-call/deliver", number * 10 + 1, ("history", "append", delivered[number - 1])))
        mounts[f"sf-llm-call#{number * 10 - 1}"] = [*rows, commit("sf-llm-call/call-llm", number * 10 + 2)]
    return recording(mounts=mounts)


def test_without_the_runs_log_messages_are_followed_from_call_to_call():
    context = context_of(grouped([user("a")], [user("a"), user("b")], [user("b")]))

    assert spans(context) == [("a", 1, 2), ("b", 2, 3)]
    assert context.pieces[0].origin.log == "sf-llm-call#9"


def test_a_line_delivered_inside_a_turn_is_born_there_and_stays_the_same_piece():
    line = {"role": "user", "content": "note", "injectedBy": {"injectionId": "n", "flavor": "instructions"}}
    context = context_of(grouped([user("a")], [user("a"), line], delivered=[[line]]))
    piece = next(p for p in context.pieces if p.source_id == "n")

    assert piece.origin.runtime_stage_id == "sf-llm-call/deliver#11"
    assert [(p.first, p.last) for p in context.presences if p.piece is piece] == [(1, 2)]


def test_what_a_mount_copied_into_the_lanes_log_is_born_inside_the_mount():
    line = user("delivered inside")
    run = recording(
        commit("seed", 0, ("history", "set", [user("a")])),
        commit("sf-llm-call", 1, ("history", "append", [line])),
        commit("tool-calls", 5, ("history", "append", [user("b")])),
        commit("sf-llm-call", 6),
        mounts={
            "sf-llm-call#1": [
                commit("sf-llm-call/turn-seed", 2, ("history", "set", [user("a")])),
                commit("sf-llm-call/call-llm", 3),
                commit("sf-llm-call/deliver", 4, ("history", "append", [line])),
            ],
            "sf-llm-call#6": [
                commit("sf-llm-call/turn-seed", 7, ("history", "set", [user("a"), line, user("b")])),
                commit("sf-llm-call/call-llm", 8),
            ],
        },
    )
    origin = next(p for p in context_of(run).pieces if p.text == "delivered inside").origin

    assert (origin.log, origin.runtime_stage_id) == ("sf-llm-call#1", "sf-llm-call/deliver#4")


def test_two_lanes_in_one_run_do_not_mix():
    run = recording(
        mounts={
            "a#1": [commit("a/seed", 2, ("history", "set", [user("to a")])), commit("a/call-llm", 4)],
            "b#1": [commit("b/seed", 3, ("history", "set", [user("to b")])), commit("b/call-llm", 5)],
        },
    )
    context = context_of(run)

    assert lanes(run) == ["a", "b"]
    assert [(location.lane, location.position) for location in all_epoch_locations(run)] == [("a", 1), ("b", 2)]
    assert (texts(context, 1), texts(context, 2)) == (["to a"], ["to b"])


def test_tools_that_were_taken_away_are_not_served():
    context = context_of(
        flat({"dynamicToolSchemas": [tool("a")]}, {"dynamicToolSchemas": [tool("a")], "wrapUpAsked": True})
    )

    assert spans(context, "tools")[0][1:] == (1, 1)


def test_odd_values_in_a_slot_are_served_as_they_are_and_break_nothing():
    odd = [None, 5, "text", ["list"], {"role": "user"}, {"role": "user", "content": {"a": 1}}, user("\ud83d")]
    run = flat(
        {"history": odd, "systemPromptInjections": [None, 5, {"rawContent": 3}, {}], "dynamicToolSchemas": [None, 7]}
    )
    context = context_of(run)
    served = served_at(run, all_epoch_locations(run)[0])

    assert [p.piece.value for p in context.at(1) if p.slot == "messages"] == list(served.messages)
    assert served.system.text == ""
    assert texts(context, 1, "system-prompt") == []


def test_a_slot_that_was_never_written_is_absent():
    slots = context_of(flat({"history": [user("a")]})).epochs[1]

    assert (slots.system, slots.messages, slots.tools) == ("absent", "recorded", "absent")
