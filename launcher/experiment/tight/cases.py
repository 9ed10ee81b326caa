# SPDX-License-Identifier: Apache-2.0
"""The cases of `tight`: the same random puts on less and less flash, until stock LevelDB has no space either."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import KIB, BenchOptions, Device
from launcher.experiment.runner.description import Case, Scale, Variant

SEED = 1
MODES = tuple(Mode)  # `off`, stock LevelDB, comes first: it is the reference
VARIANTS = tuple(Variant(mode, mode, may_be_full=True) for mode in MODES)

KEY, VALUE = 16, 984
LIVE = 1 - math.exp(-1)  # of as many puts to random keys as there are keys


@dataclass(frozen=True)
class Amounts:
    puts: int
    flash: tuple[int, int, int]  # channels, dies of one, pages of a block
    table: int  # and a memtable


# Superblocks shrink with the data, so that there are as many of them.
AMOUNTS = {
    Scale.small: Amounts(20_000, (2, 2, 16), 64 * KIB),
    Scale.medium: Amounts(200_000, (4, 2, 64), 512 * KIB),
    Scale.full: Amounts(3_200_000, (8, 4, 256), 2048 * KIB),
}

# Flash in multiples of the keys and values that are alive at the end, by the over-provisioning in percent. What the
# firmware keeps by default is 12 %; with that, less than 1.3 does not hold the data themselves.
RATIOS = {
    12: (4.0, 3.0, 2.0, 1.7, 1.6, 1.55, 1.5, 1.46, 1.42, 1.38),
    5: (1.6, 1.5, 1.45, 1.4, 1.35, 1.3, 1.25, 1.2),
}


def figure(over_provisioning: int) -> str:
    """The name of a part of the sweep."""
    return f"spare{over_provisioning}"


def live(options: BenchOptions) -> float:
    """Bytes of keys and values that are expected to be alive at the end."""
    return options.num * LIVE * (KEY + VALUE)


def ratio(options: BenchOptions) -> float:
    """Flash over live data."""
    return bench_options.flash_bytes(options) / live(options)


def cases(scale: Scale) -> list[Case]:
    amounts = AMOUNTS[scale]
    channels, dies, pages = amounts.flash
    superblock = channels * dies * pages * bench_options.PAGE_BYTES
    found = []
    for over_provisioning, ratios in RATIOS.items():
        for wanted in ratios:
            options = replace(
                BenchOptions(),
                device=Device.model,
                modes=MODES,
                seed=SEED,
                workload=Workload.fillrandom,
                key_size=KEY,
                value_size=VALUE,
                num=amounts.puts,
                write_buffer=amounts.table,
                max_file_size=amounts.table,
                level1_bytes=amounts.table * 5 // 2,
                level_ratio=10,
                over_provisioning=over_provisioning,
                superblocks=0,
                firmware_cpu="none",  # only bytes are told
            )
            blocks = round(wanted * live(options) / superblock)
            sized = replace(options, geometry=f"{channels}x{dies}x{blocks}x{pages}")
            found.append(Case(figure(over_provisioning), f"{wanted:g}", sized))
    return found
