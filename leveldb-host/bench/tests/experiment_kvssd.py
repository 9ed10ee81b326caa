# SPDX-License-Identifier: Apache-2.0
"""experiment_kvssd.py DB_BENCH FOLDER: runs kvssd's uniform keys at small scale on the model and prints tables."""

import sys
from pathlib import Path

from launcher.experiment.kvssd import measures
from launcher.experiment.kvssd.kvssd import KVSSD
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Runs
from launcher.tests.experiment import slices

CASE = "keys-uniform"


def what_is_wrong(runs: Runs) -> list[str]:
    """Each step takes away what it is there to take away, and each database was read back whole (running.run())."""
    wrong = []

    def expect(holds: bool, what: str) -> None:
        if not holds:
            wrong.append(what)

    compaction = {name: measures.COMPACTION.value(runs, name) or 0 for name in runs}
    adds = {name: measures.READ_MODIFY_WRITE.value(runs, name) or 0 for name in runs}
    whole = {name: measures.WHOLE.value(runs, name) or 0 for name in runs}
    expect(compaction["lsm"] == compaction["lsm+"] == compaction["nlsm"], "stock LevelDB writes other bytes elsewhere")
    expect(adds["lsm"] > adds["lsm+"] > 1.1, "files that begin at units are read and modified as often as others")
    expect(adds["nlsm"] == adds["rlsm-2"] == 1, "a mapping of pages reads and modifies")
    expect(whole["lsm"] > whole["lsm+"] > whole["nlsm"] > whole["rlsm-2"], "a step saves nothing")
    for name, run in runs.items():
        remapping = name.startswith(("rlsm", "blend"))
        blended = sum(level["blended_tables"] for level in run["levels"])
        expect((blended > 0) == (remapping and name != "rlsm-1"), f"{name}: {blended} tables of several runs")
        expect(run["remapped_pages"] > 0 or not blended, f"{name}: nothing was remapped")
        expect(run["remap_fallbacks"] == 0, f"{name}: {run['remap_fallbacks']} remaps were refused")
    expect(compaction["rlsm-1"] > compaction["rlsm-2"] > compaction["rlsm-3"], "a larger TH saves nothing")
    return wrong


def main(program: str, folder: Path) -> int:
    wanted = [case for case in KVSSD.cases(Scale.small) if case.key == CASE]
    return slices.check(KVSSD, wanted, folder, lambda results: what_is_wrong(results[CASE]), program)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
