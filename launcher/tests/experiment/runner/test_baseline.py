# SPDX-License-Identifier: Apache-2.0
"""The values that addresses leave out."""

import hashlib
from dataclasses import replace

from launcher.bench import ioreplay
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.bench.ioreplay import Options
from launcher.experiment.runner import store
from launcher.experiment.runner.baseline import BASELINE, REPLAY_BASELINE
from launcher.experiment.runner.steps import Replay

FIRST_ENTRIES = 52
FIRST_DIGEST = "0fe48e8cf1d233712726abad428394f60ef239d21c3455256c29d05cba500b39"


def test_the_baseline_has_every_option() -> None:
    """A new option needs an entry. An entry is never changed: its digest grows by new lines only."""
    usual = replace(BenchOptions(), geometry="", over_provisioning=0)
    missing = store.effective(usual, Mode.blend).keys() - BASELINE.keys()
    assert not missing, "add each with its first default to launcher/experiment/runner/baseline.py"
    lines = [f"{name}={value}" for name, value in BASELINE.items()]
    first = hashlib.sha256("\n".join(lines[:FIRST_ENTRIES]).encode()).hexdigest()
    assert first == FIRST_DIGEST, "addresses of kept results depend on these"


def test_the_baseline_has_every_option_of_a_replay() -> None:
    run = Replay((), Options())
    newer = b'[["CPU of the firmware", "vexriscv"]]'  # than the baseline; nothing else that is usual counts
    assert store.address_of(run) == hashlib.sha256(b'["ioreplay", [], ' + newer + b"]").hexdigest()
    assert ioreplay.deciding(Options()).keys() <= REPLAY_BASELINE.keys()
