# SPDX-License-Identifier: Apache-2.0
"""Place and route of one netlist with several seeds of the placer, side by side on a cluster; the fastest counts."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from launcher.cli import documents
from launcher.env import steps
from launcher.hw import synth
from launcher.hw.synth_tools import ECP5
from launcher.spread.cluster import SpreadFailed
from launcher.spread.seeds import Seeds
from launcher.spread.spreading import spread
from launcher.spread.work import Again, Outcome, Work

MEMORY = 3 << 30  # bytes that place and route of the whole controller takes


def route_netlist(options: synth.Options, netlist: bytes, stop: threading.Event) -> tuple[dict[str, Any], bytes]:
    """Called on a worker: the route of one seed, and its bitstream (empty: not routed)."""
    parent = synth.folder_of(options.unit, options.config)
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="seed-", dir=parent) as folder:
        (Path(folder) / f"{ECP5}.netlist").write_bytes(netlist)
        route = synth.route(options, Path(folder), stop)
        if route.get("failed", "").startswith("killed by"):
            raise Again(route["failed"])
        bitstream = Path(folder) / f"{ECP5}.bit"
        return route, bitstream.read_bytes() if "failed" not in route else b""


def run(options: synth.Options, seeds: Seeds) -> dict[str, Any]:
    """As `synth.run`, with the fastest route of the seeds, and all of them under `seeds`.

    A seed whose route of this netlist is there already is not routed again.
    """
    document = synth.run(replace(options, route=False))
    if ECP5 not in options.families or not options.route:
        return document
    folder = synth.folder_of(options.unit, options.config)
    netlist = (folder / f"{ECP5}.netlist").read_bytes()
    routes: dict[int, dict[str, Any]] = {}
    works = []
    for seed in seeds.all:
        of_seed = replace(options, seed=seed)
        key = synth.digest(hashlib.sha256(netlist).hexdigest(), str(options.mhz), str(seed))
        there = _finished(folder, seed, key)
        if there is not None:
            routes[seed] = there
            steps.done(f"place and route of {options.unit} with seed {seed}", 0, "unchanged")
        else:
            works.append(Work(f"seed {seed}", f"synth-{key}", route_netlist, (of_seed, netlist), MEMORY))

    def finish(work: Work, outcome: Outcome) -> None:
        (seed,) = (seed for seed in seeds.all if work.name == f"seed {seed}")
        if isinstance(outcome.error, SpreadFailed):
            routes[seed] = {"seed": seed, "failed": str(outcome.error), "log": ""}
        elif outcome.error is not None:
            raise outcome.error
        else:
            route, bitstream = outcome.value
            routes[seed] = _keep(folder, seed, work.key.removeprefix("synth-"), route, bitstream)
        said = routes[seed].get("failed") or f"{routes[seed]['fmax_mhz']:.1f} MHz"
        steps.say(f"{len(routes)}/{seeds.count} {work.name}: {said}")

    if works:
        with spread(seeds.where, (), steps.say) as cluster:
            cluster.run(works, finish)
    ordered = [routes[seed] for seed in seeds.all]
    document["families"][ECP5]["route"] = max(ordered, key=lambda route: route.get("fmax_mhz", 0.0))
    document["families"][ECP5]["seeds"] = [
        {name: route[name] for name in ("seed", "fmax_mhz", "failed") if name in route} for route in ordered
    ]
    return document


def _files(folder: Path, seed: int) -> tuple[Path, Path]:
    own = folder / "seeds" / str(seed)
    return own / "route.json", own / f"{ECP5}.bit"


def _finished(folder: Path, seed: int, key: str) -> dict[str, Any] | None:
    """A route of this netlist. One that reached its time limit is none: with more time it may finish."""
    result, bitstream = _files(folder, seed)
    try:
        kept = json.loads(result.read_text())
        route = kept["route"] if kept["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return route if route and bitstream.is_file() else None


def _keep(folder: Path, seed: int, key: str, route: dict[str, Any], bitstream: bytes) -> dict[str, Any]:
    """Writes a route and its bitstream below the folder of the unit."""
    result, file = _files(folder, seed)
    shutil.rmtree(result.parent, ignore_errors=True)
    if bitstream:
        result.parent.mkdir(parents=True)
        file.write_bytes(bitstream)
        route = route | {"bitstream": str(file)}
        documents.write({"key": key, "route": route}, result)
    return route
