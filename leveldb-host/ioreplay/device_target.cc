// SPDX-License-Identifier: Apache-2.0
#include "device_target.h"

#include "page_stamps.h"

namespace openremap {

using leveldb::Status;

namespace {

size_t BytesOf(const std::vector<PageRecord> &runs) {
  uint64_t pages = 0;
  for (const PageRecord &run : runs) pages += run.pages;
  return static_cast<size_t>(pages * kPageBytes);
}

}  // namespace

Status DeviceTarget::Write(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps) {
  buffer_.resize(BytesOf(runs));
  std::vector<WriteRun> writes;
  char *page = buffer_.data();
  for (const PageRecord &run : runs) {
    writes.push_back({run.lpn, run.pages, page, run.placement});
    for (uint64_t i = 0; i < run.pages; i++, page += kPageBytes) {
      FillPage(stamps[static_cast<size_t>(run.lpn + i)], page);
    }
  }
  return pages_.Write(writes, runs.front().durable);
}

Status DeviceTarget::Read(const std::vector<PageRecord> &runs, const std::vector<uint64_t> &stamps, uint64_t *wrong) {
  buffer_.resize(BytesOf(runs));
  std::vector<ReadRun> reads;
  char *page = buffer_.data();
  for (const PageRecord &run : runs) {
    reads.push_back({run.lpn, run.pages, page});
    page += run.pages * kPageBytes;
  }
  const Status s =
      reads.size() == 1 ? pages_.Read(reads[0].lpn, reads[0].pages, reads[0].data) : pages_.ReadTogether(reads);
  if (!s.ok()) return s;
  for (const ReadRun &read : reads) {
    for (uint64_t i = 0; i < read.pages; i++) {
      if (!IsPageOf(stamps[static_cast<size_t>(read.lpn + i)], read.data + i * kPageBytes)) ++*wrong;
    }
  }
  return s;
}

Status DeviceTarget::Deallocate(const std::vector<PageRecord> &runs) {
  std::vector<PageRun> pages;
  for (const PageRecord &run : runs) pages.push_back({run.lpn, run.pages});
  return pages_.Deallocate(pages);
}

Status DeviceTarget::Remap(const std::vector<PageRecord> &runs, bool *refused) {
  std::vector<RemapRun> remaps;
  uint64_t pages = 0;
  for (const PageRecord &run : runs) {
    remaps.push_back({run.source, run.lpn, run.pages});
    pages += run.pages;
  }
  *refused = remaps.size() > pages_.MaxRemapRuns() || pages > pages_.MaxRemapPages();
  return *refused ? Status::OK() : pages_.Remap(remaps, refused);
}

Status DeviceTarget::BeginUnit(unsigned placement, bool *begun) {
  *begun = pages_.UnitPages() != 0;
  return *begun ? pages_.BeginUnit(placement) : Status::OK();
}

Status DeviceTarget::ReadCounters(orm_remap_log *counters) {
  const int rc = openremap_get_stats(device_, counters);
  if (rc == 0) return Status::OK();
  char words[160];
  return Status::IOError("device counters", openremap_describe(rc, words, sizeof(words)));
}

Status DeviceTarget::Count(orm_remap_log *counters) {
  const Status s = pages_.Flush();
  return s.ok() ? ReadCounters(counters) : s;
}

Status DeviceTarget::Programmed(uint64_t *pages) {
  orm_remap_log log;
  const Status s = ReadCounters(&log);
  if (s.ok()) *pages = openremap_nand_pages(&log) - openremap_nand_pages(&begin_);
  return s;
}

Status DeviceTarget::CountFromNow() { return Count(&begin_); }

Status DeviceTarget::Figures(ReplayFigures *figures) {
  orm_remap_log log;
  const Status s = Count(&log);
  if (!s.ok()) return s;
  const uint64_t programmed = openremap_nand_pages(&log) - openremap_nand_pages(&begin_);
  const uint64_t written = log.host_write_pages - begin_.host_write_pages;
  const std::pair<const char *, uint64_t> counts[] = {
      {"host_write_pages", written},
      {"host_read_pages", log.host_read_pages - begin_.host_read_pages},
      {"nand_program_pages", programmed},
      {"gc_pages", log.nand_program_gc - begin_.nand_program_gc},
      {"wear_pages", log.wear_moved_pages - begin_.wear_moved_pages},
      {"gc_shared_pages", log.gc_moved_shared - begin_.gc_moved_shared},
      {"gc_victims", log.gc_victims - begin_.gc_victims},
      {"metadata_pages", log.nand_program_meta - begin_.nand_program_meta},
      {"padding_pages", log.nand_program_pad - begin_.nand_program_pad},
      {"erases", log.nand_erase - begin_.nand_erase},
  };
  for (const auto &[name, value] : counts) figures->emplace_back(name, FigureOf(value));
  const auto wa2 = static_cast<double>(programmed) / static_cast<double>(written);
  figures->emplace_back("wa2", FigureOf(written != 0 ? wa2 : 0.0));
  figures->emplace_back("device_seconds", FigureOf(static_cast<double>(log.device_ns - begin_.device_ns) * 1e-9));
  return s;
}

}  // namespace openremap
