# SPDX-License-Identifier: Apache-2.0
"""`./openremap figures`: the measured figures of the documentation, how old they are, and measuring them again.

A figure is stale when a source set that it was measured on has another digest now or had none then, or when only its
commit is known.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from launcher.env.paths import BUILD, ROOT
from launcher.figures import entries, pages, sources, values
from launcher.figures.entries import EntryFailed, Figure, Part, Record
from launcher.figures.pages import PageFailed, Text


class FiguresFailed(Exception):  # noqa: N818 - reads as what happened
    """A figure could not be measured or written; the message names it and says why."""


@dataclass(frozen=True)
class Status:
    """A figure with its record and what has changed since. `stale`: the reason, empty if nothing has changed."""

    figure: Figure
    record: Record
    days: int
    stale: str


def statuses(folder: Path = entries.FOLDER) -> list[Status]:
    """All figures, in the order of their descriptions. Raises EntryFailed."""
    found = []
    today = datetime.date.today()
    for name, figure in entries.read_figures(folder).items():
        record = entries.read_record(name, folder)
        days = (today - datetime.date.fromisoformat(record.date)).days
        found.append(Status(figure, record, max(0, days), stale(figure, record)))
    return found


def stale(figure: Figure, record: Record) -> str:
    """Why a record is stale; empty if it is not."""
    if not record.sources:
        return "only its commit is known"
    recorded = [name for name in figure.of if name in record.sources]
    changed = [name for name in recorded if record.sources[name] != sources.now(name)]
    later = [name for name in figure.of if name not in record.sources]  # the figure is of more sets than it was
    said = (("changed", changed), ("without a digest", later))
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in said if names)


def note(found: list[Status]) -> str:
    """One line for the end of a test run: which figures are of other sources than the present ones."""
    named = [status.figure.name for status in found if status.stale]
    if not named:
        return f"all {len(found)} measured figures of the documentation are of the present sources"
    return (
        f"{len(named)} of {len(found)} measured figures of the documentation are of older sources "
        f"(./openremap figures --stale): {', '.join(named)}"
    )


def can_be_refreshed(status: Status) -> bool:
    """Whether measuring again makes a stale figure fresh. Reports on runs stay as old as the runs."""
    return bool(status.stale) and not status.figure.by_hand and not status.figure.runs


def lines(found: list[Status], all_commands: bool = False) -> list[str]:
    """A head, and of each figure what it is of, its pages, and its command: the first one, or all of them."""
    said = [f"{len(found)} figures, {sum(bool(status.stale) for status in found)} of them stale"]
    widest = max((len(status.figure.name) for status in found), default=0)
    for status in found:
        figure = status.figure
        age = f"{status.days} day{'' if status.days == 1 else 's'}"
        state = f"stale, {status.stale}" if status.stale else "as the sources are"
        said.append(f"{figure.name:{widest}}  {status.record.commit}, {age}: {state}")
        said.append("    " + ", ".join(sorted({str(part.page.relative_to(ROOT)) for part in figure.parts})))
        commands = list(dict.fromkeys(figure.commands.values()))
        more = f"  (and {len(commands) - 1} more)" if len(commands) > 1 and not all_commands else ""
        said += [f"    {command}{more}" for command in (commands if all_commands else commands[:1])]
        said.append(f"    {figure.takes}" + ("; written by hand" if figure.by_hand else ""))
    return said


def document(found: list[Status]) -> dict[str, Any]:
    """The same for machines."""
    return {
        "figures": [
            {
                "name": status.figure.name,
                "about": status.figure.about,
                "pages": sorted({str(part.page.relative_to(ROOT)) for part in status.figure.parts}),
                "of": status.figure.of,
                "sources": status.record.sources,
                "commit": status.record.commit,
                "date": status.record.date,
                "days": status.days,
                "stale": bool(status.stale),
                "why": status.stale,
                "commands": status.figure.commands,
                "takes": status.figure.takes,
                "by_hand": status.figure.by_hand,
                "raw_data": raw_data(status.figure, status.record) is not None,
            }
            for status in found
        ]
    }


def text_of(figure: Figure, part: Part, outputs: dict[str, Any], old: Text) -> Text:
    """The text of a part that follows from the outputs. Heads and labels stay as they are in `old`."""
    names = {**outputs, "outputs": outputs}
    for name, expression in figure.lets.items():
        names[name] = values.evaluate(expression, names)
    if part.lines:
        return [str(line) for line in values.evaluate(part.lines, names)]
    if part.texts:
        return [values.text(piece, names) for piece in part.texts]
    head, *body = [row for row in old if isinstance(row, list)]
    if part.each:
        rows = values.evaluate(part.each, names)
        if not part.cells and not part.cell:
            return [head, *rows]
        made = []
        for i, r in enumerate(rows):
            label = body[i] if i < len(body) else ["?"] * len(head)
            known = {**names, "r": r, "i": i}
            row = [label[0], *(values.text(part.cell, {**known, "c": c}) for c in part.columns)] if part.cell else []
            made.append(row + [values.text(spec, known) if spec else label[j] for j, spec in enumerate(part.cells)])
        return [head, *made]
    if len(part.rows) != len(body):
        raise FiguresFailed(f"{part.mark}: {len(part.rows)} rows are described, the table has {len(body)}")
    made = []
    for label, spec in zip(body, part.rows, strict=True):
        cells = [values.text(spec, {**names, "c": c, "j": j}) for j, c in enumerate(part.columns) if spec]
        made.append([label[0], *cells] if spec else label)
    return [head, *made]


def raw_data(figure: Figure, record: Record) -> dict[str, Any] | None:
    """The outputs that the repository has of a figure, in its record or in files. None: none."""
    if figure.files:
        return {name: _document((ROOT / path).read_text()) for name, path in figure.files.items()}
    return record.outputs


def on_page(part: Part, text: Text | None) -> Text:
    """What the page has where the part's marker is. Raises PageFailed unless it has exactly one."""
    page = part.page.read_text()
    found = [mark for mark in pages.marks(page) if mark.name == part.mark]
    if len(found) != 1:
        raise PageFailed(f"{part.page.relative_to(ROOT)}: {len(found)} markers of {part.mark}; expected one")
    looked_for = [piece for piece in text or [] if isinstance(piece, str)] if part.texts else None
    return pages.read(page, found[0], looked_for)


def differences(figure: Figure, record: Record) -> list[str]:
    """How the pages differ from the record, and the record from the output that it has. Empty if nothing does."""
    found = []
    for part in figure.parts:
        text = record.text.get(part.mark)
        if text is None:
            found.append(f"{part.mark}: the record has no text of it")
            continue
        try:
            there = on_page(part, text)
            outputs = raw_data(figure, record)
            follows = None if part.by_hand or outputs is None else text_of(figure, part, outputs, text)
        except (PageFailed, values.ValueFailed, FiguresFailed) as error:
            found.append(str(error))
            continue
        found += _compared(f"{part.mark}: the page", there, text)
        if follows is not None:
            found += _compared(f"{part.mark}: the output of its command", follows, text)
    extra = record.text.keys() - {part.mark for part in figure.parts}
    return found + [f"{name}: recorded, but no part of {figure.name}" for name in sorted(extra)]


def _compared(what: str, there: Text, recorded: Text) -> list[str]:
    if there == recorded:
        return []
    for i, wanted in enumerate(recorded):
        got = there[i] if i < len(there) else None
        if got != wanted:
            return [f"{what} has {got}, recorded is {wanted}"]
    return [f"{what} has more than what is recorded: {there[len(recorded)]}"]


def refresh(figure: Figure, folder: Path = entries.FOLDER) -> list[str]:
    """Measures a figure again, records it and writes its pages. Returns what changed.

    Raises FiguresFailed if a command fails, and leaves record and pages alone then.
    """
    if figure.by_hand:
        raise FiguresFailed(
            f"{figure.name}: its text is written by hand: run `{'`, `'.join(figure.commands.values())}`, write the "
            f"pages, then ./openremap figures --by-hand {figure.name}"
        )
    try:
        before = entries.read_record(figure.name, folder).text
    except EntryFailed:
        before = {}
    digests = {name: sources.now(name) for name in figure.of}
    outputs = {name: _output(figure.name, name, command) for name, command in figure.commands.items()}
    outputs |= {name: _document((ROOT / path).read_text()) for name, path in figure.files.items()}
    text: dict[str, Text] = {}
    changed = []
    try:
        for part in figure.parts:
            old = on_page(part, before.get(part.mark))
            text[part.mark] = text_of(figure, part, outputs, old)
            if text[part.mark] != old:
                changed.append(part.mark)
        for part in figure.parts:
            page = part.page.read_text()
            mark = next(mark for mark in pages.marks(page) if mark.name == part.mark)
            old = before.get(part.mark) or on_page(part, None)
            if mark.kind == "prose" and len(old) != len(text[part.mark]):
                raise PageFailed(
                    f"{part.mark}: write its {len(text[part.mark])} pieces into the page once: {text[part.mark]}"
                )
            part.page.write_text(pages.write(page, mark, old, text[part.mark]))
    except (PageFailed, values.ValueFailed) as error:
        raise FiguresFailed(str(error)) from error
    made = Record(commit(), datetime.date.today().isoformat(), digests, text, outputs)
    entries.write_record(figure.name, _of_runs(figure, made), folder)
    return changed


def by_hand(figure: Figure, folder: Path = entries.FOLDER) -> None:
    """Records what the pages say as measured now. Only for figures whose text no command gives."""
    if not figure.by_hand:
        raise FiguresFailed(f"{figure.name}: its values come from its command: use --refresh")
    text = {part.mark: on_page(part, None) for part in figure.parts}
    digests = {name: sources.now(name) for name in figure.of}
    entries.write_record(figure.name, Record(commit(), datetime.date.today().isoformat(), digests, text), folder)


def _of_runs(figure: Figure, record: Record) -> Record:
    """A report on runs is as old as they are, and of their commits; its outputs are in the folder of the runs."""
    if not figure.runs:
        return record
    runs = [json.loads(path.read_text()) for path in sorted((ROOT / figure.runs).glob("*.json"))]
    commits = sorted({(str(run["date"]), str(run["commit"])) for run in runs})
    return replace(record, commit=commits[-1][1], date=commits[-1][0][:10], sources={}, outputs=None)


def commit() -> str:
    """The commit that is checked out, abbreviated."""
    found = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def _output(figure: str, name: str, command: str) -> Any:
    """Runs a command: its JSON document, else its text. `{out}` in it is a file that it writes instead."""
    log = BUILD / "logs" / f"figures-{figure}-{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="figures-") as folder, open(log, "w") as errors:
        out = Path(folder) / "out"
        line = command.replace("{out}", str(out)).replace("{folder}", folder)
        child = subprocess.run(
            ["bash", "-c", line],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ,
        )
        text = out.read_text() if "{out}" in command and out.exists() else child.stdout
    if child.returncode != 0:
        raise FiguresFailed(f"{figure}: `{command}` ended with exit code {child.returncode}; see {log}")
    # Temporary folders and the place of the tree tell nothing, and differ each time.
    text = re.sub(rf"{re.escape(tempfile.gettempdir())}/[\w.-]+", "TMP", text).replace(f"{ROOT}/", "")
    return _document(text)


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
