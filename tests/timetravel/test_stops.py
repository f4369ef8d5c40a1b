"""Stops in the corners that no recording of the corpus has."""

import pytest

from recordings.timetravel import (
    UNDEFINED,
    JsonError,
    NoSourceError,
    commit_stops,
    filter_stops,
    keyed_fold,
    milestone_stops,
    recording_of,
)


def row(runtime_stage_id, **members):
    stage_id = runtime_stage_id.rpartition("#")[0]
    return {"stage": stage_id.title(), "stageId": stage_id, "runtimeStageId": runtime_stage_id, "trace": []} | members


def log(*rows, **members):
    return recording_of({"commitLog": list(rows), **members})


def spans(stops):
    return [(stop.runtime_stage_id, stop.commit_index, stop.last_commit_index) for stop in stops]


def kinds(stops):
    return [stop.kind for stop in stops]


def node(runtime_stage_id, **members):
    return {"id": runtime_stage_id, "runtimeStageId": runtime_stage_id, "logs": {}} | members


@pytest.mark.parametrize("source", [{}, {"commitLog": []}, {"commitLog": {"0": row("a#0")}}, {"commitLog": None}])
def test_a_recording_without_rows_has_no_stops(source):
    assert commit_stops(source) == []
    assert milestone_stops(recording_of(source)) == []


def test_a_stage_stands_at_its_first_row_and_runs_up_to_the_next():
    stops = commit_stops(log(row("a#0"), row("b#1"), row("a#0"), row("c#2")))

    assert spans(stops) == [("", -1, -1), ("a#0", 0, 0), ("b#1", 1, 2), ("c#2", 3, 3), ("", 3, 3)]
    assert [stop.step for stop in stops] == [0, 1, 2, 3, 4]
    assert [stop.label for stop in stops] == ["Run start", "A", "B", "C", "Run end"]
    assert not any(stop.prologue for stop in stops)


def test_rows_before_the_first_stage_belong_to_the_start_without_making_it_a_prologue():
    """A seed has no id: nothing is left out that could be shown."""
    start, *_ = commit_stops(log(row(""), row("a#0")))

    assert (start.last_commit_index, start.prologue) == (0, False)


def test_a_log_of_seeds_has_the_two_ends():
    assert spans(commit_stops(log(row(""), row("")))) == [("", -1, 1), ("", 1, 1)]


@pytest.mark.parametrize("odd", [None, 5, "x", [], {}, {"runtimeStageId": 7}, {"runtimeStageId": None}])
def test_what_is_no_row_is_passed_over(odd):
    assert spans(commit_stops(log(row("a#0"), odd, row("b#1")))) == [
        ("", -1, -1),
        ("a#0", 0, 1),
        ("b#1", 2, 2),
        ("", 2, 2),
    ]


@pytest.mark.parametrize(
    ("members", "label", "stage_id"),
    [
        ({"stage": ""}, "s", "s"),
        ({"stage": 4}, "s", "s"),
        ({"stage": "", "stageId": ""}, "s#1", ""),
        ({"stage": None, "stageId": None}, "s#1", None),
    ],
)
def test_the_label_is_the_first_name_that_there_is(members, label, stage_id):
    stop = commit_stops(log(row("s#1", **members)))[1]

    assert (stop.label, stop.stage_id) == (label, stage_id)


def test_a_stage_without_a_stage_id_has_none():
    stop = commit_stops(log({"runtimeStageId": "s#1", "trace": []}))[1]

    assert stop.stage_id is UNDEFINED
    assert stop.label == "s#1"


@pytest.mark.parametrize(("runtime_stage_id", "path"), [("a/b/c#1", "a/b"), ("/c#1", ""), ("c#1", None), ("a/c", None)])
def test_the_subflow_path_is_the_one_in_the_id(runtime_stage_id, path):
    assert commit_stops(log(row(runtime_stage_id)))[1].subflow_path == path


@pytest.mark.parametrize("source", [None, 4, "x", [row("a#0")]])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(NoSourceError):
        commit_stops(source)


def test_without_a_tree_a_mount_is_told_by_the_very_next_row():
    stops = commit_stops(log(row("a#0"), row("a#0"), row("b#1"), row("c#2"), row("b#1"), row("d#3")))

    assert kinds(stops) == ["start", "mount", "commit", "commit", "commit", "end"]


def test_with_a_tree_only_the_tree_tells():
    tree = node("a#0", next=node("b#1", subflowId="b"))
    stops = commit_stops(log(row("a#0"), row("a#0"), row("b#1"), executionTree=tree))

    assert kinds(stops) == ["start", "commit", "mount", "end"]


def test_a_tree_without_mounts_is_a_tree():
    assert kinds(commit_stops(log(row("a#0"), row("a#0"), executionTree={}))) == ["start", "commit", "end"]


@pytest.mark.parametrize("tree", [None, [], "x", 3])
def test_what_is_no_object_is_no_tree(tree):
    assert kinds(commit_stops(log(row("a#0"), row("a#0"), executionTree=tree))) == ["start", "mount", "end"]


def test_a_log_of_its_own_has_no_tree():
    recording = log(row("a#0"), row("a#0"), executionTree=node("x#0"))
    subtree = {"history": [row("a#0"), row("a#0")], "executionTree": node("x#0")}

    assert kinds(commit_stops(recording)) == ["start", "commit", "end"]
    assert kinds(commit_stops(recording.run_log)) == ["start", "mount", "end"]
    assert kinds(commit_stops(keyed_fold(subtree))) == kinds(commit_stops(subtree)) == ["start", "mount", "end"]


def test_a_commit_log_wins_over_a_history():
    source = {"commitLog": [row("a#0")], "history": [row("b#0")]}

    assert [stop.runtime_stage_id for stop in commit_stops(source)] == ["", "a#0", ""]


def test_the_tree_is_read_only_when_a_kind_is_asked_for():
    """A tree that is none is not noticed by those who do not ask."""
    recording = log(row("call-llm#0"), executionTree=node("a#0"))
    recording._document.snapshot.execution_tree = b'{"next":nonsense'

    stops = milestone_stops(recording)

    assert [stop.label for stop in stops] == ["Run start", "LLM turn", "Run end"]
    assert (stops[0].kind, stops[-1].kind) == ("start", "end")
    with pytest.raises(JsonError):
        _ = stops[1].kind


def five_stops():
    return commit_stops(log(*(row(f"s{n}#{n}") for n in range(5))))


def test_kept_stages_run_up_to_the_next_kept_one_and_are_numbered_anew():
    kept = filter_stops(five_stops(), lambda stop: stop.commit_index in (1, 3))

    assert spans(kept) == [("", -1, 0), ("s1#1", 1, 2), ("s3#3", 3, 4), ("", 4, 4)]
    assert [stop.step for stop in kept] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("keep", "prologue"), [(lambda s: s.step == 1, False), (lambda s: s.step == 2, True), (lambda s: False, True)]
)
def test_the_start_is_a_prologue_when_it_stands_for_stages(keep, prologue):
    assert filter_stops(five_stops(), keep)[0].prologue is prologue


def test_nothing_kept_of_no_stages_is_no_prologue():
    start, end = filter_stops(commit_stops(log(row(""))), lambda stop: True)

    assert (start.prologue, start.last_commit_index, end.step) == (False, 0, 1)


def test_the_start_of_what_was_filtered_before_stays_a_prologue():
    once = filter_stops(five_stops(), lambda stop: stop.commit_index > 0)

    assert filter_stops(once, lambda stop: True)[0].prologue


def test_keeping_everything_changes_nothing():
    stops = five_stops()

    assert spans(filter_stops(stops, lambda stop: True)) == spans(stops)


def test_no_stops_stay_none():
    assert filter_stops([], lambda stop: True) == []


def test_the_given_stops_are_not_changed():
    stops = five_stops()
    before = spans(stops)

    filter_stops(stops, lambda stop: stop.commit_index == 4)

    assert spans(stops) == before


def meanings(*rows):
    return [(stop.meta.kind, stop.meta.label) for stop in milestone_stops(log(*rows)) if stop.meta is not None]


def test_the_id_tells_where_no_tag_does():
    assert meanings(row("a/call-llm#4"), row("other#5")) == [("llm-turn", "LLM turn")]


def test_a_tag_goes_before_the_id():
    stop = milestone_stops(log(row("call-llm#4", tags=["milestone:tool-call"])))[1]

    assert (stop.meta.kind, stop.meta.label, stop.label) == ("tool-call", "Tool call", "Tool call")


def test_a_tag_makes_a_milestone_of_any_stage():
    assert meanings(row("ask#1", tags=["x", "milestone:llm-turn"])) == [("llm-turn", "LLM turn")]


def test_a_tag_that_says_what_the_id_says_keeps_the_label_of_the_id():
    assert meanings(row("sf-tools#1", tags=["milestone:slot"])) == [("slot", "Tools")]


def test_a_kind_without_a_label_goes_by_the_name_of_the_stage():
    assert meanings(row("review#1", tags=["milestone:review"])) == [("review", "Review")]
    assert meanings(row("gate#1", tags=["milestone:decision"])) == [("decision", "Gate")]


def test_the_first_of_several_tags_counts():
    assert meanings(row("a#1", tags=["milestone:tool-call", "milestone:llm-turn"])) == [("tool-call", "Tool call")]


@pytest.mark.parametrize("tags", [[], ["other"], ["milestone:"], [3, None], "milestone:tool-call", None])
def test_other_tags_leave_it_to_the_id(tags):
    assert meanings(row("call-llm#4", tags=tags)) == [("llm-turn", "LLM turn")]


def test_only_the_first_row_of_a_stage_declares():
    assert meanings(row("a#1"), row("a#1", tags=["milestone:llm-turn"])) == []
    assert meanings(row("a#1", tags=["milestone:llm-turn"]), row("a#1")) == [("llm-turn", "LLM turn")]


def test_what_is_no_milestone_belongs_to_the_stop_before():
    stops = milestone_stops(log(row("seed#0"), row("call-llm#1"), row("x#2"), row("tool-calls#3"), row("y#4")))

    assert spans(stops) == [("", -1, 0), ("call-llm#1", 1, 2), ("tool-calls#3", 3, 4), ("", 4, 4)]
    assert stops[0].prologue
    assert stops[0].meta is stops[-1].meta is None
