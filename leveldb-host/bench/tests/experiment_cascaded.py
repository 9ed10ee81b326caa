# SPDX-License-Identifier: Apache-2.0
"""experiment_cascaded.py DB_BENCH IOREPLAY FOLDER: runs cases of cascaded at small scale, and prints tables."""

import sys
from pathlib import Path

from launcher.experiment.cascaded.cascaded import CASCADED
from launcher.experiment.cascaded.cases import BASE_OF
from launcher.experiment.cascaded.measures import OTHER, SEEK, WA1, WA2
from launcher.experiment.cascaded.systems import COLUMNS, SYSTEMS, compared
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Results
from launcher.tests.experiment import slices

# In order, at random, with large values, with a large memtable, in a steady state, and with reads.
CASES = ("fig3-sequential", "fig5-9GB", "fig6-16KB", "fig7-64MB", "fig13-64MB", "fig12-60%")


def what_is_wrong(results: Results) -> list[str]:
    """What holds at any scale. All keys were read back (running.run())."""
    wrong = []

    def expect(holds: bool, case: str, what: str) -> None:
        if not holds:
            figures = (
                f"{name} {WA1.text(WA1.value(results[case], name))} x {WA2.text(WA2.value(results[case], name))}"
                for name in COLUMNS
            )
            wrong.append(f"{case}: {what}: {', '.join(figures)}")

    def wa1(case: str, name: str) -> float:
        return WA1.value(results[case], name) or 0

    def wa2(case: str, name: str) -> float:
        return WA2.value(results[case], name) or 0

    for case, runs in results.items():
        for system in SYSTEMS:
            on_i, on_s, on_disk = (f"{system.name} {device}" for device in ("I", "S", "HDD"))
            expect(wa1(case, on_i) == wa1(case, on_disk), case, f"{system.name} writes the disk otherwise than SSD-I")
            near = abs(wa1(case, on_s) / wa1(case, on_i) - 1) < 0.1
            expect(near, case, f"WA1 of {system.name} depends on the device")
            expect(runs[on_disk]["discontinuities"] > 0, case, f"{system.name} never seeks on the disk")
    expect(wa1("fig3-sequential", "leveldb I") < 3, "fig3-sequential", "a fill in order is compacted")
    expect(wa1("fig5-9GB", "leveldb I") > 8, "fig5-9GB", "LevelDB amplifies little")
    expect(wa1("fig7-64MB", "leveldb I") < wa1("fig5-9GB", "leveldb I"), "fig7-64MB", "a memtable saves nothing")
    expect(wa1("fig6-16KB", "wisckey I") < 1.1, "fig6-16KB", "WiscKey amplifies large values")
    expect(wa1("fig5-9GB", "blend I") < wa1("fig5-9GB", "leveldb I"), "fig5-9GB", "`blend` saves nothing")
    for name in ("leveldb S", "wisckey S"):
        worse = wa2("fig13-64MB", name) > 1.5 * wa2("fig7-64MB", name)
        expect(worse, "fig13-64MB", f"{name}: no worse in a steady state")
    expect(wa2("fig13-64MB", "leveldb I") < wa2("fig13-64MB", "leveldb S"), "fig13-64MB", "S is no worse than I")
    expect((SEEK.value(results["fig12-60%"], "leveldb I") or 0) > 0, "fig12-60%", "no table is compacted for its seeks")
    expect((OTHER.value(results["fig5-9GB"], "leveldb I") or 0) > 0, "fig5-9GB", "the file system writes nothing")
    return wrong


def main(program: str, replayer: str, folder: Path) -> int:
    wanted = [case for case in CASCADED.cases(Scale.small) if case.key in CASES]

    def wrong(results: Results) -> list[str]:
        return what_is_wrong(compared(results, BASE_OF))

    return slices.check(CASCADED, wanted, folder, wrong, program, replayer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
