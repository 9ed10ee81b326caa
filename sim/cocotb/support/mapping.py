# SPDX-License-Identifier: Apache-2.0
"""A Python MapUnit for test benches of its clients: L2P, REF and VALID, one request at a time."""

from __future__ import annotations

from collections import Counter

from sim.cocotb.support.codes import MapOp as MapOp
from sim.cocotb.support.geometry import REF_LIMIT, SLOTS_PER_SB
from sim.cocotb.support.stream import Transaction


class Mapping:
    """`answer` executes a request and returns the fields of the response, as support.peers.MapPeer expects."""

    def __init__(self) -> None:
        self.l2p: dict[int, int] = {}
        self.ref: Counter[int] = Counter()

    def copy(self) -> Mapping:
        twin = Mapping()
        twin.l2p, twin.ref = dict(self.l2p), Counter(self.ref)
        return twin

    def assign(self, lpn: int, slot: int) -> None:
        self.ref[slot] += 1
        self.unmap(lpn)
        self.l2p[lpn] = slot

    def unmap(self, lpn: int) -> None:
        old = self.l2p.pop(lpn, None)
        if old is not None:
            self.release(old)

    def release(self, slot: int) -> None:
        assert self.ref[slot] > 0, f"slot {slot} loses a sharer it does not have"
        self.ref[slot] -= 1

    def valid(self, superblock: int) -> int:
        """VALID: number of slots of the superblock with sharers."""
        first = superblock * SLOTS_PER_SB
        return sum(self.ref[slot] > 0 for slot in range(first, first + SLOTS_PER_SB))

    def sharers(self, slot: int) -> set[int]:
        return {lpn for lpn, s in self.l2p.items() if s == slot}

    def check(self) -> None:
        """Checks I1 of the device contract, and that no reservation is left over."""
        assert +self.ref == Counter(self.l2p.values())

    def answer(self, t: Transaction) -> Transaction:
        op, lpn, slot = MapOp(t["op"]), t["lpn"], t["slot"]
        old = self.l2p.get(lpn)
        response = {"ok": 1, "mapped": int(old is not None), "slot": old or 0, "count": self.ref[slot]}
        if op == MapOp.SET:
            self.assign(lpn, slot)
        elif op == MapOp.UNMAP:
            self.unmap(lpn)
        elif op == MapOp.RESERVE:
            response["ok"] = int(self.ref[slot] < REF_LIMIT)
            self.ref[slot] += response["ok"]
        elif op == MapOp.SHARE:
            response["ok"] = int(old is not None and self.ref[old] < REF_LIMIT)
            if old is not None:
                self.ref[old] += response["ok"]
        elif op == MapOp.PEEK:
            response["ok"] = int(old is not None)
            response["count"] = 0 if old is None else self.ref[old]
        elif op == MapOp.RELEASE:
            self.release(slot)
        elif op == MapOp.LINK:
            self.unmap(lpn)
            self.l2p[lpn] = slot
        elif op == MapOp.CAS:
            response["ok"] = int(old == t["expect"])
            if response["ok"]:
                self.assign(lpn, slot)
        return response
