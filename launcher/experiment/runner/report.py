# SPDX-License-Identifier: Apache-2.0
"""Writes an experiment's report: one HTML page, its tables as Markdown, and all results as JSON."""

from __future__ import annotations

from pathlib import Path

from launcher.cli import documents
from launcher.experiment.runner import parts, provenance
from launcher.experiment.runner.description import Elsewhere, Experiment, Scale, Told
from launcher.experiment.runner.quantities import Results

FILES = {"results": "results.json", "report": "report.html", "tables": "summary.md"}


def told(experiment: Experiment, scale: Scale, results: Results, elsewhere: dict[str, Elsewhere]) -> Told:
    """All that the report is made of."""
    return Told(
        scale,
        experiment.seed,
        f"./openremap experiment {experiment.name} --scale {scale.value} --out DIR",
        experiment.names,
        results,
        len(experiment.cases(scale)),
        elsewhere,
    )


def page(experiment: Experiment, told: Told) -> str:
    return parts.page(experiment.title, f"{experiment.about.split(',')[0]} rerun", experiment.page(told))


def write(experiment: Experiment, told: Told, folder: Path) -> None:
    """Writes the files of FILES, each at once: those of an earlier report stay whole where the disk is full."""
    document = {
        "paper": experiment.name,
        "scale": told.scale.value,
        "provenance": provenance.document(told),
        "summary": experiment.summary(told.results),
        "results": told.results,
        **{name: {"not_run": at.not_run, "results": at.results} for name, at in told.elsewhere.items()},
    }
    documents.write(document, folder / FILES["results"])
    documents.write_text(page(experiment, told), folder / FILES["report"])
    documents.write_text(parts.markdown(experiment.tables(told)), folder / FILES["tables"])
