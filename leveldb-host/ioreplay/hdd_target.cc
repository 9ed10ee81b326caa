// SPDX-License-Identifier: Apache-2.0
#include "hdd_target.h"

#include "remap_env.h"

namespace openremap {

using leveldb::Status;

void HddTarget::Transfer(const std::vector<PageRecord> &runs) {
  for (const PageRecord &run : runs) {
    if (run.lpn != next_) seeks_++;
    next_ = run.lpn + run.pages;
    pages_ += run.pages;
  }
}

double HddTarget::Seconds() const {
  return static_cast<double>(pages_) * kPageBytes / (cost_.megabytes_per_second * 1e6) +
         static_cast<double>(seeks_) * cost_.seek_ms * 1e-3;
}

Status HddTarget::Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &) {
  Transfer(runs);
  return Status::OK();
}

Status HddTarget::Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &, uint64_t *) {
  Transfer(runs);
  return Status::OK();
}

Status HddTarget::Figures(ReplayFigures *figures) {
  figures->emplace_back("discontinuities", FigureOf(seeks_));
  figures->emplace_back("device_seconds", FigureOf(Seconds()));
  return Status::OK();
}

}  // namespace openremap
