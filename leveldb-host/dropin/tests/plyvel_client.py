# SPDX-License-Identifier: Apache-2.0
"""A program that uses LevelDB through Debian's python3-plyvel and knows nothing of remapping.

    plyvel_client.py fill|read|repair|compact|destroy DATABASE

`fill` uses a little of every feature of plyvel and compares the database with a dictionary. `read` prints a digest of
the database. The last line of output is a JSON object, whose `error` is LevelDB's error, if any.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import time
from contextlib import closing
from pathlib import Path

import plyvel  # type: ignore[import-not-found]

SEED = 1
PUTS = 16000
KEYS = 8000
VALUE_BYTES = 800
# Small enough that some megabytes make levels.
SIZES = {"write_buffer_size": 64 << 10, "max_file_size": 1 << 20, "compression": None, "bloom_filter_bits": 10}


def digest(entries: dict[bytes, bytes]) -> str:
    hashed = hashlib.sha256()
    for key, value in sorted(entries.items()):
        hashed.update(b"%d %s %d %s" % (len(key), key, len(value), value))
    return hashed.hexdigest()


def key_of(number: int) -> bytes:
    return b"key%08d" % number


def require(held: bool, what: str) -> None:
    if not held:
        raise AssertionError(what)


def settle(db: plyvel.DB, name: str) -> None:
    """Waits until compactions have ended. Then the folder has the tables of the database and no others."""
    before, same = None, 0
    for _ in range(600):
        now = (db.get_property(b"leveldb.stats"), sorted((f.name, f.stat().st_size) for f in os.scandir(name)))
        same = same + 1 if now == before else 0
        if same == 10:
            return
        before = now
        time.sleep(0.1)
    raise AssertionError("compactions do not come to an end")


def fill(name: str) -> dict[bytes, bytes]:
    """All that a database offers, on the way to what it ends with."""
    order = random.Random(SEED)
    wanted: dict[bytes, bytes] = {}

    def put(batch: plyvel.WriteBatch, number: int) -> None:
        value = b"%d " % number + order.randbytes(VALUE_BYTES)
        batch.put(key_of(number), value)
        wanted[key_of(number)] = value

    with closing(plyvel.DB(name, create_if_missing=True, **SIZES)) as db:
        for _ in range(0, PUTS // 2, 50):
            with db.write_batch() as batch:
                for _ in range(50):
                    put(batch, order.randrange(KEYS))
        db.compact_range(start=key_of(0), stop=key_of(500))
        require(dict(db.iterator(verify_checksums=True)) == wanted, "after a compaction of a range")
        before = dict(wanted)
        with db.snapshot() as snapshot:
            for puts in range(0, PUTS // 2, 50):
                with db.write_batch(sync=puts % 1000 == 0) as batch:
                    for _ in range(50):
                        put(batch, order.randrange(KEYS))
            for number in range(0, KEYS, 97):
                db.delete(key_of(number))
                wanted.pop(key_of(number), None)
            require(dict(snapshot.iterator()) == before, "the snapshot is not what was there")
            some = key_of(194)
            require(snapshot.get(some) == before.get(some), "a get of the snapshot")
        require(dict(db.iterator()) == wanted, "an iterator has not what was put")
        first, last = key_of(1000), key_of(1100)
        with db.iterator(start=first, stop=last, reverse=True) as part:
            want = sorted((entry for entry in wanted.items() if first <= entry[0] < last), reverse=True)
            require(list(part) == want, "a range, backwards")
        prefixed = db.prefixed_db(b"key000")
        require(len(list(prefixed)) == len(wanted), "a prefixed database")
        require(db.get(key_of(0)) is None and db.get(b"none", b"default") == b"default", "what is not there")
        require(b"Compactions" in db.get_property(b"leveldb.stats"), "a property")
        require(db.approximate_size(key_of(0), key_of(KEYS)) > 0, "an approximate size")
        settle(db, name)
    return wanted


def read(name: str) -> dict[bytes, bytes]:
    with closing(plyvel.DB(name, **SIZES)) as db:
        found = dict(db.iterator(verify_checksums=True))
        for key, value in found.items():
            require(db.get(key, verify_checksums=True) == value, f"{key!r}: a get and an iterator differ")
    return found


def compact_all(db: plyvel.DB) -> None:
    # Without bounds plyvel asks for the range from the empty key to the empty key, which has nothing.
    db.compact_range(start=b"\x00", stop=b"\xff")


def repair(name: str) -> dict[bytes, bytes]:
    plyvel.repair_db(name, **SIZES)
    # LevelDB's repair puts all tables into level 0, where a get takes the entry of the newest file. Compactions have
    # put old versions into newer files. So until the next compaction only iterators are right.
    with closing(plyvel.DB(name, **SIZES)) as db:
        found = dict(db.iterator(verify_checksums=True))
        compact_all(db)
    require(read(name) == found, "after the compaction of a repaired database")
    return found


def compact(name: str) -> dict[bytes, bytes]:
    with closing(plyvel.DB(name, **SIZES)) as db:
        compact_all(db)
    return read(name)


ACTIONS = {"fill": fill, "read": read, "repair": repair, "compact": compact}


def main() -> int:
    """Command line."""
    action, name = sys.argv[1:]
    result: dict[str, object] = {
        "libraries": sorted({line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()
                             if "libleveldb" in line}),
    }  # fmt: skip
    try:
        if action == "destroy":
            plyvel.destroy_db(name)
        else:
            result["digest"] = digest(ACTIONS[action](name))
    except (plyvel.Error, OSError) as error:
        result["error"] = str(error)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
