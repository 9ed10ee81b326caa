# SPDX-License-Identifier: Apache-2.0
"""experiment_small.py DB_BENCH FOLDER: runs the whole experiment at small scale on the model and prints its tables."""

import html
import shutil
import sys
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom import measures, reflink
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Elsewhere, Scale
from launcher.spread.cluster import Where


def what_is_wrong_over_reflinks(reflinks: Elsewhere, page: str) -> list[str]:
    """The report has what was run, and says what was not."""
    if reflinks.not_run:
        said = html.escape(f"nothing was run: {reflinks.not_run}") in page
        return [] if said else ["the report does not say that reflinks were not run"]
    wrong = []
    runs = reflinks.results["fillrandom-1KB"]
    for mode, run in runs.items():
        if (run["remapped_pages"] > 0) != (mode is not Mode.off) or run["remap_fallbacks"]:
            wrong.append(f"{mode}: {run['remapped_pages']} pages shared, {run['remap_fallbacks']} refused")
    if measures.host_saved(runs, Mode.blend) <= 0 or "over reflinks of XFS" not in page or "nothing was run" in page:
        wrong.append("reflinks: blend saves nothing, or the report lacks them")
    return wrong


def main(program: str, folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    wanted = REMAPCOM.cases(Scale.small)

    def say(text: str) -> None:
        print(text, flush=True)

    # One after the other: CTest has a case on the other core.
    results, failures = running.run(wanted, REMAPCOM.variants, folder, Where(1), [program], say)
    reflinks = reflink.run(reflink.cases(Scale.small), folder, [program], say)
    told = report.told(REMAPCOM, Scale.small, results, {reflink.NAME: reflinks})
    print(parts.markdown(REMAPCOM.tables(told)))
    page = report.page(REMAPCOM, told)
    wrong = failures + [
        f"{case.figure} {case.name} is not in the report" for case in wanted if f">{case.name}<" not in page
    ]
    wrong += what_is_wrong_over_reflinks(reflinks, page)
    # Whatever the sizes, a fill with unchanged blocks kept at all costs programs less than stock LevelDB.
    for name in ("fillrandom-1KB", "ranges-4-16KB"):
        if measures.saved(results[name], Mode.retain) <= 0:
            wrong.append(f"{name}: retain saves nothing")
        if measures.kept(results[name][Mode.off], 2) != 0:
            wrong.append(f"{name}: off kept blocks")
    for text in wrong:
        print(f"error: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
