# SPDX-License-Identifier: Apache-2.0
"""The cases of RemapCom's evaluation, and their amounts of data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from launcher.bench import bench_options
from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import MIB, BenchOptions, Device
from launcher.experiment.runner.description import Case, Scale, Variant

MODES = tuple(Mode)  # `off`, stock LevelDB, comes first: it is the reference
VARIANTS = tuple(Variant(mode, mode) for mode in MODES)
SEED = 1


# Value sizes that, with keys of 16 bytes, make items of about these sizes fit pages.
KV_SIZES = {"100 B": 84, "256 B": 240, "512 B": 488, "1 KB": 984, "2 KB": 1984, "4 KB": 3984}
PAPER_SIZES = ("256 B", "512 B", "1 KB", "2 KB", "4 KB")
AWKWARD_VALUES = (1000, 4096)  # with these, items slightly exceed a fraction or multiple of a page
KV_RANGES = {"100 B - 1 KB": (84, 1008), "1 - 4 KB": (1008, 4080), "4 - 16 KB": (4080, 16368)}
YCSB = (
    Workload.ycsbload,
    Workload.ycsba,
    Workload.ycsbb,
    Workload.ycsbc,
    Workload.ycsbd,
    Workload.ycsbe,
    Workload.ycsbf,
)
MIXGRAPH = (
    Workload.mixallrandom,
    Workload.mixalldist,
    Workload.mixprefixrandom,
    Workload.mixprefixdist,
)


@dataclass(frozen=True)
class Amounts:
    """Amount of data in bytes of keys and values, by figure."""

    fill: int
    others: int  # runs with sizes that do not fit pages, and with ranges of sizes
    data: tuple[int, ...]  # databases of the runs over the amount of data
    ycsb: int
    mixgraph_records: int
    mixgraph_operations: int
    kv_sizes: tuple[str, ...]
    zipfian_sizes: tuple[str, ...]
    ycsb_sizes: tuple[str, ...]
    # Sizes at which YCSB gets a larger flash. When several entries share a page, updates of hot keys leave `retain`
    # with sparsely filled blocks: with 1 KB it takes more than twice the data.
    ycsb_flash: dict[str, float] = field(default_factory=dict)


GIB = 1024 * MIB
AMOUNTS = {
    Scale.small: Amounts(
        4 * MIB, 4 * MIB, (2 * MIB, 6 * MIB), 3 * MIB, 30_000, 40_000, ("100 B", "1 KB"), ("100 B", "1 KB"), ("1 KB",)
    ),
    # Fills four levels, as the paper's amounts do; a run takes minutes.
    Scale.medium: Amounts(
        2 * GIB,
        512 * MIB,
        (512 * MIB, 3 * GIB),
        160 * MIB,
        1_000_000,
        1_000_000,
        tuple(KV_SIZES),
        PAPER_SIZES,
        ("256 B", "1 KB", "4 KB"),
    ),
    Scale.full: Amounts(
        4 * GIB,
        4 * GIB,
        tuple(size * GIB for size in (2, 6, 8, 10, 12)),
        800 * MIB,
        50_000_000,
        # "A total of 50 million mixed read-write requests are issued in the four workloads"
        # (RemapCom, on its figure 4).
        12_500_000,
        tuple(KV_SIZES),
        PAPER_SIZES,
        ("256 B", "1 KB", "4 KB"),
        {"1 KB": 4.0},
    ),
}


def _amount(size: int) -> str:
    return f"{size // GIB} GiB" if size >= GIB else f"{size // MIB} MiB"


def cases(scale: Scale) -> list[Case]:
    """All cases of the evaluation at this scale."""
    amounts = AMOUNTS[scale]
    found: list[Case] = []

    def add(figure: str, name: str, flash_over_data: float = bench_options.FLASH_OVER_DATA, **changes: Any) -> None:
        # As the kept results were measured: before the firmware took time.
        options: BenchOptions = replace(
            BenchOptions(), device=Device.model, modes=MODES, seed=SEED, firmware_cpu="none", **changes
        )
        value = bench_options.usual_value(options.workload, options.value_size, options.value_size_max)
        # The sum of both, because a workload that inserts adds to the loaded records.
        items = options.num + (options.operations if figure == "ycsb" else 0)
        usual = bench_options.sizes(options.device, items, options.key_size, value, flash_over_data)
        sized = replace(
            options,
            write_buffer=usual.write_buffer,
            max_file_size=usual.max_file_size,
            level1_bytes=usual.level1_bytes,
            level_ratio=usual.level_ratio,
            superblocks=usual.superblocks,
            geometry=usual.geometry,
        )
        found.append(Case(figure, name.replace(" ", ""), sized))

    for workload in (Workload.fillrandom, Workload.fillzipfian):
        for name in amounts.kv_sizes if workload is Workload.fillrandom else amounts.zipfian_sizes:
            size = KV_SIZES[name]
            add(workload.value, name, workload=workload, value_size=size, num=amounts.fill // (16 + size))
    for size in AWKWARD_VALUES:
        add("awkward", f"{size} B", workload=Workload.fillrandom, value_size=size, num=amounts.others // (16 + size))
    for name, (low, high) in KV_RANGES.items():
        mean = 16 + (low + high) // 2
        flash = (
            bench_options.FLASH_OVER_DATA * mean / (16 + high)
        )  # sizes() assumes that all items have the maximum size
        num = amounts.others // mean
        add("ranges", name, flash, workload=Workload.fillrandom, value_size=low, value_size_max=high, num=num)
    for data in amounts.data:
        size = KV_SIZES["4 KB"]
        add("data", _amount(data), workload=Workload.fillrandom, value_size=size, num=data // (16 + size))
    for name in amounts.ycsb_sizes:
        size = KV_SIZES[name]
        for workload in YCSB:
            num = amounts.ycsb // (16 + size)
            flash = amounts.ycsb_flash.get(name, bench_options.FLASH_OVER_DATA)
            add("ycsb", f"{workload.value}-{name}", flash, workload=workload, value_size=size, num=num)
    for workload in MIXGRAPH:
        add(
            "mixgraph",
            workload.value,
            workload=workload,
            key_size=48,
            num=amounts.mixgraph_records,
            operations=amounts.mixgraph_operations,
        )
    return found
