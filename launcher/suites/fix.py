# SPDX-License-Identifier: Apache-2.0
"""`./openremap fix`: every formatter, over the files that the suite `style` checks."""

from __future__ import annotations

from collections.abc import Mapping

from launcher.env import steps
from launcher.env.paths import BUILD
from launcher.hw import rtl
from launcher.suites import checks

LANGUAGES = ("c", "python", "scala")


def commands() -> dict[str, list[list[str]]]:
    """What formats each language, in this order. Ruff's rules come first: what they rewrite is then laid out."""
    return {
        "c": [["clang-format", "-i", *checks.sources(*checks.NATIVE)]],
        "python": [["ruff", "check", "--fix", "."], ["ruff", "format", "."]],
        "scala": [[*rtl.mill(), "hw.reformat", "+", "hw.test.reformat"]],
    }


def run(languages: tuple[str, ...]) -> list[str]:
    """Formats files in place. Each formatter runs, whatever became of the one before; returns what failed and why."""
    failures: list[str] = []
    for language, formatters in _chosen(languages).items():
        for command in formatters:
            name = (
                " ".join(command[:2]) if language == "python" else {"c": "clang-format", "scala": "scalafmt"}[language]
            )
            log = BUILD / "logs" / f"fix-{name.replace(' ', '-')}.log"
            try:
                outcome = steps.run(name, command, log)
            except OSError as error:  # a tool that is missing
                failures.append(f"{name}: cannot run {command[0]}: {error.strerror}")
                continue
            if outcome.code == 0:
                steps.done(name, outcome.seconds)
            else:
                failures.append("\n".join([f"{name}: {steps.exit_text(outcome.code)} (log: {log})", *outcome.tail]))
    return failures


def _chosen(languages: tuple[str, ...]) -> Mapping[str, list[list[str]]]:
    return {language: formatters for language, formatters in commands().items() if language in languages}
