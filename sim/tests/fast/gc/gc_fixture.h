// SPDX-License-Identifier: Apache-2.0
// The garbage collection of the fast model with all that it works on, and no host.
#ifndef OPENREMAP_TESTS_FAST_GC_FIXTURE_H
#define OPENREMAP_TESTS_FAST_GC_FIXTURE_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "gc/gc_engine.h"
#include "orm_formats.h"
#include "pcie_function.h"
#include "remap/remap_engine.h"

namespace orm::fast {

class FastGc : public ::testing::Test {
 protected:
  explicit FastGc(const Geometry &geometry = {}) : p_(geometry) {
    std::fill_n(dram_.data() + p_.l2p_base, 4 * p_.lpns, uint8_t(0xFF));
    std::fill_n(dram_.data() + p_.ref_base, p_.slots, uint8_t(0));
    for (uint32_t sb = 0; sb < p_.superblocks; ++sb) {
      superblocks_.set(sb, {100 + sb, 0, SbState::kFree});
      if (sb >= kVictims) allocator_.freed(sb);
    }
    for (uint32_t sb = 0; sb < kVictims; ++sb) superblocks_.set(sb, {100 + sb, 0, SbState::kClosed});
    for (uint32_t seg = 0; seg < p_.k.segments; ++seg) table_.load_free(seg);
    gc_pages_.link(&gc_);
    nand_.listen(NandClient::kGc, &answers_);
    nand_.listen(NandClient::kHostWrite, &ignored_);
    nand_.listen(NandClient::kHostRead, &ignored_);
  }

  void run() {
    while (sim_.next() != Simulation::kNever) sim_.step();
  }
  template <class T>
  static Process into(Task<T> task, T *out, bool *ended) {
    *out = co_await std::move(task);
    *ended = true;
  }
  template <class T>
  T wait(Task<T> task) {
    T out{};
    bool ended = false;
    Process p = into(std::move(task), &out, &ended);
    p.start(sim_);
    run();
    EXPECT_TRUE(ended) << "it waits for something";
    return out;
  }
  static Process ask(MapUnit::Request request, MapResponse *out) { *out = co_await request; }
  MapResponse map(MapUnit::Request request) {
    MapResponse answer;
    Process p = ask(request, &answer);
    p.start(sim_);
    run();
    return answer;
  }

  /// LPN `lpn` shares slot `offset` of the superblock by an entry of its chain.
  void share(uint32_t sb, uint32_t offset, uint32_t lpn, uint64_t seq) {
    wait(table_.append({sb, offset, lpn, seq}));
    map(map_.set(lpn, p_.slot_at(sb, offset)));
  }
  /// `count` LPNs from `lpn` on, spread over the superblock; their seqs count up.
  void share_many(uint32_t sb, uint32_t lpn, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) share(sb, i % p_.slots_per_sb, lpn + i, seq_.take());
  }
  /// Programs a slot with what `data` of buffer 0 holds, as if the host had written the LPN.
  void program(uint32_t slot, uint32_t lpn, uint64_t seq) {
    orm_oob_record oob{};
    oob.lpn = lpn;
    oob.gen = superblocks_[p_.superblock_of(slot)].gen;
    oob.seq = seq;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = slot;
    orm_oob_record_seal(&oob, buffers_.spare(0));
    ASSERT_TRUE(nand_.accept({NandRequestOp::kProgram, NandClient::kHostWrite, slot, 0}));
    run();
  }
  /// 4 KiB and the spare of a slot.
  const uint8_t *read(uint32_t slot) {
    EXPECT_TRUE(nand_.accept({NandRequestOp::kRead, NandClient::kHostRead, slot, p_.read_buf_base}));
    run();
    return buffers_.data(p_.read_buf_base);
  }
  uint32_t named(uint32_t sb, uint32_t set, uint32_t index) {
    const MapResponse found = map(map_.lookup(p_.destage_lpn_of(sb, set, index)));
    return found.mapped ? found.slot : ORM_UNMAPPED;
  }
  orm_block_record record(uint32_t sb) {
    uint8_t raw[ORM_BLOCK_RECORD_BYTES];
    orm_block_record found{};
    EXPECT_TRUE(nvram_.read(p_.nv_blocks + sb * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw));
    EXPECT_TRUE(orm_block_record_open(&found, raw, uint16_t(sb)));
    return found;
  }
  uint64_t counted(orm_counter which) const { return counters_.value(which); }

  static constexpr uint32_t kVictims = 4;  // superblocks that are closed; the others are free
  const Params p_;
  Simulation sim_{0};
  Counters counters_;
  SuperblockTable superblocks_{p_};
  BufferRam buffers_{p_};
  Allocator allocator_{sim_, p_, superblocks_};
  SeqCounter seq_;
  ProgramTracker tracker_{sim_};
  LockArbiter map_lock_{sim_}, share_lock_{sim_};
  ReadWindow window_{sim_};
  Unsaved unsaved_{sim_};
  DramModel dram_{p_.dram_bytes};
  NvramModel nvram_{p_.nvram_bytes, "", 1};
  NvramPort port_{sim_, nvram_, MemoryTiming()};
  NandModel model_{p_.nand(), NandTiming(), "", 1};
  MapUnit map_{sim_, p_, dram_, superblocks_, counters_};
  RemapTable table_{sim_, p_, port_, superblocks_, counters_};
  Journal journal_{sim_, p_, port_};
  NandScheduler nand_{sim_, p_, model_, NandTiming(), buffers_, counters_};
  PageGatherer host_pages_{{sim_, p_, buffers_, allocator_, nand_, p_.k.placement_handles}};
  PageGatherer gc_pages_{{sim_, p_, buffers_, allocator_, nand_, 1}};
  GcEngine gc_{
      {sim_, p_, map_, table_, allocator_, superblocks_, nand_, gc_pages_, host_pages_, buffers_, unsaved_, counters_},
      journal_,
      allocator_,
      superblocks_,
      tracker_,
      window_,
      seq_,
      map_lock_,
      share_lock_};
  /// May change what the NAND answers GC.
  std::function<void(NandDone *)> fault_;

 private:
  struct Ignored final : NandListener {
    void nand_done(const NandDone &) override {}
  };
  struct Answers final : NandListener {
    explicit Answers(FastGc &test) : test_(test) {}
    void nand_done(const NandDone &done) override {
      NandDone answer = done;
      if (test_.fault_) test_.fault_(&answer);
      test_.gc_pages_.nand_done(answer);
    }
    FastGc &test_;
  };
  Ignored ignored_;
  Answers answers_{*this};
};

}  // namespace orm::fast
#endif  // OPENREMAP_TESTS_FAST_GC_FIXTURE_H
