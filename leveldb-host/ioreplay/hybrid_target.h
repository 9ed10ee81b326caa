// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_HYBRID_TARGET_H_
#define OPENREMAP_IOREPLAY_HYBRID_TARGET_H_

#include <vector>

#include "hybrid_ftl.h"
#include "replay_target.h"

namespace openremap {

// A block device with a hybrid-mapping FTL. It has no volatile cache, so a flush does nothing.
class HybridTarget : public ReplayTarget {
 public:
  explicit HybridTarget(const HybridFtlOptions &options) : ftl_(options) {}

  const HybridFtl &ftl() const { return ftl_; }

  uint64_t Pages() const override { return ftl_.Pages(); }
  leveldb::Status Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) override;
  leveldb::Status Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps,
                       uint64_t *wrong) override;
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Deallocate(const std::vector<PageRecord> &runs) override;
  leveldb::Status Programmed(uint64_t *pages) override;
  leveldb::Status Figures(ReplayFigures *figures) override;

 private:
  HybridFtl ftl_;
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_HYBRID_TARGET_H_
