// SPDX-License-Identifier: Apache-2.0
#include "pagefs/bench/page_fs_bench_device.h"

#include <functional>
#include <utility>

#include "openremap_precondition.h"

namespace openremap {

using leveldb::Status;

Status PageFsBenchDevice::MountOnce(const PageFsOptions &mount) {
  std::unique_ptr<PageFs> fs;
  const Status s = PageFs::Open(top_, &fs, mount);
  if (s.ok()) env_ = std::make_unique<PageFsEnv>(std::move(fs));
  return s;
}

Status PageFsBenchDevice::BringToSteadyState(const BenchDeviceOptions &options) {
  const auto tell = [](void *arg, uint32_t round, uint64_t done, uint64_t pages) {
    const auto &told = *static_cast<const std::function<void(const PreconditionStep &)> *>(arg);
    if (told) told({round, done, pages});
  };
  auto told = options.on_precondition;
  openremap_precondition_result result;
  const int rc = openremap_precondition(device(), options.precondition_seed, tell, &told, &result);
  if (rc != 0) {
    char words[160];
    return Status::IOError("--precondition=on", openremap_describe(rc, words, sizeof(words)));
  }
  rounds_.assign(result.write_amplification, result.write_amplification + result.rounds);
  if (result.steady) return Status::OK();
  char words[OPENREMAP_PRECONDITION_TEXT_BYTES];
  return Status::IOError("--precondition=on", openremap_precondition_text(&result, words, sizeof(words)));
}

bool PageFsBenchDevice::Mount(const BenchDeviceOptions &options, Format format, const std::string &where,
                              const std::string &remedy, OpenFailure *failure) {
  top_ = pages();
  if (options.mapping_unit > 1) {
    coarse_ = std::make_unique<CoarsePageDevice>(top_, options.mapping_unit);
    top_ = coarse_.get();
  }
  if (options.journal != BenchJournal::kOff) {
    journal_ = std::make_unique<JournalPageDevice>(top_, options.journal == BenchJournal::kData);
    top_ = journal_.get();
  }
  if (options.side != BenchSide::kOff) {
    side_ = std::make_unique<SidePageDevice>(top_, options.side == BenchSide::kAll);
    top_ = side_.get();
  }
  timed_ = std::make_unique<TimedPageDevice>(top_, [this] { return openremap_now_ns(device()); });
  top_ = timed_.get();
  PageFsOptions mount;
  mount.format = format;
  mount.placement = options.placement != BenchPlacement::kOff;
  mount.table_units = options.placement == BenchPlacement::kTable;
  mount.align = options.align;
  mount.deallocate = options.deallocate;
  mount.mkfs_discard = options.mkfs_discard;
  mount.allocation = options.allocation == BenchAllocation::kNext ? Allocation::kNext : Allocation::kFirst;
  // Once before preconditioning, too: what is on the device must not be lost.
  for (const bool again : {false, true}) {
    if (again && (!options.precondition || options.trial)) break;
    Status s;
    if (again) {
      env_ = nullptr;
      s = BringToSteadyState(options);
      mount.format = Format::kIfFirstPageBlank;  // the other pages are what it has written
    }
    if (s.ok()) s = MountOnce(mount);
    if (!s.ok()) {
      *failure = {where + ": " + s.ToString(), s.IsNotSupportedError()};
      return false;
    }
    const bool empty = env_->fs()->Names().empty();
    if (empty && options.existing) {
      *failure = {where + ": holds no database", true};
      return false;
    }
    if (!empty && !options.existing) {
      *failure = {where + ": holds a database already; " + remedy, true};
      return false;
    }
  }
  return true;
}

void PageFsBenchDevice::Listen(DeviceCallListener listener) { timed_->Listen(std::move(listener)); }

FileReads PageFsBenchDevice::ReadsOfFiles() const {
  const PageFsStats stats = env_->fs()->GetStats();
  return {stats.data_pages_read, stats.data_spans_read};
}

Status PageFsBenchDevice::ReadStats(DeviceStats *stats) {
  const Status s = DriverBenchDevice::ReadStats(stats);
  if (!s.ok()) return s;
  const PageFsSpace space = env_->fs()->GetSpace();
  stats->bytes_by_cause = env_->GetWrittenBytes();
  if (coarse_ != nullptr) stats->coarse_pages = coarse_->stats().written_pages - coarse_->stats().host_pages;
  if (journal_ != nullptr) stats->journal_pages = journal_->stats().copied_pages + journal_->stats().control_pages;
  if (side_ != nullptr) stats->side_pages = side_->WrittenPages();
  stats->fs_metadata_pages = env_->fs()->GetStats().metadata_pages_written;
  stats->free_pages = space.free_pages;
  stats->largest_free_pages = space.largest_run_pages;
  return s;
}

}  // namespace openremap
