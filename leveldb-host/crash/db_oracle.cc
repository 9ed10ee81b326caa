// SPDX-License-Identifier: Apache-2.0
#include "db_oracle.h"

#include <algorithm>
#include <functional>

namespace openremap {

namespace {

std::optional<std::string> Find(const DbOracle::State &state, const std::string &key) {
  const auto found = state.find(key);
  return found != state.end() ? std::optional<std::string>(found->second) : std::nullopt;
}

}  // namespace

void DbOracle::Apply(const Changes &changes, State *state) {
  for (const auto &[key, value] : changes) {
    if (value) {
      (*state)[key] = *value;
    } else {
      state->erase(key);
    }
  }
}

void DbOracle::Begin(const Changes &changes) {
  since_.push_back(changes);
  for (const auto &[key, value] : changes) {
    if (value) written_[key].insert(std::hash<std::string>()(*value));
  }
}

void DbOracle::Acknowledged(bool sync) {
  Apply(since_.back(), &now_);
  if (sync) Closed();
}

void DbOracle::Closed() {
  durable_ = now_;
  since_.clear();
}

std::string DbOracle::Recovered(const State &found) {
  // Keys in which `found` differs from the state after the given number of writes.
  std::set<std::string> different;
  const auto compare = [&](const std::string &key, const State &state) {
    if (Find(found, key) == Find(state, key)) {
      different.erase(key);
    } else {
      different.insert(key);
    }
  };
  State state = durable_;
  for (const auto &[key, value] : state) compare(key, state);
  for (const auto &[key, value] : found) compare(key, state);
  for (size_t i = 0; i < since_.size() && !different.empty(); i++) {
    Apply(since_[i], &state);
    for (const auto &[key, value] : since_[i]) compare(key, state);
  }
  if (!different.empty()) return Blame(found);
  now_ = durable_ = found;
  since_.clear();
  return "";
}

std::string DbOracle::Blame(const State &found) const {
  std::set<std::string> keys;
  for (const auto &[key, value] : durable_) keys.insert(key);
  for (const auto &[key, value] : found) keys.insert(key);
  for (const std::string &key : keys) {
    std::set<std::optional<std::string>> allowed = {Find(durable_, key)};
    for (const Changes &changes : since_) {
      for (const auto &[changed, value] : changes) {
        if (changed == key) allowed.insert(value);
      }
    }
    const std::optional<std::string> value = Find(found, key);
    if (allowed.count(value) != 0) continue;
    if (!value) return "key " + key + " is gone, its last value was synced";
    const auto written = written_.find(key);
    const bool ever = written != written_.end() && written->second.count(std::hash<std::string>()(*value)) != 0;
    return "key " + key +
           (ever ? " holds a value older than what was synced" : " holds a value that was never written");
  }
  return "each key by itself may hold what it holds, but together they are the state after none of the writes";
}

}  // namespace openremap
