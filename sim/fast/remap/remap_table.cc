// SPDX-License-Identifier: Apache-2.0
#include "remap/remap_table.h"

#include <algorithm>
#include <utility>

#include "lib/invariant.h"
#include "orm_formats.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kAppendNs = cycles(1);   // in a stream of entries of one superblock
constexpr uint64_t kOtherNs = cycles(5);    // more for an entry of another superblock than the last one's
constexpr uint64_t kSegmentNs = cycles(3);  // of a walk or of freeing a chain
constexpr uint32_t kOutstanding = 64;       // entries under way in the memory: 16 lines

}  // namespace

RemapTable::RemapTable(Simulation &sim, const Params &p, NvramPort &nvram, const SuperblockTable &table,
                       Counters &counters)
    : sim_(sim),
      p_(p),
      nvram_(nvram),
      table_(table),
      counters_(counters),
      turn_(sim),
      chains_(p.superblocks),
      parts_(p.superblocks),
      prev_(p.k.segments) {}

uint32_t RemapTable::address(uint32_t seg, uint32_t item) const {
  return p_.nv_segments + seg * kSegmentBytes + item * ORM_REMAP_ENTRY_BYTES;
}

void RemapTable::new_segment(uint32_t sb) {
  Chain &c = chains_[sb];
  believe(!pool_.empty(), "no free segment for an append: the room was to be checked before");
  believe(c.count + parts_[sb].segments < p_.k.segments_per_chain,
          "a chain grows past its limit: the room was to be checked before");
  const uint32_t seg = pool_.front();
  pool_.pop_front();
  if (watching_) least_ = std::min(least_, free_segments());
  orm_segment_header header{};
  header.sb = uint16_t(sb);
  header.index = uint16_t(c.count);
  header.gen = table_[sb].gen;
  header.prev = uint16_t(c.count == 0 ? seg : c.tail);
  header.epoch = uint16_t(table_[sb].epoch);
  uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  orm_segment_header_seal(&header, raw);
  nvram_.write(address(seg, 0), raw, sizeof raw, &in_flight_);
  prev_[seg] = c.tail;
  c = {seg, 0, c.count + 1};
}

Task<bool> RemapTable::append(ChainEntry e) {
  co_await turn_.take();
  co_await Delay{sim_, kAppendNs + (e.sb != last_ ? kOtherNs : 0)};
  last_ = e.sb;
  Chain &c = chains_[e.sb];
  if (c.count == 0 || c.fill == p_.entries_per_seg - uint32_t(mutant(Mutant::kSegmentEarly))) {
    while (in_flight_ >= kOutstanding) co_await nvram_.answered.wait();
    new_segment(e.sb);
  }
  while (in_flight_ >= kOutstanding) co_await nvram_.answered.wait();
  orm_remap_entry record{};
  record.lpn = e.lpn;
  record.offset = uint16_t(e.offset);
  record.seq = e.seq;
  uint8_t raw[ORM_REMAP_ENTRY_BYTES];
  orm_remap_entry_seal(&record, uint16_t(e.sb), table_[e.sb].gen, uint16_t(table_[e.sb].epoch), raw);
  nvram_.write(address(c.tail, c.fill + 1), raw, sizeof raw, &in_flight_);
  ++c.fill;
  counters_.add(ORM_COUNTER_REMAP_ENTRIES);
  turn_.give();
  co_return true;
}

Task<bool> RemapTable::drained() {
  while (in_flight_ != 0) co_await nvram_.answered.wait();
  co_return true;
}

RemapTable::Capacity RemapTable::capacity(RemapTableUser user, uint32_t sb, uint32_t entries) const {
  const Chain &c = chains_[sb];
  const uint32_t room = c.count != 0 ? p_.entries_per_seg - c.fill : 0;
  const uint32_t more = entries > room ? entries - room : 0;
  const uint32_t segments = (more + p_.entries_per_seg - 1) / p_.entries_per_seg;
  const uint32_t reserve = user == RemapTableUser::kRemapEngine ? p_.k.gc_reserve_segments : 0;
  return {segments, c.count + segments + parts_[sb].segments <= p_.k.segments_per_chain,
          free_segments() > reserve ? free_segments() - reserve : 0};
}

void RemapTable::read_segment(uint32_t sb, const Chain &c, std::vector<ChainEntry> *out) {
  uint8_t raw[kSegmentBytes];
  nvram_.read(address(c.tail, 1), raw, c.fill * ORM_REMAP_ENTRY_BYTES);
  for (uint32_t i = 0; i < c.fill; ++i) {
    orm_remap_entry found;
    if (orm_remap_entry_open(&found, raw + i * ORM_REMAP_ENTRY_BYTES, uint16_t(sb), table_[sb].gen,
                             uint16_t(table_[sb].epoch)) &&
        found.offset < p_.slots_per_sb) {
      out->push_back({sb, found.offset, found.lpn, found.seq});
    } else {
      counters_.add(ORM_COUNTER_BAD_ENTRIES);
    }
  }
}

Task<std::vector<ChainEntry>> RemapTable::walk(uint32_t sb) {
  co_await turn_.take();
  co_await drained();
  std::vector<ChainEntry> entries;
  Chain c = chains_[sb];
  while (c.count != 0) {
    co_await Delay{sim_, kSegmentNs + nvram_.read_ns(c.fill * ORM_REMAP_ENTRY_BYTES)};
    read_segment(sb, c, &entries);
    c = {prev_[c.tail], p_.entries_per_seg, c.count - 1};
  }
  turn_.give();
  co_return entries;
}

Task<bool> RemapTable::free_chain(uint32_t sb) {
  co_await release(&chains_[sb]);
  parts_[sb] = {};
  co_return true;
}

Task<bool> RemapTable::drop_old() { return release(&aside_); }

Task<bool> RemapTable::release(Chain *c) {
  co_await turn_.take();
  co_await drained();
  while (c->count != 0) {
    co_await Delay{sim_, kSegmentNs};
    // Mutant: a segment freed too early does harm only when it is reused.
    if (mutant(Mutant::kChainFreedEarly) || mutant(Mutant::kOldChainEarly)) {
      pool_.push_front(c->tail);
    } else {
      pool_.push_back(c->tail);
    }
    counters_.add(ORM_COUNTER_SEGMENTS_FREED);
    *c = {prev_[c->tail], p_.entries_per_seg, c->count - 1};
  }
  turn_.give();
  co_return true;
}

Task<bool> RemapTable::set_aside(uint32_t sb) {
  co_await turn_.take();
  believe(aside_.count == 0, "a chain is set aside while another one is");
  aside_ = std::exchange(chains_[sb], Chain{});
  turn_.give();
  co_return true;
}

void RemapTable::load_chain(uint32_t sb, uint32_t tail, uint32_t fill, uint32_t count) {
  believe(sb < p_.superblocks && tail < p_.k.segments, "firmware bug: a chain outside the table");
  believe(count <= p_.k.segments_per_chain && fill <= p_.entries_per_seg, "a loaded chain is too long");
  chains_[sb] = {tail, fill, count};
}

void RemapTable::place(uint32_t sb, const Destaged &part) {
  believe(part.set <= 2 && part.slots <= p_.destage_slots && (part.set == 0) == (part.slots == 0),
          "a destaged part without its set of slots");
  believe(chains_[sb].count + part.segments <= p_.k.segments_per_chain, "a chain with its destaged part is too long");
  parts_[sb] = part;
}

void RemapTable::load_link(uint32_t seg, uint32_t prev) {
  believe(seg < p_.k.segments && prev < p_.k.segments, "firmware bug: no such segment");
  prev_[seg] = prev;
}

void RemapTable::load_free(uint32_t seg) {
  believe(seg < p_.k.segments && pool_.size() < p_.k.segments, "more segments freed than there are");
  pool_.push_back(seg);
}

}  // namespace orm::fast
