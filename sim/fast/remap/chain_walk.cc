// SPDX-License-Identifier: Apache-2.0
#include "remap/chain_walk.h"

#include "lib/invariant.h"
#include "orm_formats.h"

namespace orm::fast {
namespace {

// Time for an entry: its CRC takes a word a cycle.
constexpr uint64_t kHeaderNs = cycles(7);
constexpr uint64_t kEntryNs = cycles(6);

}  // namespace

void ChainWalk::nand_done(const NandDone &done) {
  believe(pending_ != 0, "NAND answers a walk what nobody asked for");
  --pending_;
  if (done.status != NandStatus::kOk) failed_ = true;
  answered_.notify();
}

Task<ChainWalked> ChainWalk::walk(uint32_t sb, bool all) {
  ChainWalked found;
  const Destaged part = u_.table.destaged(sb);
  if (all && part.set != 0) {
    found.ok = co_await read_slots(sb, part);
    for (uint32_t index = 0; found.ok && index < part.slots; ++index) {
      const size_t before = found.entries.size();
      found.ok = read_entries(sb, part, index, &found.entries);
      co_await Delay{u_.sim, kHeaderNs + (found.entries.size() - before) * kEntryNs};
    }
  }
  if (!found.ok) co_return found;
  const std::vector<ChainEntry> segments = co_await u_.table.walk(sb);
  found.entries.insert(found.entries.end(), segments.begin(), segments.end());
  co_return found;
}

Task<bool> ChainWalk::read_slots(uint32_t sb, Destaged part) {
  failed_ = false;
  for (uint32_t index = 0; index < part.slots; ++index) {
    const MapResponse named = co_await u_.map.lookup(u_.p.destage_lpn_of(sb, part.set, index));
    if (!named.mapped) {
      failed_ = true;
      break;
    }
    NandRequest read{NandRequestOp::kRead, NandClient::kGc, named.slot, u_.p.gc_buf_base + index};
    read.meta = true;
    while (!u_.nand.accept(read)) co_await u_.nand.room(read.slot, read.client).wait();
    ++pending_;
  }
  while (pending_ != 0) co_await answered_.wait();
  co_return !failed_;
}

/// Takes the entries of one slot. An entry that fails its CRC is left out, as in RemapTable.
bool ChainWalk::read_entries(uint32_t sb, const Destaged &part, uint32_t index, std::vector<ChainEntry> *out) {
  const uint8_t *const data = u_.buffers.data(u_.p.gc_buf_base + index);
  const uint32_t gen = u_.superblocks[sb].gen;
  orm_destage_header header;
  if (!orm_destage_header_open(&header, data) || header.sb != sb || header.gen != gen || header.index != index ||
      header.slots != part.slots || header.entries > kDestageEntries)
    return false;
  for (uint32_t i = 1; i <= header.entries; ++i) {
    orm_remap_entry e;
    if (orm_remap_entry_open(&e, data + i * ORM_REMAP_ENTRY_BYTES, uint16_t(sb), gen, header.epoch) &&
        e.offset < u_.p.slots_per_sb) {
      out->push_back({sb, e.offset, e.lpn, e.seq});
    } else {
      u_.counters.add(ORM_COUNTER_BAD_ENTRIES);
    }
  }
  return true;
}

}  // namespace orm::fast
