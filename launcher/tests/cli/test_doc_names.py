# SPDX-License-Identifier: Apache-2.0
"""Names in code spans of the documentation are names of the sources: functions, files, registers, options, cases."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from launcher.env.paths import ROOT

# Not ours, or stand for something.
FOREIGN = {
    "io_uring_disabled",  # kernel.io_uring_disabled
    "jbd2",
    "read_ahead_kb",
    "hung_blocks",  # an older name, told as such
    *("report_cdc", "set_false_path", "set_max_delay"),  # Vivado's
    # SPDK's programs
    *("doorbell_aers", "err_injection", "fused_ordering", "hello_world", "nvme_compliance"),
    *("nvme_dp", "simple_copy", "spdk_nvme_identify", "spdk_nvme_perf"),
    "segments_written",  # made of the name of a part of NVRAM and `_written`
}
_PLACEHOLDER = re.compile(r"NAME|SUBSYSTEM|<|\.\.\.|[{}]")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = re.compile(r"(?<![\w-])([A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]*[A-Za-z0-9]|[A-Z][A-Za-z0-9]+Test)(?![\w*])")
_PREFIX = re.compile(r"(?<![\w-])([A-Za-z][A-Za-z0-9_]*_)\*")
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]+)")
_CASE = re.compile(r"(?:sim|verify|bench|leveldb)\.[a-z]+[a-z0-9_.-]*")


def pages() -> list[Path]:
    generated = ROOT / "docs" / "gen"
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(p for p in found if generated not in p.parents and p.name != "CHANGELOG.md")


@functools.cache
def tree() -> tuple[str, frozenset[str]]:
    """The text of all sources, and their words; names of files and folders are words, too."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    files = [name for name in listed if not name.endswith(".md") and not name.startswith("experiments/")]
    text = "\n".join((ROOT / name).read_text(errors="replace") for name in files if (ROOT / name).is_file())
    parts = {part.split(".")[0] for name in files for part in PurePosixPath(name).parts}
    generated = "".join(page.read_text() for page in (ROOT / "docs" / "gen").glob("*.md"))
    return text, frozenset(_WORD.findall(text)) | frozenset(_WORD.findall(generated)) | parts


def unknown(span: str) -> list[str]:
    """Names in a code span that the sources do not have."""
    if _PLACEHOLDER.search(span):
        return []
    text, words = tree()
    names = [name for name in _NAME.findall(span) if name not in words and name not in FOREIGN]
    names += [name + "*" for name in _PREFIX.findall(span) if not any(word.startswith(name) for word in words)]
    for option in _OPTION.findall(span):
        # A Python option's name may be in the source as the variable alone.
        if option not in text and option[2:].replace("-", "_") not in words:
            names.append(option)
    case = span.rstrip("*.")
    if _CASE.fullmatch(case):
        # A build file may compose the last part of a name.
        group = case.rpartition(".")[0] + "."
        if case not in text and (group.count(".") < 2 or group not in text):
            names.append(span)
    return names


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_names_are_those_of_the_sources(page: Path) -> None:
    text = page.read_text()
    spans = re.findall(r"`([^`\n]+)`", text)
    assert {span: names for span in spans if (names := unknown(span))} == {}


@pytest.mark.parametrize("span", ["mailbox_to_host()", "REMAP_*", "`--no-rest`", "verify.crash.*", "verify.lockstep.1"])
def test_knows_names(span: str) -> None:
    assert unknown(span) == []


@pytest.mark.parametrize(
    "span", ["mailbox_to_" + "moon()", "REWIND" + "_*", "--no-" + "luck", "verify." + "moon", "verify." + "moon.1"]
)
def test_finds_names_that_do_not_exist(span: str) -> None:
    assert unknown(span) != []
