# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/options. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""The options of db_bench with their ranges, defaults and help; the workloads and modes; the head of an operation trace."""

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """What a compaction does with unchanged blocks."""

    off = "off"  # stock LevelDB: every entry is rewritten
    base = "base"  # keeps an unchanged block that falls on a page boundary of the output
    retain = "retain"  # cuts the output block before an unchanged block early, so that the block is always kept
    fill = "fill"  # as retain, but only where the pages saved are worth the space that the cut leaves empty
    skip = "skip"  # as fill, and finds unchanged blocks in the tables' metadata instead of reading them
    blend = "blend"  # as skip, and a table may hold several sorted runs that are merged later


class Workload(StrEnum):
    """What db_bench runs: LevelDB's own workloads, YCSB's core workloads, Mixgraph's four and others."""

    fillrandom = "fillrandom"  # puts to random keys
    fillseq = "fillseq"  # puts in key order
    overwrite = "overwrite"  # puts to random keys of a filled database
    readrandom = "readrandom"  # gets of random keys
    readseq = "readseq"  # one scan of the whole database
    fillzipfian = "fillzipfian"  # puts to Zipfian keys
    ycsbload = "ycsbload"  # YCSB's load phase: inserts every record
    ycsba = "ycsba"  # YCSB A: 50 % gets, 50 % updates
    ycsbb = "ycsbb"  # YCSB B: 95 % gets, 5 % updates
    ycsbc = "ycsbc"  # YCSB C: gets only
    ycsbd = "ycsbd"  # YCSB D: 95 % gets of the latest records, 5 % inserts
    ycsbe = "ycsbe"  # YCSB E: 95 % scans, 5 % inserts
    ycsbf = "ycsbf"  # YCSB F: 50 % gets, 50 % read-modify-writes
    mixallrandom = "mixallrandom"  # Mixgraph with uniform keys
    mixalldist = "mixalldist"  # Mixgraph with power-law keys
    mixprefixrandom = "mixprefixrandom"  # Mixgraph with key-range popularity, uniform keys in a range
    mixprefixdist = "mixprefixdist"  # Mixgraph with key-range popularity, power-law keys in a range
    mix = "mix"  # inserts, updates, gets, deletes and scans in shares of choice (--mix-*)
    utxo = "utxo"  # coins of Bitcoin that blocks make and spend (--utxo-*)

    @property
    def stream(self) -> bool:
        """Whether the workload is a sequence of operations, which can be traced and replayed."""
        return self in _STREAMS

    @property
    def own_value_sizes(self) -> bool:
        """Whether the workload draws its value sizes itself."""
        return self in _OWN_VALUE_SIZES


_STREAMS = frozenset((
    Workload.fillzipfian,
    Workload.ycsbload,
    Workload.ycsba,
    Workload.ycsbb,
    Workload.ycsbc,
    Workload.ycsbd,
    Workload.ycsbe,
    Workload.ycsbf,
    Workload.mixallrandom,
    Workload.mixalldist,
    Workload.mixprefixrandom,
    Workload.mixprefixdist,
    Workload.mix,
    Workload.utxo,
))
_OWN_VALUE_SIZES = frozenset((
    Workload.mixallrandom,
    Workload.mixalldist,
    Workload.mixprefixrandom,
    Workload.mixprefixdist,
    Workload.utxo,
))

# What each choice does, by its name.
MODES = {
    "off": "stock LevelDB: every entry is rewritten",
    "base": "keeps an unchanged block that falls on a page boundary of the output",
    "retain": "cuts the output block before an unchanged block early, so that the block is always kept",
    "fill": "as retain, but only where the pages saved are worth the space that the cut leaves empty",
    "skip": "as fill, and finds unchanged blocks in the tables' metadata instead of reading them",
    "blend": "as skip, and a table may hold several sorted runs that are merged later",
}
WORKLOADS = {
    "fillrandom": "puts to random keys",
    "fillseq": "puts in key order",
    "overwrite": "puts to random keys of a filled database",
    "readrandom": "gets of random keys",
    "readseq": "one scan of the whole database",
    "fillzipfian": "puts to Zipfian keys",
    "ycsbload": "YCSB's load phase: inserts every record",
    "ycsba": "YCSB A: 50 % gets, 50 % updates",
    "ycsbb": "YCSB B: 95 % gets, 5 % updates",
    "ycsbc": "YCSB C: gets only",
    "ycsbd": "YCSB D: 95 % gets of the latest records, 5 % inserts",
    "ycsbe": "YCSB E: 95 % scans, 5 % inserts",
    "ycsbf": "YCSB F: 50 % gets, 50 % read-modify-writes",
    "mixallrandom": "Mixgraph with uniform keys",
    "mixalldist": "Mixgraph with power-law keys",
    "mixprefixrandom": "Mixgraph with key-range popularity, uniform keys in a range",
    "mixprefixdist": "Mixgraph with key-range popularity, power-law keys in a range",
    "mix": "inserts, updates, gets, deletes and scans in shares of choice (--mix-*)",
    "utxo": "coins of Bitcoin that blocks make and spend (--utxo-*)",
}


@dataclass(frozen=True)
class Number:
    """An inclusive range; `or_zero`: 0 is valid too. `default` is None for a number that is absent unless given."""

    low: int
    high: int
    or_zero: bool
    default: int | None


@dataclass(frozen=True)
class Option:
    """An option of db_bench. `choices`: its values, of a choice. `workloads`: those that it applies to; none: all."""

    kind: str
    help: str
    default: str
    number: Number | None
    choices: tuple[str, ...]
    excludes: tuple[str, ...]
    workloads: tuple[str, ...]


# By its name, without the dashes before it.
OPTIONS = {
    "workload": Option(
        kind="choice",
        help="Workload to run.",
        default="fillrandom",
        number=None,
        choices=("fillrandom", "fillseq", "overwrite", "readrandom", "readseq", "fillzipfian", "ycsbload", "ycsba", "ycsbb", "ycsbc", "ycsbd", "ycsbe", "ycsbf", "mixallrandom", "mixalldist", "mixprefixrandom", "mixprefixdist", "mix", "utxo", ),
        excludes=(),
        workloads=(),
    ),
    "device": Option(
        kind="text",
        help="Where the database lies.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "mode": Option(
        kind="choice",
        help="What compactions do with unchanged blocks.",
        default="blend",
        number=None,
        choices=("off", "base", "retain", "fill", "skip", "blend", ),
        excludes=(),
        workloads=(),
    ),
    "num": Option(
        kind="number",
        help="Number of records, which is the size of the key space; also the number of operations, unless --operations is given.",
        default="",
        number=Number(1, 1000000000, False, 6000),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "operations": Option(
        kind="number",
        help="Number of operations, of utxo with gets and commits; readrandom, readseq and ycsbload ignore it. 0: as many as --num.",
        default="",
        number=Number(0, 1000000000, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "value-size": Option(
        kind="number",
        help="Size of a value in bytes. Mixgraph's workloads and utxo have their own value sizes.",
        default="",
        number=Number(0, 16777216, False, 984),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "value-size-max": Option(
        kind="number",
        help="Upper bound of a uniform value-size distribution that starts at --value-size, in bytes. 0: fixed size.",
        default="",
        number=Number(0, 16777216, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "key-size": Option(
        kind="number",
        help="Size of a key in bytes. Keys of utxo have 34 or 35.",
        default="",
        number=Number(8, 1024, False, 16),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "seed": Option(
        kind="number",
        help="Seed of the random keys and values.",
        default="",
        number=Number(0, 18446744073709551615, False, 1),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "write-buffer": Option(
        kind="number",
        help="Memtable size in bytes.",
        default="",
        number=Number(65536, 1073741824, False, 98304),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "max-file-size": Option(
        kind="number",
        help="Table size in bytes.",
        default="",
        number=Number(16384, 1073741824, False, 262144),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "level1-bytes": Option(
        kind="number",
        help="Size limit of level 1 in bytes.",
        default="",
        number=Number(16384, 1099511627776, False, 524288),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "level-ratio": Option(
        kind="number",
        help="Size limit of a level relative to the level above it.",
        default="",
        number=Number(2, 100, False, 5),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "fill-space": Option(
        kind="number",
        help="Modes fill, skip and blend: space that kept blocks may waste, in percent of a compaction's output.",
        default="",
        number=Number(0, 1000, False, 3),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "last-level-ratio": Option(
        kind="number",
        help="Mode blend, and with --dynamic-levels every mode: size of all data relative to the level above the deepest one; replaces --level1-bytes. 0: level sizes as in the other modes.",
        default="",
        number=Number(2, 1000, True, 15),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "dynamic-levels": Option(
        kind="switch",
        help="Level sizes that follow the data in every mode, as in blend, by --last-level-ratio.",
        default="off",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "blend-runs": Option(
        kind="number",
        help="Mode blend: maximum number of sorted runs in a table. A compaction that would exceed it merges the table.",
        default="",
        number=Number(1, 64, False, 12),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "blend-rule": Option(
        kind="choice",
        help="Mode blend: what a table takes over unmerged. space: as --blend-space and --blend-runs allow; runs: KVSSD's rule, as long as the sorted runs of both levels are no more than --blend-runs.",
        default="space",
        number=None,
        choices=("space", "runs", ),
        excludes=(),
        workloads=(),
    ),
    "blend-space": Option(
        kind="number",
        help="Mode blend with --blend-rule=space: maximum size of a table's newer runs, in percent of its oldest run and of the data below it.",
        default="",
        number=Number(0, 1000, False, 30),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "remap-blocks": Option(
        kind="choice",
        help="Which unchanged blocks are remapped; the others are copied, and the tables are the same. attached: in mode blend those of tables that are not merged, in other modes none; none: compactions write everything. Collections of a value log remap all the same.",
        default="all",
        number=None,
        choices=("all", "attached", "none", ),
        excludes=(),
        workloads=(),
    ),
    "blend-filter-bits": Option(
        kind="number",
        help="Mode blend: bits per key of the tables' Bloom filters when --bloom-bits is 0. 0: no filters, and at most three runs in a table.",
        default="",
        number=Number(0, 20, False, 10),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "bloom-bits": Option(
        kind="number",
        help="Bits per key of the tables' Bloom filters, in every mode. 0: no filters, except those of --blend-filter-bits.",
        default="",
        number=Number(0, 20, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "mix-insert": Option(
        kind="number",
        help="Percent of operations that put a new record. The five shares add up to 100.",
        default="",
        number=Number(0, 100, False, 25),
        choices=(),
        excludes=(),
        workloads=("mix", ),
    ),
    "mix-update": Option(
        kind="number",
        help="Percent of operations that put a record again.",
        default="",
        number=Number(0, 100, False, 65),
        choices=(),
        excludes=(),
        workloads=("mix", ),
    ),
    "mix-read": Option(
        kind="number",
        help="Percent of operations that get a record.",
        default="",
        number=Number(0, 100, False, 10),
        choices=(),
        excludes=(),
        workloads=("mix", ),
    ),
    "mix-delete": Option(
        kind="number",
        help="Percent of operations that delete a record.",
        default="",
        number=Number(0, 100, False, 0),
        choices=(),
        excludes=(),
        workloads=("mix", ),
    ),
    "mix-scan": Option(
        kind="number",
        help="Percent of operations that read 1 to 100 entries in order.",
        default="",
        number=Number(0, 100, False, 0),
        choices=(),
        excludes=(),
        workloads=("mix", ),
    ),
    "mix-keys": Option(
        kind="choice",
        help="Which records are put again, got, deleted and scanned from. latest: zipfian, the newest first.",
        default="zipfian",
        number=None,
        choices=("uniform", "zipfian", "latest", ),
        excludes=(),
        workloads=("mix", ),
    ),
    "utxo-outputs": Option(
        kind="number",
        help="Coins that a block makes, and as many that it spends. Bitcoin's blocks make some thousands.",
        default="",
        number=Number(1, 1000000, False, 100),
        choices=(),
        excludes=(),
        workloads=("utxo", ),
    ),
    "utxo-flush": Option(
        kind="number",
        help="Blocks whose changes are written together, as one synced batch. Six are an hour.",
        default="",
        number=Number(1, 10000, False, 6),
        choices=(),
        excludes=(),
        workloads=("utxo", ),
    ),
    "utxo-cache": Option(
        kind="number",
        help="Age in blocks up to which a coin that is spent need not be read from the database. 144 are a day.",
        default="",
        number=Number(0, 1000000, False, 144),
        choices=(),
        excludes=(),
        workloads=("utxo", ),
    ),
    "superblocks": Option(
        kind="number",
        help="Flash size in superblocks. 0: the whole device.",
        default="",
        number=Number(0, 4294967295, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "geometry": Option(
        kind="text",
        help="Flash geometry of the model, for example 8x4x512x256 for 16 GiB, or 8x4x512x64x4 for 16 GiB in 16 KiB pages.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "over-provisioning": Option(
        kind="number",
        help="Simulated devices: percent of the usable flash that the namespace does not offer. 0: 12.",
        default="",
        number=Number(0, 99, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "placement-handles": Option(
        kind="number",
        help="Simulated devices: placement handles of the namespace. 0: as many as do not make it smaller.",
        default="",
        number=Number(0, 128, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "cache": Option(
        kind="text",
        help="Simulated devices: data cache between firmware and DRAM. keep: a line stays until firmware moves it; evict: lines also leave at random; none. Lines have 32 bytes.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "firmware": Option(
        kind="text",
        help="Simulated devices: what runs the firmware. native: this process; remote: QEMU, with the image for a Zynq. Results are those of native with --firmware-cpu none, but remote is slower.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "firmware-cpu": Option(
        kind="text",
        help="Simulated devices but soc: processor whose time the firmware's computing takes; by default vexriscv, with native firmware. none: it takes no time but that of its register accesses.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "mapping-unit": Option(
        kind="number",
        help="PageFS: pages that the device maps by one entry. Of a larger unit a part is read, modified and written.",
        default="",
        number=Number(1, 8, False, 1),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "placement": Option(
        kind="choice",
        help="PageFS: give the tables of each level a placement handle of the device, as far as it has them (level), and begin a reclaim unit with each table, too (table).",
        default="level",
        number=None,
        choices=("off", "level", "table", ),
        excludes=(),
        workloads=(),
    ),
    "deallocate": Option(
        kind="switch",
        help="PageFS: tell the device which pages are free.",
        default="on",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "mkfs-discard": Option(
        kind="switch",
        help="PageFS: with --deallocate=on, tell the device that all pages are free when it gets its file system.",
        default="on",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "allocation": Option(
        kind="choice",
        help="PageFS: take free pages from the lowest on, or behind those that were taken last.",
        default="first",
        number=None,
        choices=("first", "next", ),
        excludes=(),
        workloads=(),
    ),
    "align": Option(
        kind="switch",
        help="PageFS: begin files at multiples of what the device likes to be written in.",
        default="on",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "journal": Option(
        kind="choice",
        help="PageFS: write what a journalling file system writes beside the pages themselves: a copy of its metadata, or of all pages, to a ring behind them. Nothing is read from there.",
        default="off",
        number=None,
        choices=("off", "metadata", "data", ),
        excludes=(),
        workloads=(),
    ),
    "side": Option(
        kind="choice",
        help="PageFS: keep all files but tables on a device of their own (files), and the metadata of PageFS, too (all). That device is memory and takes no time, and images lack what it has.",
        default="off",
        number=None,
        choices=("off", "files", "all", ),
        excludes=(),
        workloads=(),
    ),
    "precondition": Option(
        kind="switch",
        help="Bring the device to a steady state first: write all of it twice in order, then single pages at random until write amplification stays the same (SNIA PTS).",
        default="off",
        number=None,
        choices=(),
        excludes=("check", ),
        workloads=(),
    ),
    "block-size": Option(
        kind="number",
        help="Size of a table's data blocks in bytes.",
        default="",
        number=Number(1024, 4194304, False, 4096),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "seek-compactions": Option(
        kind="switch",
        help="Compact tables that reads look into in vain too often.",
        default="on",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "compactions": Option(
        kind="choice",
        help="When compactions run. eager: before the next operation; late: when level 0 has so many tables that LevelDB slows writers down, which is how a writer leaves them that is as fast as it can be.",
        default="eager",
        number=None,
        choices=("eager", "late", ),
        excludes=(),
        workloads=(),
    ),
    "separate": Option(
        kind="switch",
        help="Keep values in a value log, and pointers to them in the tables (WiscKey), in every mode.",
        default="off",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "value-log-threshold": Option(
        kind="number",
        help="With --separate: size of a value in bytes from which on it goes to the value log. 0: all values do.",
        default="",
        number=Number(0, 1073741824, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "value-log-segment": Option(
        kind="number",
        help="With --separate: size in bytes at which a segment of the value log ends.",
        default="",
        number=Number(65536, 1073741824, False, 1048576),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "value-log-dead": Option(
        kind="number",
        help="With --separate: percent of the value log that is to be dead before its live values are moved to free it. 0: never.",
        default="",
        number=Number(0, 95, False, 30),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "value-log-collector": Option(
        kind="choice",
        help="With --separate: copy live values to free a segment of the value log, remap its live pages, punch out its dead pages, or of the three what costs least.",
        default="cost",
        number=None,
        choices=("copy", "remap", "punch", "cost", ),
        excludes=(),
        workloads=(),
    ),
    "sync-every": Option(
        kind="number",
        help="Sync every Nth put, delete or batch and print `synced PUTS` each time. 0: never.",
        default="",
        number=Number(0, 1000000000, False, 0),
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "check": Option(
        kind="optional",
        help="Run nothing; verify that the database of an earlier fill with the same options holds at least this number of its first puts, without gaps.",
        default="",
        number=Number(0, 1000000000, False, None),
        choices=(),
        excludes=(),
        workloads=("fillrandom", "fillseq", ),
    ),
    "json": Option(
        kind="text",
        help="File for the results. -: standard output.",
        default="-",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "trace": Option(
        kind="text",
        help="Write the operations to this file, for --replay.",
        default="",
        number=None,
        choices=(),
        excludes=("replay", ),
        workloads=("fillzipfian", "ycsbload", "ycsba", "ycsbb", "ycsbc", "ycsbd", "ycsbe", "ycsbf", "mixallrandom", "mixalldist", "mixprefixrandom", "mixprefixdist", "mix", "utxo", ),
    ),
    "replay": Option(
        kind="text",
        help="Run the operations of a file that --trace wrote, with its workload, record count, sizes and seed.",
        default="",
        number=None,
        choices=(),
        excludes=("trace", ),
        workloads=(),
    ),
    "image-dir": Option(
        kind="text",
        help="Keep the flash and NVRAM images in this folder. Default: in memory.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "reserve-image": Option(
        kind="switch",
        help="Reserve the space of the images in --image-dir first, so that their file system cannot fill up later.",
        default="off",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "trace-file": Option(
        kind="text",
        help="Write a waveform to this file (.vcd or .fst).",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "record-file": Option(
        kind="text",
        help="Write the I/O commands to this file, for lockstep --replay; db_bench-record only.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "trace-pages": Option(
        kind="text",
        help="PageFS: write what it sends to the device to this file, for ioreplay.",
        default="",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
    "trace-verify": Option(
        kind="switch",
        help="Let --trace-pages and --record-file also have what reads everything back after the workload.",
        default="on",
        number=None,
        choices=(),
        excludes=(),
        workloads=(),
    ),
}

# Ranges and defaults of leveldb::Options::remap.
REMAP = {
    "level1_bytes": Number(16384, 1099511627776, False, 10485760),
    "level_ratio": Number(2, 100, False, 10),
    "last_level_ratio": Number(2, 1000, True, 15),
    "fill_space_percent": Number(0, 1000, False, 3),
    "blend_runs": Number(1, 64, False, 12),
    "blend_space_percent": Number(0, 1000, False, 30),
    "blend_filter_bits": Number(0, 20, False, 10),
    "min_table_bytes": Number(4096, 1073741824, False, 1048576),
    "min_manifest_bytes": Number(512, 1073741824, False, 65536),
    "max_info_log_bytes": Number(1024, 1073741824, False, 262144),
    "value_log_segment_bytes": Number(65536, 1073741824, False, 33554432),
    "value_log_dead_percent": Number(0, 95, False, 30),
}

# The first two words of an operation trace.
TRACE_NAME = "openremap-operations"
TRACE_VERSION = 1
