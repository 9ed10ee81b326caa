// SPDX-License-Identifier: Apache-2.0
#include "io/range_engine.h"

#include <algorithm>

#include "lib/invariant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kJudgeNs = cycles(6);    // from the last word to the verdict
constexpr uint64_t kSearchNs = cycles(23);  // of one source; the others follow, one a cycle

/// Whether all sources lie before the first target or behind the last one: then there is no search.
bool apart(const std::vector<orm_remap_range> &ranges) {
  return std::all_of(ranges.begin(), ranges.end(), [&ranges](const orm_remap_range &r) {
    return r.src + r.nlb <= ranges.front().dst || r.src >= ranges.back().dst + ranges.back().nlb;
  });
}

std::vector<orm_remap_range> unpack(const RangeFields &fields, std::vector<uint8_t> list) {
  std::vector<orm_remap_range> ranges(fields.ranges());
  list.resize(fields.ranges() * fields.entry_bytes());
  uint64_t target = fields.sdlba();
  for (uint32_t i = 0; i != fields.ranges(); ++i) {
    const uint8_t *at = list.data() + size_t(i) * fields.entry_bytes();
    if (!fields.copies()) {
      orm_remap_range_unpack(&ranges[i], at);
      continue;
    }
    nvme_copy_range entry;  // format 1 has these fields at the same offsets; only its tags differ
    nvme_copy_range_unpack(&entry, at);
    ranges[i] = {entry.slba, target, entry.nlb + 1u, 0, 0};
    target += ranges[i].nlb;
  }
  return ranges;
}

}  // namespace

RangeEngine::RangeEngine(const Parts &parts) : u_(parts), ready_(parts.sim), taken_(parts.sim) {
  prepare_ = prepare();
  prepare_.start(u_.sim);
  run_ = run();
  run_.start(u_.sim);
}

Process RangeEngine::prepare() {
  for (;;) {
    while (u_.commands.empty()) co_await u_.commands.filled.wait();
    next_.command = u_.commands.pop();
    const RangeFields fields(next_.command);
    bool came = true;
    next_.ranges.assign(1, fields.range());
    if (!fields.single()) came = co_await fetch(next_.command, &next_.ranges);
    next_.fit = came && fit(fields, next_.ranges);
    const bool searched = !apart(next_.ranges);
    co_await Delay{u_.sim, kJudgeNs + (searched ? kSearchNs + cycles(fields.ranges()) : 0)};
    is_ready_ = true;
    ready_.notify();
    while (is_ready_) co_await taken_.wait();
  }
}

Process RangeEngine::run() {
  for (;;) {
    while (!is_ready_) co_await ready_.wait();
    std::swap(now_, next_);
    is_ready_ = false;
    taken_.notify();
    const RangeFields fields(now_.command);
    RemapOutcome outcome;
    outcome.result = ORM_REMAP_RESULT_ENGINE_ERROR;
    if (now_.fit) {
      RemapDescriptor descriptor;
      descriptor.ranges = uint32_t(now_.ranges.size());
      descriptor.move = fields.moves();
      descriptor.copy = fields.copies();
      descriptor.given = now_.ranges.data();
      outcome = co_await u_.remap.execute(descriptor);
      believe(!fields.copies() || outcome.result != ORM_REMAP_RESULT_UNMAPPED, "a source without data fails no Copy");
    }
    if (outcome.result != ORM_REMAP_RESULT_OK) {
      while (u_.firmware.full()) co_await u_.firmware.room.wait();
      u_.firmware.push(now_.command);
      u_.counters.add(ORM_COUNTER_REMAPS_HANDED_OVER);
      continue;
    }
    while (!u_.post.has_room(Lane::kRanges)) co_await u_.post.room(Lane::kRanges).wait();
    u_.counters.add(ORM_COUNTER_REMAPS_BY_HARDWARE);
    remapped_();
    u_.post.post(Lane::kRanges, {now_.command.qid, fields.cid(), kSuccess, outcome.pages});
  }
}

Task<bool> RangeEngine::fetch(FetchedCommand command, std::vector<orm_remap_range> *ranges) {
  const RangeFields fields(command);
  std::vector<uint8_t> list(fields.list_bytes());
  bool bad = false;
  co_await u_.host.turn().take();
  u_.host.begin({fields.prp1(), fields.prp2(), uint32_t(list.size())});
  const uint64_t ns = u_.host.read(list.data(), uint32_t(list.size()), &bad);
  co_await Delay{u_.sim, ns};
  const NvmeStatus status = u_.host.end();
  u_.host.turn().give();
  *ranges = unpack(fields, std::move(list));
  co_return status == kSuccess;
}

bool RangeEngine::fit(const RangeFields &fields, const std::vector<orm_remap_range> &ranges) const {
  const uint64_t end = u_.router.nsze();
  uint64_t pages = 0, reached = 0;  // end of the last target
  for (const orm_remap_range &r : ranges) {
    if (r.reserved0 != 0 || r.reserved1 != 0 || r.nlb == 0 || r.nlb > end) return false;
    if (r.src > end - r.nlb || r.dst > end - r.nlb || r.dst < reached) return false;
    reached = r.dst + r.nlb;
    pages += r.nlb;
  }
  if (pages > (fields.copies() ? u_.p.copy_pages() : ORM_REMAP_PAGES_MAX)) return false;
  const auto meets_target = [&](const orm_remap_range &source) {
    // Of the targets that begin before the source's end the last one ends last.
    const auto behind = std::partition_point(ranges.begin(), ranges.end(), [&](const orm_remap_range &target) {
      return target.dst < source.src + source.nlb;
    });
    return behind != ranges.begin() && source.src < std::prev(behind)->dst + std::prev(behind)->nlb;
  };
  return std::none_of(ranges.begin(), ranges.end(), meets_target);
}

}  // namespace orm::fast
