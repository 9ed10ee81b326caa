# SPDX-License-Identifier: Apache-2.0
"""What expressions may ask of the outputs of single programs, beside members and arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from launcher.hw import hwbench


def cost(case: dict[str, Any]) -> str:
    """A case of hwbench as its table shows it, with a mark if it misses its goal."""
    return hwbench.figure(hwbench.value(case), case["goal"])


def goal(case: dict[str, Any]) -> str:
    return "-" if case["goal"] is None else f"{case['goal']:g}"


def latency(device: dict[str, Any], kind: str, quantile: str) -> str:
    """A latency of fulldevice in milliseconds. Kind '': the table's second head, which names the quantiles."""
    if not kind:
        return quantile
    value = device["latency_ns"][kind][quantile] / 1e6
    return f"{value:,.1f}" if value >= 0.095 else f"{value:.1g}"


def longest(device: dict[str, Any]) -> int:
    """The longest command of fulldevice, in nanoseconds."""
    return max(int(kind["max"]) for kind in device["latency_ns"].values())


def step(start: dict[str, Any], name: str) -> int:
    """The nanoseconds of a step of a start, of recoverytime."""
    return sum(int(one["ns"]) for one in start["steps"] if one["name"] == name)


def setting(runs: dict[str, Any], name: str, size: str) -> str:
    """Host bytes saved against stock, space beyond it, and reads, of a run of db_bench. None of that size: a dash."""
    run, stock = runs.get(name + size), runs["off" + size]
    if run is None:
        return "-"
    saved = 100 - 100 * run["host_bytes"] / stock["host_bytes"]
    space = 100 * run["used_bytes"] / stock["used_bytes"] - 100
    return f"{saved:.1f} %, {space:+.1f} %, {run['host_read_bytes'] / 1e9:.1f} GB"


def busy(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a start that take 0.1 ms, or read or write NVRAM."""
    return [one for one in steps if one["ns"] >= 100_000 or one["nvram_read"] or one["nvram_written"]]


def shares(runs: list[dict[str, Any]], where: str) -> str:
    """Metadata in percent of what the host wrote, of recoverytime or db_bench. `where`: nvram or flash."""
    found = []
    for run in runs:
        if "host_bytes" in run:
            host, nvram, flash = run["host_bytes"], run["nvram_bytes"], 4096 * run["metadata_pages"]
        else:
            host, flash = 4096 * run["host_write_pages"], 4096 * run["nand_program_meta"]
            nvram = sum(run["nvram_written"].values())
        found.append(f"{100 * (nvram if where == 'nvram' else flash) / host:.3f}")
    return " / ".join(found)


def space(cases: list[list[str]], case: str, mode: str) -> float:
    """Space beyond stock in percent, of the evaluation's table of all cases."""
    row = next(row for row in cases if row[0] == case)
    cell = row[1 + ["base", "retain", "fill", "skip", "blend"].index(mode)]
    return float(cell.split(", ")[1].split()[0])


def words(text: str, first: str) -> list[str]:
    """The words of the one line of a text that begins with a word."""
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [first])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "busy": busy,
    "cost": cost,
    "goal": goal,
    "latency": latency,
    "longest": longest,
    "setting": setting,
    "shares": shares,
    "space": space,
    "step": step,
    "words": words,
}
