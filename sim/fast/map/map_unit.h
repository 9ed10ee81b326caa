// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_MAP_UNIT_H
#define OPENREMAP_FAST_MAP_UNIT_H

#include <algorithm>
#include <cstdint>

#include "dram_model.h"
#include "fw/counters.h"
#include "lib/process.h"
#include "map/cache_tags.h"
#include "map/superblock_table.h"
#include "top/params.h"

namespace orm::fast {

/// Requests to the map unit, as MapOp of hw/src/map/MapUnit.scala, which defines them.
enum class MapOp : uint8_t { kLookup, kSet, kUnmap, kReserve, kRelease, kLink, kCas, kRefs, kShare, kPeek };

struct MapResponse {
  bool ok = false;
  bool mapped = false;
  uint32_t slot = 0;
  uint32_t count = 0;
};

/// The mapping: L2P and REF in DRAM, VALID on chip (hw/src/map/MapUnit.scala). Requests are atomic and served in order
/// of arrival.
class MapUnit {
 public:
  static constexpr uint32_t kLpnsPerLine = CacheTags::kLineBytes / 4;

  MapUnit(Simulation &sim, const Params &p, DramModel &dram, SuperblockTable &table, Counters &counters)
      : sim_(sim), p_(p), dram_(dram), table_(table), counters_(counters), l2p_tags_(p.k.map_cache_sets) {}

  struct Request {
    MapUnit &unit;
    MapOp op;
    uint32_t lpn = 0;
    uint32_t slot = 0;
    uint32_t expect = 0;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) const {
      const uint64_t start = std::max(unit.sim_.now(), unit.free_ns_);
      unit.free_ns_ = start + kCycleNs;
      unit.sim_.at(start + answer_ns(op), resume, h.address());
    }
    MapResponse await_resume() const { return unit.serve(*this); }
  };

  Request lookup(uint32_t lpn) { return {*this, MapOp::kLookup, lpn, 0, 0}; }
  Request set(uint32_t lpn, uint32_t slot) { return {*this, MapOp::kSet, lpn, slot, 0}; }
  Request unmap(uint32_t lpn) { return {*this, MapOp::kUnmap, lpn, 0, 0}; }
  Request reserve(uint32_t slot) { return {*this, MapOp::kReserve, 0, slot, 0}; }
  Request release(uint32_t slot) { return {*this, MapOp::kRelease, 0, slot, 0}; }
  Request link(uint32_t lpn, uint32_t slot) { return {*this, MapOp::kLink, lpn, slot, 0}; }
  Request cas(uint32_t lpn, uint32_t slot, uint32_t expect) { return {*this, MapOp::kCas, lpn, slot, expect}; }
  Request share(uint32_t lpn) { return {*this, MapOp::kShare, lpn, 0, 0}; }
  /// Fetches a line ahead of its use. The model only counts this, and it takes no time, because the model's caches hold
  /// no data.
  void peek(uint32_t lpn) { serve({*this, MapOp::kPeek, lpn, 0, 0}); }
  Request refs(uint32_t slot) { return {*this, MapOp::kRefs, 0, slot, 0}; }

 private:
  static uint64_t answer_ns(MapOp op);

  uint32_t share_limit() const;
  MapResponse serve(const Request &r);
  uint32_t l2p(uint32_t lpn) const;
  void set_l2p(uint32_t lpn, uint32_t slot);
  uint8_t &ref(uint32_t slot) { return dram_.data()[p_.ref_base + slot]; }
  void gain(uint32_t slot);
  void lose(uint32_t slot);
  void count_sharers(uint32_t sharers);

  Simulation &sim_;
  const Params &p_;
  DramModel &dram_;
  SuperblockTable &table_;
  Counters &counters_;
  CacheTags l2p_tags_;
  uint64_t free_ns_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_MAP_UNIT_H
