// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <string_view>

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Kind;
using lockstep::Outcome;

Digest zeros() {
  static const std::vector<uint8_t> page(OPENREMAP_PAGE_BYTES, 0);
  static const Digest value = digest(page.data());
  return value;
}

}  // namespace

Digest digest(const uint8_t *page) {
  return std::hash<std::string_view>()(std::string_view(reinterpret_cast<const char *>(page), OPENREMAP_PAGE_BYTES));
}

Oracle::Oracle(uint64_t pages) : pages_(pages, Page{zeros(), {zeros()}}) {}

bool Oracle::inside(const Group &group) const {
  return std::all_of(group.begin(), group.end(), [this](const Change &change) { return inside(change.lpn, 1); });
}

void Oracle::put(uint64_t lpn, Digest to, bool durable) {
  Page &page = pages_[lpn];
  page.now = to;
  if (durable) page.before = {to};
  if (!durable) page.before.push_back(to);
}

void Oracle::flushed() {
  for (Page &page : pages_) page.before = {page.now};
}

std::vector<Oracle::Group> Oracle::changes(const Command &c, bool *durable) const {
  std::vector<Group> groups;
  *durable = true;
  switch (c.kind) {
    case Kind::kWrite: {
      *durable = c.flag;
      const std::vector<uint8_t> data = lockstep::contents(c.value, c.pages);
      for (uint64_t i = 0; i < c.pages; ++i) {
        groups.push_back({{c.lpn + i, digest(data.data() + i * OPENREMAP_PAGE_BYTES)}});
      }
      break;
    }
    case Kind::kWriteZeroes:
      *durable = false;  // a write that has no data
      for (uint64_t i = 0; i < c.pages; ++i) groups.push_back({{c.lpn + i, zeros()}});
      break;
    case Kind::kDeallocate:
      for (const openremap_remap_range &r : c.ranges) {
        for (uint64_t i = 0; i < r.pages; ++i) groups.push_back({{r.src + i, zeros()}});
      }
      break;
    case Kind::kRemap:
    case Kind::kCopy:
    case Kind::kRemapVector: {
      std::vector<openremap_remap_range> ranges = c.ranges;
      if (c.kind != Kind::kRemapVector) ranges = {{c.lpn, c.dst, c.pages}};
      Group all;
      for (const openremap_remap_range &r : ranges) {
        if (!inside(r.src, r.pages) || !inside(r.dst, r.pages)) return {};  // refused
        for (uint64_t i = 0; i < r.pages; ++i) all.push_back({r.dst + i, pages_[r.src + i].now});
      }
      if (c.kind != Kind::kCopy && c.flag) {
        for (const openremap_remap_range &r : ranges) {
          for (uint64_t i = 0; i < r.pages; ++i) all.push_back({r.src + i, zeros()});
        }
      }
      groups.push_back(std::move(all));
      break;
    }
    case Kind::kFormat:
    case Kind::kBlank: {
      Group all;
      for (uint64_t lpn = 0; lpn < pages(); ++lpn) all.push_back({lpn, zeros()});
      groups.push_back(std::move(all));
      break;
    }
    case Kind::kBurst:
      for (const Command &part : c.parts) {
        bool lasts = false;
        for (Group &group : changes(part, &lasts)) groups.push_back(std::move(group));
      }
      break;
    case Kind::kRead:
    case Kind::kFlush:
    case Kind::kPlacement:
    case Kind::kReset:
    case Kind::kPowerCycle:
    case Kind::kShutdown:
    case Kind::kRest:
      break;
  }
  const auto outside = [this](const Group &group) { return !inside(group); };
  // Refused as a whole. The parts of a burst are refused one by one.
  if (c.kind != Kind::kBurst && std::any_of(groups.begin(), groups.end(), outside)) groups.clear();
  return groups;
}

void Oracle::apply(const Command &c) {
  if (c.kind == Kind::kFlush || c.kind == Kind::kPowerCycle || c.kind == Kind::kShutdown) flushed();
  bool durable = false;
  for (const Group &group : changes(c, &durable)) {
    for (const Change &change : group) put(change.lpn, change.to, durable);
  }
}

bool Oracle::must_succeed(const Command &c) const {
  switch (c.kind) {
    case Kind::kRead:
    case Kind::kWrite:
    case Kind::kWriteZeroes:
      return inside(c.lpn, c.pages);
    case Kind::kDeallocate:
      return std::all_of(c.ranges.begin(), c.ranges.end(),
                         [this](const openremap_remap_range &r) { return inside(r.src, r.pages); });
    case Kind::kFlush:
    case Kind::kFormat:
    case Kind::kReset:
    case Kind::kPowerCycle:
    case Kind::kShutdown:
    case Kind::kBlank:
    case Kind::kRest:
      return true;
    case Kind::kRemap:
    case Kind::kRemapVector:
    case Kind::kCopy:
    case Kind::kPlacement:
    case Kind::kBurst:
      break;
  }
  return false;
}

std::string Oracle::refused(const Command &c, int status) const {
  return must_succeed(c) ? "refused with status " + std::to_string(status) : "";
}

std::string Oracle::check_read(const Command &c, const uint8_t *data) const {
  for (uint64_t i = 0; i < c.pages; ++i) {
    if (digest(data + i * OPENREMAP_PAGE_BYTES) == pages_[c.lpn + i].now) continue;
    return "LPN " + std::to_string(c.lpn + i) + " does not read what was written";
  }
  return "";
}

std::string Oracle::answered(const Command &c, const Outcome &outcome) {
  if (c.kind != Kind::kBurst) {
    if (outcome.statuses.back() != 0) return refused(c, outcome.statuses.back());
    if (c.kind == Kind::kRead) return check_read(c, outcome.data.data());
    apply(c);
    return "";
  }
  // Statuses: one per failed submission (there is room for all parts), one for the wait, then one per part.
  const size_t first = outcome.statuses.size() - c.parts.size();
  const auto good = [&](size_t i) { return outcome.statuses[first + i] == 0; };
  // A flush beside writes makes durable what was answered before it began.
  for (size_t i = 0; i < c.parts.size(); ++i) {
    if (c.parts[i].kind == Kind::kFlush && good(i)) flushed();
  }
  const uint8_t *data = outcome.data.data();
  std::string wrong;
  for (size_t i = 0; i < c.parts.size(); ++i) {
    const Command &part = c.parts[i];
    if (part.kind == Kind::kRead) {
      if (good(i) && wrong.empty()) wrong = check_read(part, data);
      data += part.pages * OPENREMAP_PAGE_BYTES;
    } else if (part.kind != Kind::kFlush && good(i)) {
      apply(part);
    }
    if (wrong.empty() && !good(i)) wrong = refused(part, outcome.statuses[first + i]);
  }
  return wrong;
}

void Oracle::cut_during(const Command &c) {
  cut();
  if (c.kind == Kind::kBlank) {  // the device was new before power came back: no way leads to what was there
    apply(c);
    return;
  }
  bool durable = false;
  in_flight_ = changes(c, &durable);
  const auto outside = [this](const Group &group) { return !inside(group); };
  in_flight_.erase(std::remove_if(in_flight_.begin(), in_flight_.end(), outside), in_flight_.end());
}

void Oracle::cut() { in_flight_.clear(); }

bool Oracle::may_be(const Page &page, Digest found) {
  return std::find(page.before.begin(), page.before.end(), found) != page.before.end();
}

std::string Oracle::recovered(const std::vector<Digest> &found) {
  std::vector<bool> explained(pages_.size(), false);
  std::string wrong;
  for (const Group &group : in_flight_) {
    bool all_old = true, all_new = true;
    for (const Change &change : group) {
      all_old = all_old && may_be(pages_[change.lpn], found[change.lpn]);
      all_new = all_new && found[change.lpn] == change.to;
      explained[change.lpn] = true;
    }
    if (!all_old && !all_new && wrong.empty()) {
      wrong = "of what was under way at LPN " + std::to_string(group.front().lpn) + " (" +
              std::to_string(group.size()) +
              " pages that change together) some is there and some is not, or a third thing";
    }
  }
  for (uint64_t lpn = 0; lpn < pages_.size(); ++lpn) {
    if (!explained[lpn] && !may_be(pages_[lpn], found[lpn]) && wrong.empty()) {
      const bool once = found[lpn] == zeros();
      wrong = "LPN " + std::to_string(lpn) + " holds " + (once ? "nothing" : "something else") +
              (pages_[lpn].before.size() == 1 ? "; it was durable"
                                              : "; it is none of what was written since the last flush");
    }
    pages_[lpn] = Page{found[lpn], {found[lpn]}};
  }
  in_flight_.clear();
  return wrong;
}

std::string Oracle::holds(const std::vector<Digest> &found) const {
  for (uint64_t lpn = 0; lpn < pages_.size(); ++lpn) {
    if (found[lpn] != pages_[lpn].now) return "LPN " + std::to_string(lpn) + " does not hold what was written";
  }
  return "";
}

}  // namespace orm::crash
