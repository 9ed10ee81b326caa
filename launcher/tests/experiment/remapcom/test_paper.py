# SPDX-License-Identifier: Apache-2.0
"""The paper's figures: each belongs to its case and is named after its quantity."""

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom import paper
from launcher.experiment.remapcom.cases import cases
from launcher.experiment.remapcom.measures import (
    DIVIDED,
    FASTER,
    FOUND,
    FOUND_OVER_BASE,
    KEPT,
    KEPT_INTO,
    SAVED,
)
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Quantity
from launcher.experiment.runner.reported import Span


def both(quantity: Quantity, case: str) -> tuple[float | None, float | None]:
    spans = paper.PAPER.of_case(quantity, case)
    assert all(span.low == span.high for span in spans.values())
    return tuple(spans[mode].low if mode in spans else None for mode in (Mode.base, Mode.retain))  # type: ignore


@pytest.mark.parametrize("scale", [Scale.medium, Scale.full])
def test_each_is_of_cases_that_are_run(scale: Scale) -> None:
    names = {f"{case.figure}-{case.name}" for case in cases(scale)}
    for reported in paper.REPORTED:
        assert reported.by_variant and reported.source and names.issuperset(reported.cases), reported.name
        assert set(reported.by_variant) <= set(paper.MODES)


def test_none_is_there_twice() -> None:
    keys = [(reported.quantity.name, reported.cases) for reported in paper.REPORTED]
    assert len(keys) == len(set(keys))


def test_means_of_bytes_saved() -> None:
    assert [paper.PAPER.mean_of(SAVED, "fillrandom", mode) for mode in (Mode.base, Mode.retain)] == [22.4, 35.7]
    assert [paper.PAPER.mean_of(SAVED, "fillzipfian", mode) for mode in (Mode.base, Mode.retain)] == [20, 32.8]
    assert [paper.PAPER.mean_of(SAVED, "mixgraph", mode) for mode in (Mode.base, Mode.retain)] == [4.5, 11]
    assert (
        paper.PAPER.mean_of(SAVED, "fillrandom", Mode.blend) is None
        and paper.PAPER.mean_of(SAVED, "ycsb", Mode.retain) is None
    )
    (of_fill,) = paper.PAPER.means(SAVED, "fillrandom")
    assert of_fill.cases == tuple(f"fillrandom-{size}" for size in ("256B", "512B", "1KB", "2KB", "4KB"))
    assert [mean.name for mean in paper.PAPER.means(FASTER, "ycsb")] == [
        f"ycsb-{workload}, mean of 256 B to 4 KB" for workload in ("ycsbb", "ycsbd", "ycsbe")
    ]


def test_levels_ranges_and_unchanged_blocks() -> None:
    assert [both(KEPT_INTO[level], "fillrandom-1KB") for level in (1, 2, 3, 4)] == [
        (1, 5),
        (26, 47),
        (29, 52),
        (32, 53),
    ]
    ranges = ("ranges-100B-1KB", "ranges-1-4KB", "ranges-4-16KB")
    assert [both(DIVIDED, case) for case in ranges] == [(None, 1.1), (None, 1.36), (None, 1.49)]
    assert [both(FASTER, case) for case in ranges] == [(None, 6), (None, 11), (None, 17)]
    assert [both(SAVED, case) for case in ranges] == [(None, 9.1), (None, 26.5), (None, 32.9)]
    assert both(FOUND_OVER_BASE, "fillrandom-2KB") == (None, 1.33)


def test_mixgraph_names_are_mapped() -> None:
    names = ("prefixdist", "allrandom", "alldist", "prefixrandom")
    assert [both(FASTER, f"mixgraph-mix{name}") for name in names] == [(8, 28), (3, 10), (3, 7), (3, 7)]
    found = [paper.PAPER.of_case(FOUND, f"mixgraph-mix{name}") for name in names]
    assert found == [{Mode.off: Span(share, share)} for share in (13.6, 12.7, 11.4, 12.7)]


def test_throughput_of_fills_and_ycsb() -> None:
    assert both(FASTER, "fillrandom-4KB") == (30, 30) and both(FASTER, "fillzipfian-4KB") == (25, 25)
    small = paper.PAPER.of_case(FASTER, "fillzipfian-2KB")
    assert small == {Mode.base: Span(2.1, 6), Mode.retain: Span(5.4, 16.2)}
    assert both(FASTER, "ycsb-ycsbload-1KB") == (3.9, 14.1)
    assert both(FASTER, "ycsb-ycsbc-256B") == (3.9, -3.8) and both(FASTER, "ycsb-ycsbc-4KB") == (13.3, None)
    assert both(FASTER, "ycsb-ycsbf-4KB") == (None, 13.8)


def test_what_the_paper_does_not_say_is_not_there() -> None:
    for quantity in (SAVED, FASTER, KEPT, DIVIDED):
        assert paper.PAPER.of_case(quantity, "awkward-1000B") == {}
    assert paper.PAPER.of_case(FASTER, "fillrandom-100B") == {} and paper.PAPER.means(KEPT, "fillrandom") == []
