// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_tally.h"

#include <algorithm>

#include "orm_formats.h"

namespace orm::lockstep {
namespace {

void count(Tally::Share *share, bool done) {
  ++share->tried;
  share->done += done;
}

bool any_mapped(const Command &c, const std::vector<uint32_t> &before) {
  if (before.empty()) return true;
  const uint64_t end = std::min<uint64_t>(c.lpn + c.pages, before.size());
  for (uint64_t lpn = c.lpn; lpn < end; ++lpn) {
    if (before[lpn] != ORM_UNMAPPED) return true;
  }
  return false;
}

}  // namespace

void Tally::add(const Command &c, int status, const uint8_t *data, const std::vector<uint32_t> &before) {
  switch (c.kind) {
    case Kind::kRemap:
      return count(&remaps, status == 0);
    case Kind::kRemapVector:
      return count(&vectors, status == 0);
    case Kind::kCopy:
      return count(&copies, status == 0 && any_mapped(c, before));
    case Kind::kRead: {
      const size_t bytes = c.pages * OPENREMAP_PAGE_BYTES;
      return count(&reads, std::any_of(data, data + bytes, [](uint8_t byte) { return byte != 0; }));
    }
    default:
      return;
  }
}

void Tally::add(const Command &c, const Outcome &outcome, const std::vector<uint32_t> &before) {
  pages.tried += before.size();
  pages.done += before.size() - size_t(std::count(before.begin(), before.end(), uint32_t(ORM_UNMAPPED)));
  if (c.kind != Kind::kBurst) {
    if (!outcome.statuses.empty()) add(c, outcome.statuses.back(), outcome.data.data(), before);
    return;
  }
  // Their statuses come last, one per command.
  const uint8_t *data = outcome.data.data();
  const size_t first = outcome.statuses.size() - c.parts.size();
  for (size_t i = 0; i < c.parts.size(); ++i) {
    add(c.parts[i], outcome.statuses[first + i], data, before);
    if (c.parts[i].kind == Kind::kRead) data += c.parts[i].pages * OPENREMAP_PAGE_BYTES;
  }
}

Tally &Tally::operator+=(const Tally &o) {
  const auto add = [](Share *to, const Share &from) {
    to->tried += from.tried;
    to->done += from.done;
  };
  add(&remaps, o.remaps);
  add(&vectors, o.vectors);
  add(&copies, o.copies);
  add(&reads, o.reads);
  add(&pages, o.pages);
  return *this;
}

}  // namespace orm::lockstep
