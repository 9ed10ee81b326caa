// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_ALLOCATOR_H
#define OPENREMAP_FAST_ALLOCATOR_H

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "lib/process.h"
#include "map/superblock_table.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "top/params.h"

namespace orm::fast {

/// A write stream. Each stream fills separate superblocks. The number is the one in OobRecord.
enum class AllocStream : uint8_t { kHost = ORM_STREAM_HOST, kGc = ORM_STREAM_GC };

/// The host stream of a placement handle; kHost is that of handle 0.
constexpr AllocStream host_stream(uint32_t handle) { return AllocStream(ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle); }

struct Allocation {
  uint32_t slot = 0;
  uint32_t gen = 0;
};

/// Allocates slots in programming order, from a separate superblock for each stream (hw/src/map/Allocator.scala). The
/// last slots of a superblock are reserved for its summary and never allocated.
class Allocator {
 public:
  Allocator(Simulation &sim, const Params &p, SuperblockTable &table)
      : changed(sim), p_(p), table_(table), streams_(2 * p.k.placement_handles) {}

  /// Requests a slot. False: none is available now; wait for `changed`. Only a request opens a superblock. A full
  /// superblock is closed when its client (GC, or the host with any handle) requests the next slot.
  bool take(AllocStream stream, Allocation *out);

  /// Requests a slot for a host page whose program failed, without waiting for GC, in the ways that
  /// hw/src/map/Allocator.scala describes. The slot may be another stream's; `stream` is set to it. False: there is
  /// none.
  bool take_urgent(AllocStream *stream, Allocation *out);
  /// Sets the callbacks for a superblock that is opened and for one that is closed. The latter says whether all its
  /// data slots were allocated or went to flash as padding.
  void follow(std::function<void(uint32_t sb)> opened, std::function<void(uint32_t sb, bool whole)> closed) {
    opened_ = std::move(opened);
    closed_ = std::move(closed);
  }
  /// Sets two functions. The first says whether host programs are under way or about to begin; `changed` must be
  /// notified when they have ended. The second is called when GC waits for them with the last free superblock.
  void link(std::function<bool()> host_busy, std::function<void()> gc_held) {
    host_busy_ = std::move(host_busy);
    gc_held_ = std::move(gc_held);
  }

  /// The slot that take() would return without opening a superblock.
  bool offers(AllocStream stream, Allocation *out) const {
    const Stream &s = streams_.at(size_t(stream));
    if (!s.open || s.full) return false;
    *out = {p_.slot_at(s.sb, s.next), s.gen};
    return true;
  }

  /// Whether GC waits for host programs with the last free superblock.
  bool gc_held() const { return held_; }

  void freed(uint32_t sb);  // by GC, and by firmware at start-up
  void forget_free();       // by firmware, while nothing is written
  void set_reserve(uint32_t superblocks);
  uint32_t reserve() const { return reserve_; }
  uint32_t free() const { return uint32_t(ring_.size()); }
  void restore(AllocStream stream, uint32_t sb, uint32_t next);  // at a start after a clean shutdown
  void close(uint32_t handle);                                   // from now on its superblock counts as full
  /// The page goes to flash as it is: a stream whose next slot is in the page continues behind it.
  void skip(uint32_t first_of_page);
  uint32_t look(AllocStream stream) const;  // value of register ALLOC_OPEN

  Signal changed;

 private:
  struct Stream {
    bool open = false;
    bool full = false;
    uint32_t sb = 0;
    uint32_t next = 0;
    uint32_t gen = 0;
  };
  bool may_open(AllocStream stream);
  bool has_room(const Stream &s) const { return s.open && !s.full; }
  bool at_end(const Stream &s) const { return s.next >= p_.data_slots - p_.kept_slots; }
  bool roomy() const;
  void open(Stream &s);
  void give(Stream &s, Allocation *out);
  void close_full(AllocStream stream);

  const Params &p_;
  SuperblockTable &table_;
  std::deque<uint32_t> ring_;
  std::vector<Stream> streams_;  // indexed by stream number; GC's is the only odd number
  uint32_t reserve_ = ORM_FW_ALLOC_RESERVE_RESET;
  bool held_ = false;
  std::function<bool()> host_busy_;
  std::function<void()> gc_held_;
  std::function<void(uint32_t)> opened_;
  std::function<void(uint32_t, bool)> closed_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_ALLOCATOR_H
