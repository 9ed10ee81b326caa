// SPDX-License-Identifier: Apache-2.0
#include "io/trim_engine.h"

#include <algorithm>

#include "orm_bytes.h"
#include "orm_nvme.h"
#include "remap/remap_engine.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

constexpr uint32_t kPiecePages = 256;
constexpr uint32_t kRangeBytes = 16;  // NVM command set, Dataset Management - Range Definition
constexpr uint64_t kStepNs = cycles(2);

}  // namespace

TrimEngine::TrimEngine(const Parts &parts) : u_(parts) {
  run_ = run();
  run_.start(u_.sim);
}

Process TrimEngine::run() {
  for (;;) {
    while (u_.commands.empty()) co_await u_.commands.filled.wait();
    const IoCommand command = u_.commands.pop();
    NvmeStatus status = kSuccess;
    ranges_.assign(1, {command.slba, command.pages});
    if (command.op == IoOp::kDeallocate) status = co_await fetch(command);
    if (status == kSuccess) {
      for (const Range &range : ranges_) co_await drop(range);
    }
    while (!u_.post.has_room(Lane::kTrim)) co_await u_.post.room(Lane::kTrim).wait();
    u_.post.post(Lane::kTrim, {command.qid, command.cid, status, 0});
  }
}

Task<NvmeStatus> TrimEngine::fetch(IoCommand command) {
  std::vector<uint8_t> list(command.pages * kRangeBytes);
  bool bad = false;
  co_await u_.host.turn().take();
  u_.host.begin({command.prp1, command.prp2, uint32_t(list.size())});
  const uint64_t ns = u_.host.read(list.data(), uint32_t(list.size()), &bad);
  co_await Delay{u_.sim, ns};
  NvmeStatus status = u_.host.end();
  u_.host.turn().give();
  ranges_.clear();
  for (size_t at = 0; at != list.size() && status == kSuccess; at += kRangeBytes) {
    const uint64_t nlb = orm_get_le(list.data() + at + 4, 4), slba = orm_get_le(list.data() + at + 8, 8);
    if (slba > u_.router.nsze() || nlb > u_.router.nsze() - slba) status = kLbaOutOfRange;
    ranges_.push_back({uint32_t(slba), uint32_t(nlb)});
  }
  co_return status;
}

/// The lock is free for others between pieces. A remap may use up the journal's room while this engine waits for the
/// lock.
Task<bool> TrimEngine::drop(Range range) {
  while (range.nlb != 0) {
    const uint64_t asked = u_.sim.now();
    while (u_.journal.room() == 0) co_await u_.journal.moved.wait();
    u_.counters.stalled(ORM_COUNTER_STALL_JOURNAL, u_.sim.now() - asked);
    co_await u_.map_lock.acquire(kMapLockTrim);
    if (u_.journal.room() == 0) {
      u_.map_lock.release(kMapLockTrim);
      continue;
    }
    const uint32_t piece = std::min(range.nlb, kPiecePages);
    const uint32_t recorded = piece > 1 && mutant(Mutant::kTrimShort) ? piece - 1 : piece;
    const uint64_t seq = u_.seq.take();
    if (!mutant(Mutant::kTrimNotJournalled)) co_await u_.journal.trim(range.slba, recorded, seq);
    co_await u_.journal.commit(seq);
    for (uint32_t i = 0; i != piece; ++i) {
      co_await u_.map.unmap(range.slba + i);
      co_await Delay{u_.sim, kStepNs};
      u_.counters.add(ORM_COUNTER_HOST_TRIM_PAGES);
    }
    u_.map_lock.release(kMapLockTrim);
    range.slba += piece;
    range.nlb -= piece;
  }
  co_return true;
}

}  // namespace orm::fast
