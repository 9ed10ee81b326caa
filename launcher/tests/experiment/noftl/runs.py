# SPDX-License-Identifier: Apache-2.0
"""Results as ioreplay and rocksdb_bench make them, for tests of `noftl`."""

from __future__ import annotations

from typing import Any

from launcher.experiment.noftl.measures import OPERATIONS


def _run(device: str, tables: int, system: int, figures: dict[str, float], seconds: float) -> dict[str, Any]:
    return {
        "replay": {
            "device": device,
            "written_table_pages": tables,
            "written_pages": tables + system,
            "pages_verified": 9,
            "figures": figures,
        },
        "wa2": figures["nand_program_pages"] / (tables + system),
        "recordings": [
            {
                "operations": 100,
                "device_seconds": seconds,
                "keys_verified": 7,
                "geometry": {"pages_per_block": 32, "slots_per_page": 1},
                "link_device_us": {name: {"mean": 5.0, "p999": 50.0} for name in OPERATIONS},
            }
        ],
    }


def on_faster(tables: int = 1000, system: int = 1100) -> dict[str, Any]:
    """400 pages are moved for 2100 written ones; 80 erases."""
    return _run(
        "hybrid",
        tables,
        system,
        {
            "nand_program_pages": tables + system + 400,
            "second_chance_pages": 150,
            "merged_pages": 250,
            "reclaims": 20,
            "partial_merges": 10,
            "erases": 80,
            "full_merge_erases": 15,
            "partial_merge_erases": 10,
            "switch_merge_erases": 30,
            "dead_blocks": 5,
            "used_blocks": 20,
            "flash_seconds": 2.0,
        },
        1.0,
    )


def on_controller(moved: int = 0, wear: int = 0, erases: int = 40, seconds: float = 0.5) -> dict[str, Any]:
    """1000 pages of tables and 24 of the controller's own."""
    figures: dict[str, float] = {
        "nand_program_pages": 1024 + moved + wear,
        "host_read_pages": 2000,
        "gc_pages": moved + wear,
        "wear_pages": wear,
        "gc_victims": 10,
        "erases": erases,
    }
    return _run("model", 1000, 0, figures, seconds)
