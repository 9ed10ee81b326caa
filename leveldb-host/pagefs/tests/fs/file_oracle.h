// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_TESTS_FILE_ORACLE_H_
#define OPENREMAP_PAGEFS_TESTS_FILE_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace openremap {

// What a power cut may leave. Names change and files grow in an order; after a cut an early part of it counts, of which
// at least what a Sync has made durable. Of a file's bytes the first ones are there, as many as the changes that count
// say, or more. Pages that were made a hole read zero from the change on that says so, and not before.
class FileOracle {
 public:
  struct File {
    std::string bytes;  // appended, in memory or not; holes are not in them
    size_t noted = 0;   // the number of these that are in the order of changes
  };
  using Id = uint64_t;
  using Names = std::map<std::string, Id>;

  FileOracle() { states_.emplace_back(); }

  const Names &names() const { return states_.back().names; }
  File &file(Id id) { return files_[id]; }

  Id Create(const std::string &name) {
    const Id id = ++last_;
    files_[id];
    Names names = states_.back().names;
    names[name] = id;
    Note(std::move(names));
    return id;
  }
  void Rename(const std::string &from, const std::string &to) {
    Names names = states_.back().names;
    const Id id = names.at(from);
    names.erase(from);
    names[to] = id;
    Note(std::move(names));
  }
  void Remove(const std::string &name) {
    Names names = states_.back().names;
    names.erase(name);
    Note(std::move(names));
  }
  // All bytes of the file have their place in the order.
  void Grown(Id id) {
    files_[id].noted = files_[id].bytes.size();
    Note(states_.back().names);
  }
  // Bytes became a hole.
  void Punch(Id id, size_t offset, size_t bytes) {
    Note(states_.back().names);
    states_.back().holes[id].emplace_back(offset, bytes);
  }
  void Durable() { states_.erase(states_.begin(), states_.end() - 1); }
  size_t States() const { return states_.size(); }

  // Says what is wrong with what was found, or takes it for what there is from now on.
  std::string Recovered(const std::map<std::string, std::string> &found) {
    std::string wrong;
    for (auto state = states_.rbegin(); state != states_.rend(); ++state) {
      wrong = Compare(*state, found);
      if (!wrong.empty()) continue;
      State now = *state;
      for (const auto &[name, id] : now.names) {
        files_[id].bytes = found.at(name);
        files_[id].noted = now.least[id] = found.at(name).size();
      }
      now.holes.clear();  // they are in the bytes now
      states_ = {now};
      return wrong;
    }
    return "none of " + std::to_string(states_.size()) + " states; against the oldest: " + wrong;
  }

 private:
  struct State {
    Names names;
    std::map<Id, size_t> least;                                  // bytes that are there at least
    std::map<Id, std::vector<std::pair<size_t, size_t>>> holes;  // offset and bytes
  };

  void Note(Names names) {
    State state;
    for (const auto &[name, id] : names) state.least[id] = files_[id].noted;
    state.names = std::move(names);
    state.holes = states_.back().holes;
    states_.push_back(std::move(state));
  }
  std::string Compare(const State &state, const std::map<std::string, std::string> &found) {
    for (const auto &[name, bytes] : found) {
      if (state.names.count(name) == 0) return "'" + name + "' should not be there";
    }
    for (const auto &[name, id] : state.names) {
      const auto there = found.find(name);
      if (there == found.end()) return "'" + name + "' is gone";
      std::string all = files_[id].bytes;
      const auto holes = state.holes.find(id);
      if (holes != state.holes.end()) {
        for (const auto &[offset, size] : holes->second) all.replace(offset, size, size, '\0');
      }
      const std::string &bytes = there->second;
      if (bytes.size() < state.least.at(id)) {
        return "'" + name + "' has " + std::to_string(bytes.size()) + " bytes, not " +
               std::to_string(state.least.at(id));
      }
      if (all.compare(0, bytes.size(), bytes) != 0) return "'" + name + "' holds something else";
    }
    return "";
  }

  std::map<Id, File> files_;
  std::deque<State> states_;  // that may count, oldest first
  Id last_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_TESTS_FILE_ORACLE_H_
