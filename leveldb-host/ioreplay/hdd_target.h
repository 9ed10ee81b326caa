// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_HDD_TARGET_H_
#define OPENREMAP_IOREPLAY_HDD_TARGET_H_

#include <vector>

#include "replay_target.h"

namespace openremap {

struct HddCost {
  double megabytes_per_second = 196;  // 10^6 bytes: of what is transferred in sequence
  double seek_ms = 12.7;              // of each transfer that does not begin where the one before it ended
};

// A disk as a cost model: it streams, and each discontinuity costs a seek and half a turn. There is no cache and no
// queue, a flush is free, and so is Deallocate. Keeps no contents.
class HddTarget : public ReplayTarget {
 public:
  explicit HddTarget(const HddCost &cost) : cost_(cost) {}

  double Seconds() const;
  uint64_t Seeks() const { return seeks_; }

  uint64_t Pages() const override { return UINT64_MAX; }
  bool KeepsContents() const override { return false; }
  leveldb::Status Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) override;
  leveldb::Status Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps,
                       uint64_t *wrong) override;
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Deallocate(const std::vector<PageRecord> &) override { return leveldb::Status::OK(); }
  leveldb::Status Figures(ReplayFigures *figures) override;

 private:
  void Transfer(const std::vector<PageRecord> &runs);

  const HddCost cost_;
  uint64_t next_ = 0;  // where the head is
  uint64_t seeks_ = 0;
  uint64_t pages_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_HDD_TARGET_H_
