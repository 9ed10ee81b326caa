# SPDX-License-Identifier: Apache-2.0
"""Whether two runs of db_bench or ioreplay have counted the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

OTHER = ("device", "device_seconds", "precondition_wa", "windows")  # may differ


def _figures(figures: Any, other: Sequence[str], path: str = "") -> Iterator[tuple[str, Any]]:
    """All figures by their path, but those that are called as one of `other`."""
    if isinstance(figures, Mapping):
        for name, value in figures.items():
            if name not in other:
                yield from _figures(value, other, f"{path}.{name}" if path else name)
    elif isinstance(figures, list):
        for index, value in enumerate(figures):
            yield from _figures(value, other, f"{path}[{index}]")
    else:
        yield path, figures


def differences(
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    busy: Sequence[str],
    names: tuple[str, str],
    other: Sequence[str],
) -> list[str]:
    """What differs between two results, called by `names`, but for members that are called as one of `other`.

    A comparison without `busy` figures, given by their paths, which must not be 0, would show little.
    """
    wanted, found = dict(_figures(first, other)), dict(_figures(second, other))
    wrong = [f"no {figure}" for figure in busy if not wanted.get(figure)]
    paths = [*wanted, *(figure for figure in found if figure not in wanted)]
    both = [(figure, wanted.get(figure), found.get(figure)) for figure in paths]
    return wrong + [f"{figure}: {names[0]} {a}, {names[1]} {b}" for figure, a, b in both if a != b]


def complaints(model: Mapping[str, Any], other: Mapping[str, Any], busy: Sequence[str], name: str) -> list[str]:
    """What differs between two results of ioreplay, or is wrong; nothing: an empty list. `name`: the other one's."""
    wrong = [] if other.get("wrong_pages") == 0 else [f"wrong_pages is {other.get('wrong_pages')}"]
    return wrong + differences(model, other, busy, ("model", name), OTHER)
