# SPDX-License-Identifier: Apache-2.0
"""The cases of `utxo`: a Bitcoin node's set of unspent coins, written every hour or with every block."""

from __future__ import annotations

from dataclasses import dataclass, replace

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import KIB, MIB, BenchOptions, Device
from launcher.experiment.runner.description import Case, Scale, Variant

SEED = 1
MODES = tuple(Mode)  # `off`, stock LevelDB, comes first: it is the reference
VARIANTS = tuple(Variant(mode, mode) for mode in MODES)

BLOCKS_A_DAY = 144
# Coins that a block of Bitcoin makes: with these, an hour's batch has 2.2 MB. A batch has about 2 MiB
# (github.com/bitcoin-core/leveldb-subtree, pull request 61).
OUTPUTS = 4500
COINS = 170_000_000  # of the set: 167 million in March 2024, 173 million in May 2025
KEY, VALUE = 34, 31  # bytes, in the mean
FILTER_BITS = 10  # as Bitcoin Core has them
CACHE = BLOCKS_A_DAY
FLASH = 4.0  # over the keys and values that are alive


@dataclass(frozen=True)
class Amounts:
    coins: int
    outputs: int  # of a block
    operations: int
    write_buffer: int
    table: int
    level1: int
    level_ratio: int


# Core's tables had 2 MiB until version 29, and have 32 MiB since. Its memtables have a quarter of 8 MiB.
AMOUNTS = {
    # So few outputs would have most of each batch in padding that there are more, for the coins.
    Scale.small: Amounts(40_000, 50, 100_000, 96 * KIB, 256 * KIB, 512 * KIB, 5),
    # The same levels as in medium, of a quarter of everything.
    Scale.quarter: Amounts(500_000, 500_000 * OUTPUTS // COINS, 1_000_000, 512 * KIB, 512 * KIB, 2560 * KIB, 10),
    Scale.medium: Amounts(2_000_000, 2_000_000 * OUTPUTS // COINS, 4_000_000, 2 * MIB, 2 * MIB, 10 * MIB, 10),
    Scale.full: Amounts(COINS, OUTPUTS, COINS, 2 * MIB, 32 * MIB, 10 * MIB, 10),
}

# Name, blocks of a batch, seek compactions. Core turned these off in the middle of 2026 (30.3), as they rewrote the
# database every few hours.
_CASES = (("hour", 6, "off"), ("hour-seeks", 6, "on"), ("block", 1, "off"))
ABOUT = {
    "utxo-hour": "a batch an hour, as Bitcoin Core has it",
    "utxo-hour-seeks": "the same with LevelDB's seek compactions, as before Core 30.3",
    "utxo-block": "a batch a block",
}


def cases(scale: Scale) -> list[Case]:
    amounts = AMOUNTS[scale]
    pages = 64 if scale is Scale.quarter else 256  # of a block
    row = 8 * 4 * pages * bench_options.PAGE_BYTES
    blocks = -(-int(FLASH * amounts.coins * (KEY + VALUE)) // row)
    found = []
    for name, flush, seeks in _CASES:
        options = replace(
            BenchOptions(),
            device=Device.model,
            modes=MODES,
            seed=SEED,
            workload=Workload.utxo,
            key_size=KEY,
            num=amounts.coins,
            operations=amounts.operations,
            utxo_outputs=amounts.outputs,
            utxo_flush=flush,
            utxo_cache=CACHE,
            bloom_bits=FILTER_BITS,
            seek_compactions=seeks,
            write_buffer=amounts.write_buffer,
            max_file_size=amounts.table,
            level1_bytes=amounts.level1,
            level_ratio=amounts.level_ratio,
            superblocks=32 if scale is Scale.small else 0,
            geometry="" if scale is Scale.small else f"8x4x{blocks}x{pages}",
            firmware_cpu="none",  # only bytes are told
        )
        found.append(Case("utxo", name, options))
    return found
