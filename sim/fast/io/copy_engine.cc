// SPDX-License-Identifier: Apache-2.0
#include "io/copy_engine.h"

#include <algorithm>

#include "lib/invariant.h"

namespace orm::fast {
namespace {

NvmeStatus status_of(orm_remap_result result) {
  switch (result) {
    case ORM_REMAP_RESULT_OK:
      return kSuccess;
    case ORM_REMAP_RESULT_SHARER_LIMIT:
      return kRemapSharerLimit;
    case ORM_REMAP_RESULT_UNMAPPED:
    case ORM_REMAP_RESULT_NVRAM_FULL:
    case ORM_REMAP_RESULT_ENGINE_ERROR:
      break;
  }
  return kInternalError;
}

}  // namespace

CopyEngine::CopyEngine(const Parts &parts) : u_(parts) {
  run_ = run();
  run_.start(u_.sim);
}

Process CopyEngine::run() {
  for (;;) {
    while (u_.commands.empty()) co_await u_.commands.filled.wait();
    const FetchedCommand command = u_.commands.pop();
    RemapOutcome outcome;
    NvmeStatus status = co_await fetch(command);
    if (status == kSuccess) {
      RemapDescriptor descriptor;
      descriptor.ranges = uint32_t(ranges_.size());
      descriptor.copy = true;
      descriptor.given = ranges_.data();
      outcome = co_await u_.remap.execute(descriptor);
      believe(outcome.result != ORM_REMAP_RESULT_UNMAPPED, "a source without data fails no Copy");
      status = status_of(outcome.result);
    }
    if (outcome.result == ORM_REMAP_RESULT_NVRAM_FULL) {
      while (u_.firmware.full()) co_await u_.firmware.room.wait();
      u_.firmware.push(command);
      continue;
    }
    while (!u_.post.has_room(Lane::kCopy)) co_await u_.post.room(Lane::kCopy).wait();
    count(status);
    u_.post.post(Lane::kCopy, {command.qid, CopyFields(command).cid(), status, status == kSuccess ? outcome.pages : 0});
  }
}

void CopyEngine::count(NvmeStatus status) {
  if (status == kRemapSharerLimit) {
    u_.counters.add(ORM_COUNTER_COPY_REFUSED_SHARERS);
  } else if (status != kSuccess) {
    u_.counters.add(ORM_COUNTER_COPY_REFUSED_OTHER);
  } else {
    u_.counters.add(ORM_COUNTER_COPY_COMMANDS);
    copied_();
  }
}

Task<NvmeStatus> CopyEngine::fetch(FetchedCommand command) {
  const CopyFields fields(command);
  std::vector<uint8_t> list(fields.list_bytes());
  bool bad = false;
  co_await u_.host.turn().take();
  u_.host.begin({fields.prp1(), fields.prp2(), uint32_t(list.size())});
  const uint64_t ns = u_.host.read(list.data(), uint32_t(list.size()), &bad);
  co_await Delay{u_.sim, ns};
  const NvmeStatus status = u_.host.end();
  u_.host.turn().give();
  if (status != kSuccess) co_return status;
  list.resize(fields.ranges() * fields.entry_bytes());
  co_return check(fields, list);
}

NvmeStatus CopyEngine::check(const CopyFields &fields, const std::vector<uint8_t> &list) {
  const uint64_t nsze = u_.router.nsze(), sdlba = fields.sdlba();
  uint64_t pages = 0, nearest = UINT64_MAX;  // lowest start of the sources that end behind SDLBA
  bool outside = false;
  ranges_.clear();
  for (uint32_t i = 0; i != fields.ranges(); ++i) {
    nvme_copy_range entry;  // format 1 has these fields at the same offsets; only its tags differ
    nvme_copy_range_unpack(&entry, list.data() + size_t(i) * fields.entry_bytes());
    const uint32_t nlb = entry.nlb + 1u;
    ranges_.push_back({entry.slba, sdlba + pages, nlb, 0, 0});
    pages += nlb;
    outside = outside || nlb > nsze || entry.slba > nsze - nlb;
    if (entry.slba < nsze && entry.slba + nlb > sdlba) nearest = std::min(nearest, entry.slba);
  }
  if (pages > u_.p.copy_pages()) return kCopySizeLimit;
  if (outside || sdlba + pages > nsze) return kLbaOutOfRange;
  return nearest < sdlba + pages ? kInvalidField : kSuccess;
}

}  // namespace orm::fast
