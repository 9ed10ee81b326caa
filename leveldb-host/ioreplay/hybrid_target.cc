// SPDX-License-Identifier: Apache-2.0
#include "hybrid_target.h"

namespace openremap {

using leveldb::Status;

Status HybridTarget::Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) {
  for (const PageRecord &run : runs) {
    for (uint64_t lpn = run.lpn; lpn < run.lpn + run.pages; lpn++) ftl_.Write(lpn, stamps[static_cast<size_t>(lpn)]);
  }
  return Status::OK();
}

Status HybridTarget::Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps, uint64_t *wrong) {
  for (const PageRecord &run : runs) {
    read_pages_ += run.pages;
    for (uint64_t lpn = run.lpn; lpn < run.lpn + run.pages; lpn++) {
      if (ftl_.Read(lpn) != stamps[static_cast<size_t>(lpn)]) ++*wrong;
    }
  }
  return Status::OK();
}

Status HybridTarget::Deallocate(const std::vector<PageRecord> &runs) {
  for (const PageRecord &run : runs) {
    for (uint64_t lpn = run.lpn; lpn < run.lpn + run.pages; lpn++) ftl_.Deallocate(lpn);
  }
  return Status::OK();
}

Status HybridTarget::Programmed(uint64_t *pages) {
  *pages = ftl_.stats().ProgrammedPages();
  return Status::OK();
}

Status HybridTarget::Figures(ReplayFigures *figures) {
  const HybridFtlStats &s = ftl_.stats();
  const std::pair<const char *, uint64_t> counts[] = {
      {"log_blocks", ftl_.LogBlocks()},
      {"host_write_pages", s.host_pages},
      {"nand_program_pages", s.ProgrammedPages()},
      {"direct_pages", s.direct_pages},
      {"sequential_pages", s.sequential_pages},
      {"log_pages", s.log_pages},
      {"second_chance_pages", s.second_chance_pages},
      {"merged_pages", s.merged_pages},
      {"full_merges", s.full_merges},
      {"partial_merges", s.partial_merges},
      {"switch_merges", s.switch_merges},
      {"reclaims", s.reclaims},
      {"erases", s.erases},
      {"full_merge_erases", s.full_merge_erases},
      {"partial_merge_erases", s.partial_merge_erases},
      {"switch_merge_erases", s.switch_merge_erases},
      {"dead_blocks", s.dead_blocks},
      {"used_blocks", ftl_.UsedBlocks()},
  };
  for (const auto &[name, value] : counts) figures->emplace_back(name, FigureOf(value));
  const uint64_t reads = read_pages_ + s.second_chance_pages + s.merged_pages;
  figures->emplace_back("flash_seconds", FigureOf(static_cast<double>(reads) * kHybridReadSeconds +
                                                  static_cast<double>(s.ProgrammedPages()) * kHybridProgramSeconds +
                                                  static_cast<double>(s.erases) * kHybridEraseSeconds));
  const auto wa2 = static_cast<double>(s.ProgrammedPages()) / static_cast<double>(s.host_pages);
  figures->emplace_back("wa2", FigureOf(s.host_pages != 0 ? wa2 : 0.0));
  return Status::OK();
}

}  // namespace openremap
