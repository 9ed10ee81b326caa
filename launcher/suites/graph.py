# SPDX-License-Identifier: Apache-2.0
"""Circles in graphs of files: who calls, or includes, whom."""

from __future__ import annotations

from collections.abc import Mapping, Set


def circles(graph: Mapping[str, Set[str]]) -> list[list[str]]:
    """The shortest circle through each node that is in one, from that node on; each set of nodes once.

    `graph` has the targets of each node; a target that is no key has none. A node that is its own target is a circle.
    """
    found: dict[frozenset[str], list[str]] = {}
    for start in sorted(graph):
        paths: dict[str, list[str]] = {}  # node -> the shortest path to it, without the start
        queue: list[list[str]] = [[]]
        while queue and start not in paths:
            path = queue.pop(0)
            for target in sorted(graph.get(path[-1] if path else start, ())):
                if target not in paths:
                    paths[target] = [*path, target]
                    queue.append(paths[target])
        if start in paths:
            found.setdefault(frozenset(paths[start]), [start, *paths[start][:-1]])
    return list(found.values())
