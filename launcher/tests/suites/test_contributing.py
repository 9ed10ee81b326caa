# SPDX-License-Identifier: Apache-2.0
"""The contributor's kit: what it names is there, and hooks and CI run nothing but the project's own commands."""

from __future__ import annotations

import re
from typing import Any

import yaml

from launcher.env.paths import ROOT
from launcher.suites import fix, suites

GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
HOOKS: dict[str, Any] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
SUITES = {suite.name for suite in suites.SUITES}


def suites_named(text: str) -> set[str]:
    """The suites of each `./openremap test SUITE... [-k ...]` in a text."""
    commands = re.findall(r"\./openremap test((?: [a-z][a-z-]*)+)", text)
    return {name for command in commands for name in command.split()}


def test_files_that_the_guide_names_exist() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", GUIDE)
    named = re.findall(r"`((?:[a-z-]+/)+[\w.-]*|[A-Z]+\.md|VERSION)`", GUIDE)
    placeholders = ("_NAME", "/unit/", "build/")
    paths = [name for name in (*linked, *named) if not any(part in name for part in placeholders)]
    assert len(paths) > 20
    missing = [name for name in paths if not (ROOT / name).exists()]
    assert not missing


def test_suites_that_the_guide_and_the_workflow_run_exist() -> None:
    steps = "\n".join(step.get("run", "") for job in WORKFLOW["jobs"].values() for step in job["steps"])
    for text in (GUIDE, steps):
        assert suites_named(text) and suites_named(text) <= SUITES


def test_the_workflow_uses_the_checkout_only() -> None:
    used = [step["uses"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "uses" in step]
    assert {name.split("@")[0] for name in used} == {"actions/checkout"}
    assert all(set(step) in ({"run"}, {"uses"}) for job in WORKFLOW["jobs"].values() for step in job["steps"])


def test_every_push_has_the_quick_suites_and_every_night_has_all() -> None:
    jobs = WORKFLOW["jobs"]
    triggers = WORKFLOW[True]  # YAML reads the key `on` as true
    assert {"push", "pull_request", "schedule"} <= triggers.keys()
    assert jobs["full"]["steps"][-1]["run"] == ".ci/run" and (ROOT / ".ci" / "run").is_file()
    assert suites_named(jobs["quick"]["steps"][-1]["run"]) < {suite.name for suite in suites.SUITES if suite.always}


KINDS = {".toml", ".yaml", ".yml", ".cmake"}

# A digest of these names an environment, so a change of a comment would make everybody set up again.
PINS = {"toolchain.toml", "launcher/guest/guest_packages.toml"}


def test_build_and_description_files_keep_to_the_width_of_editorconfig() -> None:
    limit = int(re.findall(r"max_line_length = (\d+)", (ROOT / ".editorconfig").read_text())[0])
    parts = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in (".git", "build", "out")]
    files = [path for part in parts for path in part.rglob("*")] + list(ROOT.iterdir())
    described = [path for path in files if path.suffix in KINDS or path.name == "CMakeLists.txt"]
    names = {str(path.relative_to(ROOT)) for path in described} - PINS
    assert len(names) > 30
    long = [
        f"{name}:{number}"
        for name in sorted(names)
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1)
        if len(line) > limit and "://" not in line
    ]
    assert not long


def test_hooks_are_local_and_call_the_launcher() -> None:
    assert [repository["repo"] for repository in HOOKS["repos"]] == ["local"]
    hooks = HOOKS["repos"][0]["hooks"]
    assert all(hook["language"] == "system" and not hook["pass_filenames"] for hook in hooks)
    commands = [hook["entry"].split() for hook in hooks]
    assert all(command[0] == "./openremap" for command in commands)
    assert {command[2] for command in commands if command[1] == "fix"} == set(fix.LANGUAGES)
    assert {command[2] for command in commands if command[1] == "test"} <= SUITES
