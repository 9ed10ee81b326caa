# SPDX-License-Identifier: Apache-2.0
"""experiment_utxo.py DB_BENCH FOLDER: runs utxo at small scale on the model and prints tables."""

import sys
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Results
from launcher.experiment.utxo.cases import ABOUT, AMOUNTS
from launcher.experiment.utxo.measures import SAVED_A_DAY, SEEKS, blocks
from launcher.experiment.utxo.utxo import UTXO
from launcher.tests.experiment import slices


def what_is_wrong(results: Results) -> list[str]:
    """All modes do the same to the coins, and only some save writes. All coins were looked for (running.run())."""
    wrong = []

    def expect(holds: bool, what: str) -> None:
        if not holds:
            wrong.append(what)

    amounts = AMOUNTS[Scale.small]
    for name in ABOUT:
        if name not in results:
            wrong.append(f"{name} is not finished")
            continue
        runs = results[name]
        for mode, run in runs.items():
            of = f"{name}, {mode}"
            expect(run["user_bytes"] == runs[Mode.off]["user_bytes"], f"{of}: other bytes were put")
            expect(run["operations"] == amounts.operations, f"{of}: {run['operations']} operations")
            expect(abs(run["keys_verified"] / amounts.coins - 1) < 0.02, f"{of}: {run['keys_verified']} coins")
            expect(run["deleted_verified"] > amounts.operations // 3, f"{of}: few coins were spent")
            expect(blocks(run) > 500, f"{of}: {blocks(run)} blocks")
        expect((SAVED_A_DAY.value(runs, Mode.blend) or 0) > 0, f"{name}: blend saves nothing")
        expect(((SEEKS.value(runs, Mode.off) or 0) > 50) == name.endswith("seeks"), f"{name}: seek compactions")
    return wrong


def main(program: str, folder: Path) -> int:
    wanted = UTXO.cases(Scale.small)
    return slices.check(UTXO, wanted, folder, what_is_wrong, program)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
