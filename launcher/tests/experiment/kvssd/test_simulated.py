# SPDX-License-Identifier: Apache-2.0
"""Systems that are simulated only."""

from pathlib import Path

from launcher.experiment.kvssd import simulated
from launcher.experiment.kvssd.simulated import SYSTEMS, Simulation, cases
from launcher.experiment.runner.description import Scale


def test_simulated_trees_differ_as_the_paper_says(tmp_path: Path) -> None:
    (wanted, *_) = cases(Scale.small)
    said: list[str] = []
    found = Simulation().run([wanted], tmp_path, [], said.append)
    runs = found.results["uniform"]
    assert list(runs) == list(SYSTEMS) and len(said) == len(SYSTEMS) and not found.not_run
    compaction = {name: run["compaction"] for name, run in runs.items()}
    assert compaction["llsm"] < compaction["dlsm"] < compaction["lsm"]
    assert compaction["rlsm-2"] < compaction["lsm"]
    reads = {name: run["read_amplification"] for name, run in runs.items()}
    assert reads["lsm"] < reads["dlsm"] < reads["llsm"]
    assert runs["llsm"]["space"] > runs["lsm"]["space"]
    assert len(simulated.table(found.results)[1]) == len(SYSTEMS)
    assert all(run["commit"] and run["date"] for run in runs.values())


def test_what_is_there_is_not_simulated_again_and_what_is_missing_is_told(tmp_path: Path) -> None:
    wanted = cases(Scale.small)[:2]
    said: list[str] = []
    place = Simulation()
    place.run(wanted[:1], tmp_path, [], said.append)
    place.run(wanted[:1], tmp_path, [], said.append)
    assert len(said) == len(SYSTEMS)
    (kept,) = tmp_path.glob("runs/simulated-uniform-llsm.json")
    told = place.report(wanted, tmp_path)
    assert list(told.results) == ["uniform"] and told.not_run
    kept.write_text("{")
    assert not place.report(wanted[:1], tmp_path).results
