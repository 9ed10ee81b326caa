# SPDX-License-Identifier: Apache-2.0
"""Whether a replay of traces of pages counts on another device what it counts on the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

OTHER = ("device", "device_seconds")  # may differ


def _numbers(figures: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """All figures by name, those of inner objects too."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _numbers(value)
        elif name not in OTHER and not isinstance(value, list):
            yield name, value


def complaints(model: Mapping[str, Any], other: Mapping[str, Any], busy: Sequence[str], name: str) -> list[str]:
    """What differs between two results of ioreplay, or is wrong; nothing: an empty list.

    A comparison without `busy` figures, which must not be 0, would show little. `name` is the other device's.
    """
    wanted, found = dict(_numbers(model)), dict(_numbers(other))
    wrong = [f"no {figure}" for figure in busy if not wanted.get(figure)]
    wrong += [f"wrong_pages is {found.get('wrong_pages')}"] if found.get("wrong_pages") != 0 else []
    names = [*wanted, *(figure for figure in found if figure not in wanted)]
    both = [(figure, wanted.get(figure), found.get(figure)) for figure in names]
    return wrong + [f"{figure}: model {a}, {name} {b}" for figure, a, b in both if a != b]
