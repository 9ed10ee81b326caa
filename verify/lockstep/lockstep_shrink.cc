// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_shrink.h"

#include <algorithm>
#include <utility>

namespace orm::lockstep {
namespace {

class Shrinker {
 public:
  Shrinker(std::vector<Command> commands, const ShrinkOptions &options) : best_(std::move(commands)), o_(options) {}

  Shrunk run() {
    ddmin(
        best_, [this](const std::vector<Command> &fewer) { return tries(fewer); }, 0);
    for (size_t i = 0; i < best_.size() && !spent(); ++i) {
      // A list must keep an item: an empty burst or deallocation would be another command.
      lists(i, &Command::parts);
      lists(i, &Command::ranges);
    }
    return {best_, runs_, !spent()};
  }

 private:
  bool spent() const { return runs_ >= o_.most_runs; }

  bool tries(const std::vector<Command> &fewer) {
    if (spent()) return false;
    const bool fails = o_.fails(fewer);
    ++runs_;
    if (fails) best_ = fewer;
    if (o_.progress) o_.progress(runs_, best_);
    return fails;
  }

  template <class Item>
  void lists(size_t i, std::vector<Item> Command::*list) {
    if ((best_[i].*list).size() < 2) return;
    const auto shorter = [&](const std::vector<Item> &items) {
      std::vector<Command> commands = best_;
      commands[i].*list = items;
      return tries(commands);
    };
    ddmin(best_[i].*list, shorter, 1);
  }

  /// Tries to remove each of `n` pieces; if none can be removed, halves the pieces. Keeps at least `least` items.
  template <class Item, class Try>
  void ddmin(std::vector<Item> items, Try fails, size_t least) {
    size_t n = 2;
    while (items.size() > least && !spent()) {
      n = std::min(n, items.size());
      const size_t piece = (items.size() + n - 1) / n;
      bool shorter = false;
      for (size_t at = 0; at < items.size() && !spent();) {
        const size_t end = std::min(at + piece, items.size());
        std::vector<Item> rest(items.begin(), items.begin() + long(at));
        rest.insert(rest.end(), items.begin() + long(end), items.end());
        if (rest.size() >= least && fails(rest)) {
          items = std::move(rest);
          shorter = true;
        } else {
          at = end;
        }
      }
      if (!shorter && piece <= 1) return;
      n = shorter ? std::max<size_t>(2, (items.size() + piece - 1) / piece) : 2 * n;
    }
  }

  std::vector<Command> best_;
  const ShrinkOptions &o_;
  uint64_t runs_ = 0;
};

}  // namespace

Shrunk shrink(std::vector<Command> commands, const ShrinkOptions &options) {
  return Shrinker(std::move(commands), options).run();
}

}  // namespace orm::lockstep
