// SPDX-License-Identifier: Apache-2.0
#include "remap/remap_engine.h"

#include "lib/invariant.h"
#include "orm_formats.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

/// Pages that a trim record names; a mutant leaves out the last of several.
uint32_t recorded(uint32_t pages, Mutant shortens) { return pages > 1 && mutant(shortens) ? pages - 1 : pages; }

static_assert(ORM_REMAP_PAGES_MAX < 65536, "a trim record names up to 65535 pages");

// As measured on the RTL: of each command, however many pages it has; and of each range.
constexpr uint64_t kStartNs = cycles(135);
constexpr uint64_t kRangeNs = cycles(1);

}  // namespace

void RemapEngine::begin_pass() {
  cursor_.rewind(cmd_.list, cmd_.ranges, cmd_.given);
  run_ = 0;
}

bool RemapEngine::run_begins(bool mapped) const { return !mapped && (run_ == 0 || cursor_.page().first); }

void RemapEngine::count_run(bool mapped) {
  if (mapped) {
    run_ = 0;
    return;
  }
  const bool begins = run_begins(mapped);
  run_ = begins ? 1 : run_ + 1;
  if (begins) run_start_ = cursor_.page().dst;
}

Task<bool> RemapEngine::write_trim(uint32_t lpn, uint32_t pages) {
  last_seq_ = u_.seq.take();
  co_await u_.journal.trim(lpn, pages, last_seq_);
  co_return true;
}

/// Reserves a reference for each target, counts what the command needs, and keeps the sources' slots. False: the
/// command must be refused.
Task<bool> RemapEngine::check_pass() {
  begin_pass();
  kept_.clear();
  co_await Delay{u_.sim, kStartNs};
  for (;;) {
    const RemapPage &page = cursor_.page();
    if (page.first) co_await Delay{u_.sim, kRangeNs};
    outcome_.range = page.range;
    if (page.bad || kept_.size() == ORM_REMAP_PAGES_MAX) {
      outcome_.result = ORM_REMAP_RESULT_ENGINE_ERROR;
      co_return false;
    }
    const MapResponse src = co_await u_.map.share(page.src);
    if (!src.mapped && !cmd_.copy) {
      outcome_.result = ORM_REMAP_RESULT_UNMAPPED;
      co_return false;
    }
    if (!src.ok) {
      outcome_.result = ORM_REMAP_RESULT_SHARER_LIMIT;
      co_return false;
    }
    if (src.mapped) ++need_[u_.p.superblock_of(src.slot)];
    trims_ += uint32_t(run_begins(src.mapped)) + uint32_t(cmd_.move && page.first);
    count_run(src.mapped);
    kept_.push_back({src.mapped, src.slot});
    if (page.end_of_list) break;
    cursor_.next();
  }
  outcome_.range = 0;
  co_return true;
}

/// Returns the reserved references.
Task<bool> RemapEngine::release_pass() {
  if (mutant(Mutant::kReferenceKept) && !kept_.empty()) kept_.pop_back();
  for (const Kept &k : kept_) {
    if (k.mapped) co_await u_.map.release(k.slot);
  }
  co_return true;
}

bool RemapEngine::has_room() const {
  uint32_t segments = 0;
  for (const auto &[sb, entries] : need_) {
    const RemapTable::Capacity c = u_.table.capacity(RemapTableUser::kRemapEngine, sb, entries);
    if (!c.fits || entries > u_.p.chain_entries) return false;
    segments += c.segments;
  }
  return segments <= u_.table.capacity(RemapTableUser::kRemapEngine, 0, 0).free && trims_ <= u_.journal.room();
}

/// Writes the entries of the targets, and trim records for targets of unmapped sources.
Task<bool> RemapEngine::append_pass() {
  begin_pass();
  uint32_t ahead = u_.p.k.map_cache_sets * CacheTags::kWays / 2;  // lines of the targets that are prefetched
  for (const Kept &k : kept_) {
    const RemapPage &page = cursor_.page();
    if (ahead != 0 && (page.first || page.dst % (MapUnit::kLpnsPerLine) == 0)) {
      u_.map.peek(page.dst);
      --ahead;
    }
    if (run_ != 0 && (k.mapped || page.first)) {
      co_await write_trim(run_start_, recorded(run_, Mutant::kHolesShort));
      run_ = 0;
    }
    if (k.mapped) {
      last_seq_ = u_.seq.take();
      co_await u_.table.append({u_.p.superblock_of(k.slot), u_.p.offset_of(k.slot), page.dst, last_seq_});
    }
    count_run(k.mapped);
    if (!page.end_of_list) cursor_.next();
  }
  if (run_ != 0) co_await write_trim(run_start_, recorded(run_, Mutant::kHolesShort));
  co_return true;
}

/// MOVE: writes trim records of the sources.
Task<bool> RemapEngine::trim_moved_pass() {
  begin_pass();
  for (;;) {
    const RemapPage &page = cursor_.page();
    if (page.first) co_await write_trim(page.src, recorded(page.left, Mutant::kMovedShort));
    if (page.end_of_list) break;
    cursor_.next();
  }
  co_return true;
}

/// Shows the targets' new mapping.
Task<bool> RemapEngine::link_pass() {
  begin_pass();
  for (const Kept &k : kept_) {
    const RemapPage &page = cursor_.page();
    if (k.mapped) {
      co_await u_.map.link(page.dst, k.slot);
      u_.counters.add(ORM_COUNTER_REMAP_PAGES);
    } else {
      co_await u_.map.unmap(page.dst);
    }
    ++outcome_.pages;
    if (!page.end_of_list) cursor_.next();
  }
  co_return true;
}

/// MOVE: drops the sources.
Task<bool> RemapEngine::unmap_pass() {
  begin_pass();
  for (;;) {
    if (mutant(Mutant::kMoveLeavesLast) && cursor_.page().end_of_list) break;
    const MapResponse was = co_await u_.map.unmap(cursor_.page().src);
    if (was.mapped) ++outcome_.pages;
    if (cursor_.page().end_of_list) break;
    cursor_.next();
  }
  co_return true;
}

/// Takes the locks and reserves the room that the command needs.
Task<bool> RemapEngine::reserve() {
  trims_ = 0;
  need_.clear();
  const uint64_t asked = u_.sim.now();
  co_await u_.share_lock.acquire(kShareLockRemap);
  u_.counters.stalled(ORM_COUNTER_STALL_SHARE_LOCK, u_.sim.now() - asked);
  co_await u_.map_lock.acquire(kMapLockRemap);
  const bool ok = co_await check_pass();
  if (ok && !has_room()) {
    outcome_.result = ORM_REMAP_RESULT_NVRAM_FULL;
    co_return false;
  }
  co_return ok;
}

/// False: a host program has failed, and needs the mapLock to be repeated. The reservations and the locks have been
/// returned, and the command must start again.
Task<bool> RemapEngine::sources_programmed() {
  const uint64_t fenced = u_.sim.now();
  fence_.begin();
  while (fence_.pending() && !u_.unsaved.any()) co_await u_.unsaved.changed.wait();
  const bool programmed = !fence_.pending();
  if (!programmed) {
    co_await release_pass();
    u_.map_lock.release(kMapLockRemap);
    u_.share_lock.release(kShareLockRemap);
    while (fence_.pending() || u_.unsaved.any()) co_await u_.unsaved.changed.wait();
  }
  u_.counters.stalled(ORM_COUNTER_STALL_FENCE, u_.sim.now() - fenced);
  co_return programmed;
}

Task<RemapOutcome> RemapEngine::execute(RemapDescriptor command) {
  cmd_ = command;
  outcome_ = {};
  if (cmd_.ranges == 0) co_return outcome_;
  bool ok = false, ready = false;
  while (!ready) {
    ok = co_await reserve();
    ready = !ok || mutant(Mutant::kRemapBeforeSource);
    if (!ready) ready = co_await sources_programmed();
  }
  if (ok) {
    co_await append_pass();
    if (cmd_.move) co_await trim_moved_pass();
    if (!mutant(Mutant::kCommitEarly)) co_await u_.table.drained();
    co_await u_.journal.commit(last_seq_);
    co_await link_pass();
    if (cmd_.move) co_await unmap_pass();
  } else {
    co_await release_pass();
  }
  u_.map_lock.release(kMapLockRemap);
  u_.share_lock.release(kShareLockRemap);
  co_return outcome_;
}

}  // namespace orm::fast
