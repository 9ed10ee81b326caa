// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_JOURNAL_PAGE_DEVICE_H_
#define OPENREMAP_PAGEFS_JOURNAL_PAGE_DEVICE_H_

#include <cstdint>
#include <vector>

#include "pagefs/device/passing_page_device.h"

namespace openremap {

// What a journal costs, in pages.
struct JournalStats {
  uint64_t copied_pages = 0;   // that were written to the journal, too
  uint64_t control_pages = 0;  // descriptors and commits
};

// Writes what a journalling file system writes beside the pages themselves. It costs what a journal costs and protects
// nothing: PageFS has a log of its own, so the journal is never read.
//
// As ext3 and ext4 do:
//  * A transaction in the journal is a descriptor, copies of pages, and a commit. A descriptor names up to kTags
//    pages; more take another one.
//  * A durable write commits the transaction: PageFS ends a sync with one, after its flush. So does a transaction of a
//    quarter of the journal.
//  * The journal is a ring of 1/192 of the device, ext4's 128 MiB of 24 GiB, and of kLeastPages at least. It lies
//    behind all other pages, and the device above does not offer it.
//
// Pages go to the journal and to their place side by side. A file system writes their places later, and a page that
// changes several times within a transaction only once; PageFS changes few.
//
// Does not own the device below. Not thread-safe.
class JournalPageDevice : public PassingPageDevice {
 public:
  static constexpr uint64_t kShare = 192;      // of the device
  static constexpr uint64_t kLeastPages = 32;  // of the journal
  static constexpr uint64_t kTags = 508;       // ext4: (4096 - 12 - 16) / 8

  // `data`: all pages are copied, as by data=journal; otherwise those of the file system's metadata alone.
  // REQUIRES: the device has more than kLeastPages.
  JournalPageDevice(PageDevice *below, bool data);
  ~JournalPageDevice() override;
  JournalPageDevice(const JournalPageDevice &) = delete;
  JournalPageDevice &operator=(const JournalPageDevice &) = delete;

  const JournalStats &stats() const { return stats_; }
  uint64_t JournalPages() const { return ring_; }

  uint64_t Pages() const override { return below_->Pages() - ring_; }
  leveldb::Status Write(const std::vector<WriteRun> &runs, bool durable) override;

 private:
  bool IsCopied(const WriteRun &run) const { return data_ || run.kind == PageKind::kMetadata; }
  void Append(const char *data, uint64_t pages, std::vector<WriteRun> *out);
  void AppendControl(std::vector<WriteRun> *out);
  void Copy(const WriteRun &run, std::vector<WriteRun> *out);
  void Commit(std::vector<WriteRun> *out);

  const bool data_;
  const uint64_t ring_;  // pages of the journal
  char *const control_;  // contents of a descriptor or a commit, which nobody reads
  uint64_t next_ = 0;    // within the ring
  uint64_t open_ = 0;    // copies of the transaction that is not committed
  JournalStats stats_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_JOURNAL_PAGE_DEVICE_H_
