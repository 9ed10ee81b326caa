# SPDX-License-Identifier: Apache-2.0
"""experiment_matrix.py DB_BENCH FOLDER: runs corners of the matrix at small scale on the model and prints tables."""

import shutil
import sys
from itertools import product
from pathlib import Path

from launcher.experiment.matrix import findings, measures
from launcher.experiment.matrix.matrix import MATRIX
from launcher.experiment.matrix.settings import FIRST, VARIANTS
from launcher.experiment.runner import parts, running
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.parts import Rows
from launcher.experiment.runner.quantities import Runs
from launcher.experiment.runner.tables import by_variant
from launcher.spread.cluster import Where

CASE = "roomy-5%"
CURED, WORST = "told-first-pages-tables", "anywhere-mixed"
# Stock LevelDB with and without Deallocate, in both orders of allocation, on the worst and the best mapping and
# placement; and the other modes on the best device.
CORNERS = [
    *(f"off-{'-'.join(words)}" for words in product(("untold", "told"), ("next", "first"), (WORST,))),
    *(f"off-{'-'.join(words)}" for words in product(("untold", "told"), ("next", "first"), ("pages-tables",))),
    *(f"{mode}-{CURED}" for mode in ("rlsm", "blend")),
]


def what_is_wrong(runs: Runs) -> list[str]:
    """Each database was read back whole (running.run()); here, that each switch does what it is there for."""
    wrong = []

    def expect(holds: bool, what: str) -> None:
        if not holds:
            wrong.append(what)

    off = [name for name in runs if name.startswith("off-")]
    first = runs[FIRST]
    for name, run in runs.items():
        expect(run["geometry"] == first["geometry"], f"{name}: another device")
        expect(run["keys_verified"] == first["keys_verified"], f"{name}: another database")
        for call in ("read", "write"):
            times = run["device_latency_us"][call]
            expect(0 < times["p50"] <= times["p99"] <= times["p999"] <= times["max"], f"{name}: times of {call}")
        counts = run["erase_counts"]
        expect(counts["least"] <= counts["mean"] <= counts["most"], f"{name}: counts of erases")
    sent = {runs[name]["host_bytes"] - runs[name]["bytes_by_cause"]["mapping_unit"] for name in off}
    expect(len(sent) == 1, f"stock LevelDB sends other bytes to other devices: {sorted(sent)}")

    modified = {name: measures.READ_MODIFY_WRITE.value(runs, name) or 0 for name in runs}
    moved = {name: measures.COLLECTION.value(runs, name) or 0 for name in runs}
    whole = {name: measures.WHOLE.value(runs, name) or 0 for name in runs}
    erased = {name: measures.ERASES.value(runs, name) or 0 for name in runs}
    for name in runs:
        expect((modified[name] > 1.1) if "-anywhere-" in name else (modified[name] == 1), f"{name}: parts of units")
    cured = f"off-{CURED}"
    expect(moved[FIRST] > 2 * moved[cured], "the worst device moves little")
    for told in (f"off-told-first-{WORST}", f"off-told-next-{WORST}", f"off-untold-first-{WORST}"):
        expect(moved[told] - 1 < (moved[FIRST] - 1) / 4, f"{told} leaves a quarter of what GC adds")
    expect(moved[cured] < 1.01, "a unit for each table leaves GC")
    expect(erased[FIRST] > 2 * erased[cured], "what is written is not erased")
    expect(whole[cured] > whole[f"rlsm-{CURED}"] > whole[f"blend-{CURED}"], "remapping saves nothing")
    return wrong


def main(program: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    wanted = [case for case in MATRIX.cases(Scale.small) if case.key == CASE]
    variants = tuple(variant for variant in VARIANTS if variant.name in CORNERS)
    results, wrong = running.run(wanted, variants, folder, Where(1), [program], lambda text: print(text))
    if len(variants) != len(CORNERS) or CASE not in results:
        wrong.append(f"{CASE} is not finished in all of {', '.join(CORNERS)}")
    else:
        titles = {name: name for name in CORNERS}
        tables = [findings.table(results), by_variant(results[CASE], titles, measures.QUANTITIES, "setting")]
        print(parts.markdown([Rows(table) for table in tables]))
        wrong += what_is_wrong(results[CASE])
    for text in wrong:
        print(f"error: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
