// SPDX-License-Identifier: Apache-2.0
//
// I/O commands of every kind, many at a time. All data that they read is checked.
#ifndef OPENREMAP_TESTS_TRAFFIC_H
#define OPENREMAP_TESTS_TRAFFIC_H

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "device/page_oracle.h"
#include "device/queue_host.h"
#include "seeded_random.h"

namespace orm {

enum class Op : uint8_t { kRead, kWrite, kFlush, kDeallocate, kWriteZeroes, kRemap, kMove, kCopy };
constexpr size_t kOps = 8;

struct IoCommand {
  Op op = Op::kFlush;
  uint64_t lpn = 0;  // the target
  uint64_t src = 0;  // of a remap or copy
  uint32_t pages = 1;
  bool fua = false;
};

/// Draws commands, a given number of each kind.
struct Mix {
  std::array<uint32_t, kOps> weights{};  // by Op
  uint64_t first = 0, count = 0;         // the LPNs
  uint32_t most_pages = 2;
  IoCommand draw(SeededRandom &random) const;
};

/// Puts commands into the queues of a host and checks their results. Throws Wrong for a status that a command cannot
/// have, and for data that a page cannot hold.
class Traffic {
 public:
  explicit Traffic(QueueHost &host);
  ~Traffic() { host_.taken = nullptr; }
  Traffic(const Traffic &) = delete;
  Traffic &operator=(const Traffic &) = delete;

  static const char *name(Op op);
  /// There is room in the ring. Does not ring.
  void put(unsigned qid, const IoCommand &command);
  /// Until all of it has been answered.
  void finish();
  /// Reads the pages below `end` that commands may have changed, when nothing is under way; the versions of these.
  std::vector<Version> read_all(unsigned qid, uint64_t end = UINT64_MAX);

  /// The submission queue was deleted, so what has no completion has not happened.
  void deleted(unsigned qid);
  /// The controller is disabled or has lost its power: what it has fetched may have happened.
  void reset();

  size_t in_flight() const { return sent_.size(); }
  size_t in_flight(unsigned qid) const;
  /// Completions of a kind with success; and those that were refused as they may be (no source, too many sharers, no
  /// room, a queue that is deleted).
  uint64_t succeeded(Op op) const { return succeeded_[size_t(op)]; }
  uint64_t refused(Op op) const { return refused_[size_t(op)]; }
  uint64_t answered() const;
  /// Pages read, and those of them for which there was one answer only.
  uint64_t pages_read() const { return pages_read_; }
  uint64_t pages_certain() const { return pages_certain_; }

 private:
  struct Sent {
    IoCommand command;
    std::vector<uint64_t> memory;
    std::vector<Change> changes;
    std::vector<View> views;  // of a read, its pages; of a remap, its sources
  };

  void completed(const QueueCompletion &done);
  void check_read(const Sent &sent);
  bool may_be_refused(const Sent &sent, int status) const;
  void end(const Sent &sent);

  QueueHost &host_;
  PageOracle oracle_;
  std::map<std::pair<unsigned, uint16_t>, Sent> sent_;
  std::vector<bool> touched_;
  Version last_version_ = 0;
  std::vector<Version> read_;  // what was read last of each page
  uint64_t pages_read_ = 0, pages_certain_ = 0;
  std::array<uint64_t, kOps> succeeded_{}, refused_{};
};

}  // namespace orm
#endif  // OPENREMAP_TESTS_TRAFFIC_H
