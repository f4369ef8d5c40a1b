"""The execution tree, from which stops are told to be mounts: of any depth, and read as far as it has to be."""

import json

import pytest

from recordings.timetravel import JsonError, commit_stops, decode_recording
from recordings.timetravel.stops import mounts_in_tree
from tests.timetravel.test_stops import kinds, node, row


def mounts(tree):
    return sorted(mounts_in_tree(json.dumps(tree).encode()))


def test_nodes_hang_on_next_and_children():
    tree = node(
        "a#0",
        subflowId="a",
        children=[node("b#1", subflowId="b", next=node("c#2", subflowId="c")), node("d#3"), None, [node("e#4")]],
        next=node("f#5", subflowId="f", children=[]),
    )

    assert mounts(tree) == ["a#0", "b#1", "c#2", "f#5"]


def test_state_that_looks_like_a_node_is_none():
    like = node("fake#1", subflowId="x", next=node("fake#2", subflowId="y"))
    tree = node("a#0", stageWrites={"next": like, "children": [like], "deep": [[[like]]]}, flowMessages=[like])

    assert mounts(tree) == []


def test_brackets_and_quotes_in_texts_are_text():
    tree = node("a#0", description='}]{["\\"next":{', subflowId="a", next=node('b"{#1', subflowId="b"))

    assert mounts(tree) == ["a#0", 'b"{#1']


@pytest.mark.parametrize("subflow_id", [None, "", 0, False])
def test_an_empty_subflow_id_is_none(subflow_id):
    assert mounts(node("a#0", subflowId=subflow_id)) == []


def test_a_node_without_an_id_is_no_execution():
    assert mounts({"subflowId": "a", "next": {"runtimeStageId": 4, "subflowId": "b"}}) == []


def test_white_space_may_stand_anywhere():
    tree = node("a#0", children=[node("b#1", subflowId="b"), node("c#2", logs={"x": [{}, [1]]}, subflowId="c")])

    assert sorted(mounts_in_tree(json.dumps(tree, indent=2).encode())) == ["b#1", "c#2"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"next":', '{"next":{}', '{"a":[{}', '{"a" 1}', "{x", '{"next":{"a":}}', '{"a":"}']
)
def test_what_is_no_tree_is_refused(text):
    with pytest.raises(JsonError) as refused:
        list(mounts_in_tree(text.encode()))

    assert 0 <= refused.value.at <= len(text)


@pytest.mark.parametrize("branch", ["next", "children"])
def test_a_tree_may_be_deeper_than_the_stack(branch):
    opening, closing = (b"[", b"]") if branch == "children" else (b"", b"")
    levels = 20_000
    nodes = [b'{"runtimeStageId":"n#%d","subflowId":"n","%s":%s' % (n, branch.encode(), opening) for n in range(levels)]
    tree = b"".join(nodes) + (b"null" if branch == "next" else b"") + (closing + b"}") * levels

    assert len(set(mounts_in_tree(tree))) == levels


def test_the_stops_of_a_recording_with_such_a_tree():
    tree = b'{"runtimeStageId":"a#0","subflowId":"a","next":' * 20_000 + b"{}" + b"}" * 20_000
    data = b'{"commitLog":[%s],"executionTree":%s}' % (json.dumps(row("a#0")).encode(), tree)

    assert kinds(commit_stops(decode_recording(data))) == ["start", "mount", "end"]
