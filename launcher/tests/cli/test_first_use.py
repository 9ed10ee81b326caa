# SPDX-License-Identifier: Apache-2.0
"""What the first use of `./openremap` needs: the launcher starts before the tools of requirements.txt are installed."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

from launcher.env.paths import ROOT

PROGRAM = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None  # its import fails
import launcher.cli.cli
"""


def named(distribution: str) -> str:
    """A distribution's name in the form that makes two of them comparable."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def test_the_launcher_starts_with_its_own_packages_alone() -> None:
    pins = (ROOT / "requirements-launcher.txt").read_text()
    own = {named(name) for name in re.findall(r"^([A-Za-z0-9._-]+)==", pins, re.M)}
    assert "typer" in own
    later = [
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if not own & {named(name) for name in distributions} and module not in sys.stdlib_module_names
    ]
    assert "pytest" in later
    outcome = subprocess.run([sys.executable, "-c", PROGRAM, *later], cwd=ROOT, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
