# SPDX-License-Identifier: Apache-2.0
"""The table and the plot of a benchmark."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.bench.bench_report import cycles_per_second, metadata_share, plot, saving, table
from launcher.tests.bench.db_bench_stand_in import result


@pytest.fixture
def document() -> dict[str, Any]:
    runs = []
    for mode in Mode:
        arguments = BenchOptions().arguments(mode, Path("unused"))
        runs.append(result(dict(argument[2:].split("=", 1) for argument in arguments)))
    head = {name: runs[0][name] for name in ("workload", "device", "geometry", "seed")}
    return {**head, "options": {"num": 10_000, "key_size": 16, "value_size": 984}, "runs": runs}


def text(document: dict[str, Any]) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(table(document))
    return out.getvalue()


def row(document: dict[str, Any], name: str) -> list[str]:
    """Cells of the row with this name."""
    (line,) = [line for line in text(document).splitlines() if line.split("│")[1:2] and name in line.split("│")[1]]
    return [cell.strip() for cell in line.strip("│ ").split("│")[1:]]


def test_nand_saving_is_relative_to_the_first_mode(document: dict[str, Any]) -> None:
    assert row(document, "against off") == ["+0.0 %", "-10.0 %", "-25.0 %", "-22.5 %", "-20.0 %", "-32.5 %"]
    document["runs"].reverse()
    assert row(document, "against blend")[5] == "+48.1 %"


def test_figures_are_in_the_table(document: dict[str, Any]) -> None:
    assert row(document, "WA1") == ["2.00"] * 6
    assert row(document, "WA (") == ["4.00", "3.60", "3.00", "3.10", "3.20", "2.70"]
    assert row(document, " log ") == ["0.50"] * 6
    assert row(document, "size compaction") == ["1.07"] * 6
    assert "seek compaction" not in text(document), "none of the runs has any"
    assert row(document, "PageFS's own") == ["1.50 %"] * 6
    assert row(document, "of these, shared") == ["3"] * 6
    assert row(document, "into L1") == ["25.0 % of 40"] * 6
    assert row(document, "into L2") == ["-"] * 6
    assert row(document, "host CPU") == ["0.10 s"] * 6
    assert row(document, "flushes and compactions") == ["0.08 s"] * 4 + ["0.06 s"] * 2
    assert row(document, "evaluated") == ["500"] * 6
    assert row(document, "idle too") == ["2,000"] * 6
    assert "10,000 x (16 + 984) B, seed 1" in text(document)
    assert "page_bytes 4096" in text(document)


def test_a_run_may_lack_causes(document: dict[str, Any]) -> None:
    del document["runs"][0]["bytes_by_cause"]  # of an older db_bench
    document["runs"][1]["bytes_by_cause"] = dict.fromkeys(document["runs"][1]["bytes_by_cause"], 0)  # of no file layer
    assert row(document, " log ") == ["-", "-", *["0.50"] * 4]
    document["runs"] = document["runs"][:2]
    assert " log " not in text(document)


def test_nothing_is_divided_by_zero(document: dict[str, Any]) -> None:
    for run in document["runs"]:
        run["nand_bytes"] = run["host_bytes"] = run["user_bytes"] = 0
        run["sim_cpu_seconds"] = 0
    assert saving(document["runs"][1], document["runs"][0]) == 0
    assert cycles_per_second(document["runs"][0]) == (0, 0)
    assert metadata_share(document["runs"][0]) == 0
    text(document)


def test_picture_is_a_png(document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "new" / "picture.png"
    plot(document, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    document["runs"] = document["runs"][:1]
    for entry in document["runs"][0]["levels"]:
        entry["input_blocks"] = 0
    plot(document, path)
