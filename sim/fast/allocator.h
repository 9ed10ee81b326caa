// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_ALLOCATOR_H
#define OPENREMAP_FAST_ALLOCATOR_H

#include <cstdint>
#include <deque>
#include <vector>

#include "orm_formats.h"
#include "orm_regs.h"
#include "params.h"
#include "process.h"
#include "superblock_table.h"

namespace orm::fast {

/// A stream of writes, which fills superblocks of its own; the number is OobRecord's.
enum class AllocStream : uint8_t { kHost = ORM_STREAM_HOST, kGc = ORM_STREAM_GC };

/// The host's stream of a placement handle; kHost is that of handle 0.
constexpr AllocStream host_stream(uint32_t handle) { return AllocStream(ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle); }

struct Allocation {
  uint32_t slot = 0;
  uint32_t gen = 0;
};

/// Hands out slots in programming order, a superblock of its own for each stream (hw/src/Allocator.scala).
class Allocator {
 public:
  Allocator(Simulation &sim, const Params &p, SuperblockTable &table)
      : changed(sim), p_(p), table_(table), streams_(2 * p.k.placement_handles) {}

  /// The wish for a slot; false: there is none now, `changed` says when to ask again. Only a wish opens a superblock, and
  /// a full one is closed when its client (GC, the host with any handle) asks for the next slot.
  bool take(AllocStream stream, Allocation *out);

  /// The slot that `take` would give without opening a superblock.
  bool offers(AllocStream stream, Allocation *out) const {
    const Stream &s = streams_.at(size_t(stream));
    if (!s.open || s.full) return false;
    *out = {p_.slot_at(s.sb, s.next), s.gen};
    return true;
  }

  void freed(uint32_t sb);  // GC, firmware at start-up
  void set_reserve(uint32_t superblocks);
  uint32_t reserve() const { return reserve_; }
  uint32_t free() const { return uint32_t(ring_.size()); }
  void restore(AllocStream stream, uint32_t sb, uint32_t next);  // start-up after a clean shutdown
  void close(uint32_t handle);                                   // its superblock counts as full from now on
  /// The page goes to flash as it is: the stream that is inside it goes on behind it.
  void skip(uint32_t first_of_page);
  uint32_t look(AllocStream stream) const;  // ALLOC_OPEN

  Signal changed;

 private:
  struct Stream {
    bool open = false;
    bool full = false;
    uint32_t sb = 0;
    uint32_t next = 0;
    uint32_t gen = 0;
  };
  bool spare(AllocStream stream) const { return free() > (stream == AllocStream::kGc ? 0 : reserve_); }
  void close_full(AllocStream stream);

  const Params &p_;
  SuperblockTable &table_;
  std::deque<uint32_t> ring_;
  std::vector<Stream> streams_;  // by their numbers: GC's is the only odd one
  uint32_t reserve_ = ORM_FW_ALLOC_RESERVE_RESET;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_ALLOCATOR_H
