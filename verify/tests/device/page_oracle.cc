// SPDX-License-Identifier: Apache-2.0
#include "device/page_oracle.h"

#include <algorithm>

namespace orm {

struct PageView {
  uint64_t lpn;
  uint64_t issued;
  std::vector<Change> changes;  // the last one when it looked is one of these
};

struct PageChange {
  uint64_t lpn;
  uint64_t issued;
  uint64_t ended = 0;  // 0: under way
  bool refused = false;
  bool mapped = false;           // a copy that succeeds only if its source is mapped
  std::set<Version> versions{};  // what it gives the LPN, unless `source` is there: what that sees
  View source{};
  uint64_t walk = 0;
};

namespace {

template <typename T>
void erase(std::vector<T> &from, const T &what) {
  from.erase(std::remove(from.begin(), from.end(), what), from.end());
}

/// Calls `visit` with each set of versions that the change may give its LPN, until one call returns that it is enough.
/// Copies of copies may form circles while they are under way, so `walk` numbers the walks.
template <typename Visit>
bool walk_versions(PageChange &change, uint64_t walk, const Visit &visit) {
  if (change.refused || change.walk == walk) return false;
  change.walk = walk;
  if (visit(change.versions)) return true;
  if (change.source == nullptr) return false;
  return std::any_of(change.source->changes.begin(), change.source->changes.end(),
                     [&](const Change &c) { return walk_versions(*c, walk, visit); });
}

}  // namespace

PageOracle::PageOracle(uint64_t pages) : lpns_(pages) {
  for (uint64_t lpn = 0; lpn < pages; ++lpn) (void)done(set(lpn, 0));
}

View PageOracle::look(uint64_t lpn) {
  auto view = std::make_shared<PageView>(PageView{lpn, ++clock_, lpns_.at(lpn).last});
  lpns_[lpn].views.push_back(view);
  return view;
}

void PageOracle::drop(const View &view) { erase(lpns_[view->lpn].views, view); }

std::set<Version> PageOracle::may_see(const View &view) const {
  std::set<Version> all;
  ++walks_;
  for (const Change &c : view->changes) {
    walk_versions(*c, walks_, [&all](const std::set<Version> &some) {
      all.insert(some.begin(), some.end());
      return false;
    });
  }
  return all;
}

template <typename Keep>
void PageOracle::outdate(uint64_t lpn, uint64_t moment, Keep keep) {
  std::vector<Change> &last = lpns_[lpn].last;
  last.erase(std::remove_if(last.begin(), last.end(),
                            [&](const Change &c) { return c->ended != 0 && c->ended < moment && !keep(c); }),
             last.end());
}

bool PageOracle::saw(const View &view, Version version) {
  drop(view);
  std::vector<Change> made;  // any of these, and nothing else, gave it that
  for (const Change &c : view->changes) {
    if (walk_versions(*c, ++walks_, [version](const std::set<Version> &some) { return some.count(version) != 0; }))
      made.push_back(c);
  }
  if (made.empty()) return false;
  outdate(view->lpn, view->issued,
          [&made](const Change &c) { return std::find(made.begin(), made.end(), c) != made.end(); });
  if (made.size() == 1) {
    PageChange &it = *made.front();
    outdate(view->lpn, it.issued, [](const Change &) { return false; });
    it.versions = {version};
    if (it.source != nullptr) drop(it.source);
    it.source = nullptr;
  }
  return true;
}

void PageOracle::issue(const Change &change, const View &unseen) {
  change->issued = ++clock_;
  Lpn &lpn = lpns_.at(change->lpn);
  lpn.last.push_back(change);
  for (const View &view : lpn.views) {
    if (view != unseen) view->changes.push_back(change);
  }
}

Change PageOracle::set(uint64_t lpn, Version version, const View &unseen) {
  auto change = std::make_shared<PageChange>(PageChange{lpn, 0});
  change->versions = {version};
  issue(change, unseen);
  return change;
}

Change PageOracle::copy(const View &from, uint64_t lpn, bool mapped) {
  auto change = std::make_shared<PageChange>(PageChange{lpn, 0});
  change->mapped = mapped;
  change->source = from;
  issue(change, nullptr);
  return change;
}

void PageOracle::settle(const Change &change) {
  change->ended = ++clock_;
  if (change->source == nullptr) return;
  const View source = change->source;
  change->versions = may_see(source);
  if (change->mapped) change->versions.erase(0);
  change->source = nullptr;
  drop(source);
}

bool PageOracle::done(const Change &change) {
  settle(change);
  outdate(change->lpn, change->issued, [](const Change &) { return false; });
  return !change->versions.empty();
}

void PageOracle::refused(const Change &change) {
  settle(change);
  change->refused = true;
  erase(lpns_[change->lpn].last, change);
}

void PageOracle::forgotten(const Change &change) { settle(change); }

}  // namespace orm
