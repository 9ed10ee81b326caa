# SPDX-License-Identifier: Apache-2.0
"""launcher.suites.graph: circles in a graph."""

from launcher.suites.graph import circles


def test_a_graph_without_a_circle_has_none() -> None:
    assert circles({}) == []
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert circles({"a": {"stranger"}}) == []


def test_a_circle_is_told_once_from_its_first_node_on() -> None:
    assert circles({"b": {"c"}, "c": {"a"}, "a": {"b"}, "beside": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"a"}}) == [["a"]]


def test_the_shortest_circle_through_each_node_is_told() -> None:
    assert circles({"a": {"b", "c"}, "b": {"a", "c"}, "c": {"a"}}) == [["a", "b"], ["c", "a"]]
    assert circles({"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}) == [["a", "b"], ["c", "d"]]
