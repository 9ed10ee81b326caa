# SPDX-License-Identifier: Apache-2.0
"""experiment_small.py DB_BENCH IOREPLAY FOLDER: runs the experiments at small scale on the model and prints tables."""

import html
import shutil
import sys
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.experiment.page_replay.page_replay import PAGE_REPLAY
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


def what_is_wrong_with_replays(program: str, replayer: str, folder: Path) -> list[str]:
    """The replay onto a device like the recording's costs what that did; any device has the right contents."""
    wanted = PAGE_REPLAY.cases(Scale.small)
    results, wrong = running.run(
        wanted, PAGE_REPLAY.variants, folder, Where(1), [program], lambda _: None, replayer=[replayer]
    )
    print(parts.markdown(PAGE_REPLAY.tables(report.told(PAGE_REPLAY, Scale.small, results, {}))))
    if len(results) != len(wanted):
        return [*wrong, "page-replay is not finished"]
    for name, runs in results.items():
        if abs(runs["model"]["wa2"] / runs["recorded"]["wa2"] - 1) > 0.002:
            wrong.append(f"{name}: the replay costs {runs['model']['wa2']}, the recording {runs['recorded']['wa2']}")
        if not runs["steady"]["wa2"] > 1.1 * runs["model"]["wa2"]:
            wrong.append(f"{name}: a device in a steady state costs no more than a fresh one")
        side, model = (runs[variant]["replay"] for variant in ("side", "model"))
        if side["written_pages"] + side["side_pages"] != model["written_pages"] or not side["side_pages"]:
            wrong.append(f"{name}: what the side device has is not what the other one lacks")
        if not runs["hybrid"]["wa2"] > runs["model"]["wa2"]:
            wrong.append(f"{name}: the hybrid mapping costs no more than one of pages")
        if runs["writers"]["replay"]["written_pages"] <= runs["model"]["replay"]["written_pages"]:
            wrong.append(f"{name}: two databases write no more than one")
    return wrong


def main(program: str, replayer: str, folder: Path) -> int:
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
    wrong += what_is_wrong_with_replays(program, replayer, folder / "page-replay")
    for text in wrong:
        print(f"error: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
