// SPDX-License-Identifier: Apache-2.0
#include "gc/gc_destager.h"

#include <algorithm>
#include <cstring>

#include "lib/invariant.h"
#include "orm_formats.h"
#include "remap/remap_engine.h"

namespace orm::fast {
namespace {

constexpr uint64_t kListNs = cycles(2);    // for a slot without sharers
constexpr uint64_t kSharerNs = cycles(7);  // for each entry of a list, its CRC included
constexpr uint64_t kStepNs = cycles(9);    // includes the CRC of a spare area

uint32_t divide_up(uint32_t n, uint32_t by) { return (n + by - 1) / by; }

}  // namespace

void GcDestager::nand_done(const NandDone &done) {
  believe(pending_ != 0, "NAND answers a destaging what nobody asked for");
  --pending_;
  if (done.status != NandStatus::kOk) failed_ = true;
  answered_.notify();
}

Task<DestageOutcome> GcDestager::destage(uint32_t sb, const GcLookup &lookup) {
  DestageOutcome out;
  const uint32_t live = lookup.used();
  const Destaged old = u_.table.destaged(sb);
  out.refused = u_.table.segments(sb) == 0 || u_.superblocks[sb].epoch == SuperblockTable::kLastEpoch;
  if (out.refused) co_return out;
  Destaged fresh;
  if (live != 0)
    fresh = {old.set == 1 ? 2u : 1u, divide_up(live, kDestageEntries), divide_up(live, u_.p.entries_per_seg)};
  believe(fresh.slots <= u_.p.destage_slots, "a chain longer than any may be");
  co_await u_.tracker.fence();
  if (fresh.set != 0) {
    const bool written = co_await write_slots(sb, lookup, fresh);
    if (!written) co_return out;
    for (uint32_t i = 0; i < fresh.slots; ++i) {
      co_await u_.map.set(u_.p.destage_lpn_of(sb, fresh.set, i), targets_[i]);
    }
  }
  out.ok = true;
  out.segments = u_.table.segments(sb);
  co_await u_.table.set_aside(sb);
  u_.superblocks.compacted(sb);
  co_await u_.journal.block(sb, u_.superblocks[sb].gen, u_.superblocks[sb].epoch, fresh.set);
  co_await u_.table.drop_old();
  u_.table.place(sb, fresh);
  co_await unmap(sb, old);
  u_.counters.add(ORM_COUNTER_CHAINS_DESTAGED);
  u_.counters.add(ORM_COUNTER_ENTRIES_DESTAGED, live);
  co_return out;
}

/// False: a program failed. No record names the set then, whatever part of it is in flash.
Task<bool> GcDestager::write_slots(uint32_t sb, const GcLookup &lookup, Destaged fresh) {
  co_await u_.map_lock.acquire(kMapLockGc);
  const uint64_t seq = u_.seq.take();
  u_.map_lock.release(kMapLockGc);
  co_await fill_buffers(sb, lookup, fresh.slots);
  targets_.clear();
  failed_ = false;
  for (uint32_t i = 0; i < fresh.slots; ++i) {
    Allocation to;
    while (!u_.allocator.take(AllocStream::kGc, &to)) co_await u_.allocator.changed.wait();
    targets_.push_back(to.slot);
    orm_oob_record oob{};
    oob.lpn = u_.p.destage_lpn_of(sb, fresh.set, i);
    oob.gen = to.gen;
    oob.seq = seq;
    oob.stream = ORM_STREAM_GC;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = to.slot;
    NandRequest program{NandRequestOp::kProgram, NandClient::kGc, to.slot, u_.p.gc_buf_base + i};
    program.meta = true;
    orm_oob_record_seal(&oob, u_.buffers.spare(program.buf));
    co_await Delay{u_.sim, kStepNs};
    while (!u_.pages.accept(program)) co_await u_.pages.room(to.slot).wait();
    ++pending_;
  }
  u_.pages.close_all();
  while (pending_ != 0) co_await answered_.wait();
  co_return !failed_;
}

/// Writes entries in order of slot offset, and those of a slot in the order of its list.
Task<bool> GcDestager::fill_buffers(uint32_t sb, const GcLookup &lookup, uint32_t slots) {
  const uint32_t gen = u_.superblocks[sb].gen, epoch = u_.superblocks[sb].epoch + 1;
  uint32_t left = lookup.used(), placed = 0;
  for (uint32_t i = 0; i < slots; ++i) {
    orm_destage_header header{};
    header.sb = uint16_t(sb);
    header.gen = gen;
    header.epoch = uint16_t(epoch);
    header.entries = uint16_t(std::min(left, kDestageEntries));
    header.index = uint8_t(i);
    header.slots = uint8_t(slots);
    left -= header.entries;
    uint8_t *const data = u_.buffers.data(u_.p.gc_buf_base + i);
    std::memset(data, 0, ORM_SLOT_BYTES);
    orm_destage_header_seal(&header, data);
  }
  for (uint32_t offset = 0; offset < u_.p.slots_per_sb; ++offset) {
    co_await Delay{u_.sim, kListNs};
    for (uint32_t at = lookup.head(offset); at != GcLookup::kNone; at = lookup[at].next) {
      co_await Delay{u_.sim, kSharerNs};
      orm_remap_entry e{};
      e.lpn = lookup[at].lpn;
      e.offset = uint16_t(offset);
      e.seq = lookup[at].seq;
      uint8_t *const data = u_.buffers.data(u_.p.gc_buf_base + placed / kDestageEntries);
      orm_remap_entry_seal(&e, uint16_t(sb), gen, uint16_t(epoch),
                           data + (placed % kDestageEntries + 1) * ORM_REMAP_ENTRY_BYTES);
      ++placed;
    }
  }
  believe(placed == lookup.used(), "not as many entries as were counted");
  co_return true;
}

Task<bool> GcDestager::forget(uint32_t sb) { return unmap(sb, u_.table.destaged(sb)); }

Task<bool> GcDestager::unmap(uint32_t sb, Destaged part) {
  for (uint32_t i = 0; i < part.slots; ++i) {
    co_await u_.map.unmap(u_.p.destage_lpn_of(sb, part.set, i));
  }
  co_return true;
}

}  // namespace orm::fast
