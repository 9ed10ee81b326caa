# SPDX-License-Identifier: Apache-2.0
"""Presents the results of a benchmark: a table and a plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.table import Table

MIB = 1024 * 1024


def saving(run: dict[str, Any], reference: dict[str, Any]) -> float:
    """Share of the reference's NAND bytes that `run` saved; negative if it wrote more."""
    return float(1 - run["nand_bytes"] / reference["nand_bytes"]) if reference["nand_bytes"] else 0.0


def metadata_share(run: dict[str, Any]) -> float:
    """Share of the host's bytes that is metadata of PageFS."""
    return float(run["fs_metadata_bytes"] / run["host_bytes"]) if run["host_bytes"] else 0.0


def causes(run: dict[str, Any]) -> dict[str, float]:
    """WA1 by the cause of the host's writes: its bytes over the user's. Empty where the file layer does not count."""
    written: dict[str, int] = run.get("bytes_by_cause", {})
    if not run["user_bytes"] or not any(written.values()):
        return {}
    return {name: count / run["user_bytes"] for name, count in written.items()}


def cycles_per_second(run: dict[str, Any]) -> tuple[float, float]:
    """Clock cycles per second of simulator time: the evaluated ones, and all including skipped idle cycles."""
    seconds = run.get("sim_cpu_seconds", run["wall_seconds"])
    if seconds <= 0:
        return 0.0, 0.0
    return run.get("evaluated_cycles", run["sim_cycles"]) / seconds, run["sim_cycles"] / seconds


def table(document: dict[str, Any]) -> RenderableType:
    """One column for each mode, so that any number of rows fits a terminal."""
    runs = document["runs"]
    first = runs[0]
    grid = Table(title=_title(document), title_justify="left", caption_justify="left", caption=_caption(document))
    grid.add_column("", no_wrap=True)
    for run in runs:
        grid.add_column(run["mode"], justify="right")

    def row(name: str, values: list[str], *, section: bool = False) -> None:
        grid.add_row(name, *values, end_section=section)

    row("user bytes", [_mib(run["user_bytes"]) for run in runs])
    row("host bytes", [_mib(run["host_bytes"]) for run in runs])
    if all("fs_metadata_bytes" in run for run in runs):
        row("  PageFS's own", [f"{100 * metadata_share(run):.2f} %" for run in runs])
    row("NAND bytes", [_mib(run["nand_bytes"]) for run in runs])
    row(f"  against {first['mode']}", [f"{0 - 100 * saving(run, first):+.1f} %" for run in runs], section=True)
    row("WA1 (host/user)", [f"{run['wa1']:.2f}" for run in runs])
    by_cause = [causes(run) for run in runs]
    for cause in {name: None for parts in by_cause for name, part in parts.items() if part}:
        row(f"  {cause.replace('_', ' ')}", [f"{parts[cause]:.2f}" if cause in parts else "-" for parts in by_cause])
    row("WA2 (NAND/host)", [f"{run['wa2']:.2f}" for run in runs])
    row("WA (NAND/user)", [f"{run['wa']:.2f}" for run in runs], section=True)
    row("pages remapped", [f"{run['remapped_pages']:,}" for run in runs])
    row("  refused, so copied", [f"{run['remap_fallbacks']:,}" for run in runs])
    row("pages moved by GC", [f"{run['gc_pages']:,}" for run in runs])
    if any("gc_shared_pages" in run for run in runs):
        row("  of these, shared", [f"{run.get('gc_shared_pages', 0):,}" for run in runs], section=True)
    for level in sorted({entry["level"] for run in runs for entry in run["levels"]}):
        row(f"unchanged into L{level}", [_level_ratio(run, level) for run in runs])
    row("unchanged blocks", [f"{100 * run['unchanged_ratio']:.1f} %" for run in runs], section=True)
    row("space / live data", [f"{run['space_amplification']:.2f}" for run in runs])
    row("device time (simulated)", [f"{run['device_seconds']:.3f} s" for run in runs])
    row("host CPU", [f"{run['host_cpu_seconds']:.2f} s" for run in runs])
    row("  flushes and compactions", [f"{run['background_cpu_seconds']:.2f} s" for run in runs])
    row("wall time", [f"{run['wall_seconds']:.0f} s" for run in runs])
    row("evaluated, k cycles/s", [f"{cycles_per_second(run)[0] / 1e3:,.0f}" for run in runs])
    row("idle too, k cycles/s", [f"{cycles_per_second(run)[1] / 1e3:,.0f}" for run in runs])
    row("keys read back, equal", [f"{run['keys_verified']:,}" for run in runs])
    return grid


def plot(document: dict[str, Any], path: Path) -> None:
    """Writes one PNG: the bytes written, by their origin, and the share of unchanged blocks of each level."""
    import matplotlib

    matplotlib.use("Agg")  # no display
    from matplotlib import pyplot

    runs = document["runs"]
    modes = [run["mode"] for run in runs]
    figure, (written, unchanged) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    width = 0.26
    series = [("user", "user_bytes", "#9aa5b1"), ("host", "host_bytes", "#4a7fb5"), ("NAND", "nand_bytes", "#c4572e")]
    for place, (label, member, colour) in enumerate(series):
        at = [index + (place - 1) * width for index in range(len(runs))]
        bars = written.bar(at, [run[member] / MIB for run in runs], width, label=label, color=colour)
        written.bar_label(bars, fmt="%.0f", fontsize=8)
    written.set_xticks(range(len(runs)), [f"{run['mode']}\nWA {run['wa']:.2f}" for run in runs])
    written.set_ylabel("MiB written")
    written.legend()
    written.set_title(f"{document['workload']} on {document['device']}")

    levels = sorted({entry["level"] for run in runs for entry in run["levels"] if entry["input_blocks"]})
    step = 0.8 / max(1, len(runs))
    for place, run in enumerate(runs):
        ratios = {entry["level"]: 100 * entry["unchanged_ratio"] for entry in run["levels"]}
        at = [index + (place - (len(runs) - 1) / 2) * step for index in range(len(levels))]
        unchanged.bar(at, [ratios.get(level, 0.0) for level in levels], step, label=modes[place])
    unchanged.set_xticks(range(len(levels)), [f"into L{level}" for level in levels])
    unchanged.set_ylabel("unchanged blocks, %")
    unchanged.set_ylim(0, 100)
    unchanged.legend()
    unchanged.set_title("blocks remapped instead of rewritten")

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _title(document: dict[str, Any]) -> str:
    options = document["options"]
    items = f"{options['num']:,} x ({options['key_size']} + {options['value_size']}) B"
    return f"{document['workload']} on {document['device']}: {items}, seed {document['seed']}"


def _caption(document: dict[str, Any]) -> str:
    return "  ".join(f"{name} {value}" for name, value in sorted(document["geometry"].items()))


def _mib(count: int) -> str:
    return f"{count / MIB:,.2f} MiB"


def _level_ratio(run: dict[str, Any], level: int) -> str:
    for entry in run["levels"]:
        if entry["level"] == level:
            if not entry["input_blocks"]:
                return "-"
            return f"{100 * entry['unchanged_ratio']:.1f} % of {entry['input_blocks']:,}"
    return "-"
