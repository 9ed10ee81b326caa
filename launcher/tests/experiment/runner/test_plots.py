# SPDX-License-Identifier: Apache-2.0
"""Plots of the report: heights of the bars, marks of the paper's figures, and incomplete cases."""

import base64
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom import paper
from launcher.experiment.remapcom.report import QUANTITIES, picture, picture_of_levels
from launcher.experiment.runner.parts import image
from launcher.experiment.runner.quantities import Results
from launcher.tests.experiment.remapcom_runs import level, runs


def titled(figure: Figure, title: str) -> Axes:
    (axes,) = [axes for axes in figure.axes if axes.get_title("left").startswith(title)]
    return axes


def heights(axes: Axes, mode: Mode) -> list[float]:
    (bars,) = [bars for bars in axes.containers if bars.get_label() == mode.value]
    return [patch.get_height() for patch in bars]


def marks(axes: Axes) -> list[float]:
    return [float(line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "D"]  # type: ignore[index,arg-type]


def names(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_bars_of_each_quantity_and_the_papers_marks() -> None:
    faster: dict[Mode, dict[str, Any]] = {Mode.retain: {"device_seconds": 0.4}, Mode.blend: {"used_bytes": 1210}}
    figure = picture({"ranges-1-4KB": runs(faster), "ranges-4-16KB": runs()}, "ranges")
    assert len(figure.axes) == len(QUANTITIES)
    assert heights(titled(figure, "NAND bytes / user"), Mode.off) == [4, 4]
    assert heights(titled(figure, "NAND bytes saved"), Mode.retain) == pytest.approx([25, 25])
    assert heights(titled(figure, "throughput"), Mode.retain) == pytest.approx([25, 0])
    assert heights(titled(figure, "space"), Mode.blend) == pytest.approx([10, 0])
    assert heights(titled(figure, "unchanged blocks found"), Mode.base) == pytest.approx([25, 25])
    assert marks(titled(figure, "throughput")) == [11, 17] and marks(titled(figure, "NAND bytes saved")) == [26.5, 32.9]
    assert marks(titled(figure, "space")) == []
    assert [label.get_text() for label in figure.axes[-1].get_xticklabels()] == ["1-4KB", "4-16KB"]
    assert names(figure) == [*(mode.value for mode in Mode), "the paper's"]
    assert "off" not in [bars.get_label() for bars in titled(figure, "space").containers]


def test_the_papers_means_are_lines_over_their_cases() -> None:
    results = {f"fillrandom-{size}": runs() for size in ("100B", *paper.KV_SIZES)}
    figure = picture(results, "fillrandom")
    lines = [lines.get_segments()[0] for lines in titled(figure, "NAND bytes saved").collections]  # type: ignore[attr-defined]
    assert [line[0][1] for line in lines] == [22.4, 35.7]
    assert all(0.5 < line[0][0] < 1 and 5 < line[1][0] < 5.5 for line in lines), "100 B is not of them"
    assert "the paper's mean, retain" in names(figure)
    del results["fillrandom-512B"]
    assert "the paper's mean, retain" not in names(picture(results, "fillrandom"))


def test_ycsb_is_by_workload_and_stays_readable() -> None:
    loads: Results = {
        f"ycsb-{workload}-{size}": runs(user_bytes=0 if workload == "ycsbc" else 1000)
        for size in ("1KB", "4KB")
        for workload in ("ycsbload", "ycsbc")
    }
    loads["ycsb-ycsbload-4KB"] = runs({Mode.off: {"wa": 300}, Mode.skip: {"device_seconds": 0.1}})
    figure = picture(loads, "ycsb")
    labels = [label.get_text() for label in figure.axes[-1].get_xticklabels()]
    assert labels == ["ycsbload\n1KB", "ycsbload\n4KB", "ycsbc\n1KB", "ycsbc\n4KB"]
    assert heights(titled(figure, "NAND bytes / user"), Mode.off) == [4, 300], "YCSB-C puts nothing"
    assert heights(titled(figure, "throughput"), Mode.skip) == pytest.approx([0, 400, 0, 0])
    assert titled(figure, "NAND bytes / user bytes, logarithmic").get_yscale() == "log"
    assert titled(figure, "throughput against off, %, logarithmic above 50").get_yscale() == "symlog"
    assert titled(figure, "NAND bytes saved").get_yscale() == "linear"


def test_mixgraph_has_the_ratio_of_leveldb_itself_as_a_line() -> None:
    axes = titled(picture({"mixgraph-mixalldist": runs()}, "mixgraph"), "unchanged blocks found")
    assert [lines.get_segments()[0][0][1] for lines in axes.collections] == [11.4]  # type: ignore[attr-defined]


def test_a_mode_that_was_not_run_has_no_bar() -> None:
    case = runs()
    del case[Mode.skip]
    axes = titled(picture({"data-2GiB": case}, "data"), "NAND bytes saved")
    assert heights(axes, Mode.skip) == [] and heights(axes, Mode.fill) == pytest.approx([22.5])
    del case[Mode.off]
    assert heights(titled(picture({"data-2GiB": case}, "data"), "space"), Mode.fill) == []


def test_levels_and_the_papers_marks() -> None:
    deep = [level(1, 100, 20, 10), level(3, 10, 9, 8)]
    figure = picture_of_levels(runs({Mode.retain: {"levels": deep}}))
    (axes,) = figure.axes
    assert heights(axes, Mode.retain) == pytest.approx([10, 80]) and heights(axes, Mode.base) == pytest.approx([25])
    assert marks(axes) == [1, 5, 29, 52]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["into L1", "into L3"]


def test_a_picture_is_a_png_inside_the_page() -> None:
    tag = image(picture({"ycsb-ycsbc-1KB": runs(user_bytes=0)}, "ycsb"), "it's <one>")
    before, encoded = tag.split("src='data:image/png;base64,")
    assert before == "<img alt='it&#x27;s &lt;one&gt;' "
    assert base64.b64decode(encoded.removesuffix("'>"), validate=True).startswith(b"\x89PNG")
