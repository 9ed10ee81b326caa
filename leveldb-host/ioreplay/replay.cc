// SPDX-License-Identifier: Apache-2.0
#include "replay.h"

#include <algorithm>
#include <string>

#include "page_stamps.h"
#include "remap_env.h"
#include "side_pages.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr uint64_t kReadBackPages = 256;  // of one read

// The stamps of all pages, and the calls of the trace on the target.
class Replayer {
 public:
  Replayer(ReplayTarget *target, const ReplayOptions &options, ReplayResult *result)
      : target_(target),
        result_(result),
        keeps_(target->KeepsContents()),
        has_side_(std::any_of(options.side.begin(), options.side.end(), [](bool side) { return side; })),
        side_(options.side) {}

  Status Do(const std::vector<PageRecord> &recorded) {
    result_->records += recorded.size();
    uint64_t written = 0, sent = 0;
    for (const PageRecord &record : recorded) {
      if (record.operation != PageOperation::kWrite) continue;
      written += record.pages;
      result_->written_by_kind.at(static_cast<size_t>(record.kind)) += record.pages;
    }
    const std::vector<PageRecord> call = has_side_ ? side_.Filter(recorded) : recorded;
    for (const PageRecord &record : call) {
      if (record.operation == PageOperation::kWrite) sent += record.pages;
    }
    result_->side_pages += written - sent;
    return call.empty() ? Status::OK() : Send(call);
  }

  Status ReadBack(uint64_t pages) {
    MakeRoom(pages);
    PageRecord run;
    run.operation = PageOperation::kRead;
    Status s;
    for (run.lpn = 0; s.ok() && run.lpn < pages; run.lpn += run.pages) {
      run.pages = std::min(kReadBackPages, pages - run.lpn);
      s = Verify({run});
    }
    return s;
  }

 private:
  Status Send(const std::vector<PageRecord> &call) {
    for (const PageRecord &record : call) {
      if (record.HasPages()) MakeRoom(std::max(record.lpn, record.source) + record.pages);
    }
    switch (call.front().operation) {
      case PageOperation::kRead:
        return Read(call);
      case PageOperation::kWrite:
        return Write(call);
      case PageOperation::kFlush:
        if (has_side_ && !unflushed_) return Status::OK();
        unflushed_ = false;
        result_->flushes++;
        return target_->Flush();
      case PageOperation::kDeallocate:
        return Deallocate(call);
      case PageOperation::kRemap:
        return Remap(call);
      case PageOperation::kBeginUnit:
        break;
    }
    bool begun = false;
    const Status s = target_->BeginUnit(call.front().placement, &begun);
    if (begun) result_->units_begun++;
    return s;
  }

  // Only for a target that can tell a wrong page: any other one may have as many pages as there are numbers.
  void MakeRoom(uint64_t pages) {
    if (keeps_ && stamps_.size() < pages) stamps_.resize(static_cast<size_t>(pages), target_->FirstStamp());
  }

  static uint64_t PagesOfCall(const std::vector<PageRecord> &call) {
    uint64_t pages = 0;
    for (const PageRecord &record : call) pages += record.pages;
    return pages;
  }

  Status Verify(const std::vector<PageRecord> &call) {
    for (const PageRecord &record : call) {
      for (uint64_t i = 0; keeps_ && i < record.pages; i++) {
        if (stamps_[static_cast<size_t>(record.lpn + i)] != kAnyStamp) result_->pages_verified++;
      }
    }
    return target_->Read(call, stamps_, &result_->wrong_pages);
  }

  Status Read(const std::vector<PageRecord> &call) {
    result_->read_pages += PagesOfCall(call);
    return Verify(call);
  }

  Status Write(const std::vector<PageRecord> &call) {
    for (const PageRecord &record : call) {
      for (uint64_t i = 0; keeps_ && i < record.pages; i++) stamps_[static_cast<size_t>(record.lpn + i)] = ++newest_;
    }
    result_->written_pages += PagesOfCall(call);
    unflushed_ = true;
    return target_->Write(call, stamps_);
  }

  Status Deallocate(const std::vector<PageRecord> &call) {
    for (const PageRecord &record : call) {
      if (keeps_) std::fill_n(stamps_.begin() + static_cast<std::ptrdiff_t>(record.lpn), record.pages, kNoStamp);
    }
    result_->deallocated_pages += PagesOfCall(call);
    return target_->Deallocate(call);
  }

  void Share(const PageRecord &record) {
    for (uint64_t i = 0; keeps_ && i < record.pages; i++) {
      stamps_[static_cast<size_t>(record.lpn + i)] = stamps_[static_cast<size_t>(record.source + i)];
    }
  }

  // A remap that was refused when it was recorded is followed by the copies that were made instead.
  Status Remap(const std::vector<PageRecord> &call) {
    const bool was_refused = call.front().refused;
    if (was_refused && !target_->Remaps()) return Status::OK();
    bool refused = false;
    Status s = target_->Remap(call, &refused);
    if (!s.ok() || (refused && was_refused)) return s;
    if (!refused) {
      for (const PageRecord &record : call) Share(record);
      result_->remapped_pages += PagesOfCall(call);
      return s;
    }
    for (const PageRecord &record : call) {
      PageRecord read;
      read.operation = PageOperation::kRead;
      read.lpn = record.source;
      read.pages = record.pages;
      if (s.ok()) s = Read({read});
      Share(record);
      PageRecord write = record;
      write.operation = PageOperation::kWrite;
      if (s.ok()) s = target_->Write({write}, stamps_);
      unflushed_ = true;
      result_->written_pages += record.pages;
      result_->written_by_kind.at(static_cast<size_t>(PageKind::kTable)) += record.pages;  // only tables are remapped
      result_->copied_pages += record.pages;
    }
    return s;
  }

  ReplayTarget *const target_;
  ReplayResult *const result_;
  const bool keeps_;  // contents
  const bool has_side_;
  SidePages side_;
  bool unflushed_ = false;  // something was written to the target since its last flush
  std::vector<uint64_t> stamps_;
  uint64_t newest_ = kNoStamp;
};

// Cuts a replay into windows.
class Windows {
 public:
  Windows(uint64_t pages, ReplayTarget *target, ReplayResult *result)
      : pages_(pages), target_(target), result_(result) {}

  // Ends the window if it is full, or if it is the last one.
  Status Note(bool last) {
    const uint64_t written = result_->written_pages - written_;
    if (pages_ == 0 || (written < pages_ && !(last && written != 0))) return Status::OK();
    uint64_t programmed = 0;
    const Status s = target_->Programmed(&programmed);
    if (s.ok()) result_->windows.push_back({written, programmed - programmed_});
    written_ = result_->written_pages;
    programmed_ = programmed;
    return s;
  }

 private:
  const uint64_t pages_;
  ReplayTarget *const target_;
  ReplayResult *const result_;
  uint64_t written_ = 0, programmed_ = 0;  // before this window
};

}  // namespace

Status Replay(MergedTrace *trace, ReplayTarget *target, const ReplayOptions &options,
              const std::function<void(uint64_t done)> &progress, ReplayResult *result) {
  Replayer replayer(target, options, result);
  Windows windows(options.window_pages, target, result);
  Status s;
  for (bool end = false; s.ok() && !end;) {
    std::vector<PageRecord> call;
    s = trace->Next(&call, &end);
    if (!s.ok() || end) continue;
    s = replayer.Do(call);
    if (s.ok()) s = windows.Note(false);
    if (progress) progress(result->records);
  }
  if (s.ok()) s = target->Figures(&result->figures);
  if (s.ok()) s = windows.Note(true);
  if (s.ok() && options.read_back && target->KeepsContents()) s = replayer.ReadBack(trace->UsedPages());
  return s;
}

}  // namespace openremap
