// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IOREPLAY_HYBRID_TARGET_H_
#define OPENREMAP_IOREPLAY_HYBRID_TARGET_H_

#include <vector>

#include "hybrid_ftl.h"
#include "replay_target.h"

namespace openremap {

// Times of SLC NAND, in seconds: of a page of 4 KiB read and programmed, of a block erased.
constexpr double kHybridReadSeconds = 25e-6, kHybridProgramSeconds = 200e-6, kHybridEraseSeconds = 1.5e-3;

// A block device with a hybrid-mapping FTL. It has no volatile cache, so a flush does nothing. It has no time either:
// `flash_seconds` of its figures is what its flash would be busy for if it did one thing at a time.
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
  uint64_t read_pages_ = 0;  // by the host
};

}  // namespace openremap

#endif  // OPENREMAP_IOREPLAY_HYBRID_TARGET_H_
