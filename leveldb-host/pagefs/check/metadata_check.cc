// SPDX-License-Identifier: Apache-2.0
#include "pagefs/check/metadata_check.h"

#include <algorithm>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

struct MetadataPage {
  enum { kBlank, kGood, kBad } state = kBlank;
  MetadataPageHeader header;
  Slice payload;  // into the area's bytes
};

class Area {
 public:
  Area(PageDevice *device, unsigned number, const Superblock &superblock, PageFsCheck *check)
      : check_(check),
        number_(number),
        first_(1 + number * superblock.area_pages),
        version_(superblock.version),
        bytes_(static_cast<size_t>(superblock.area_pages * kPageBytes), '\0'),
        pages_(superblock.area_pages) {
    const bool whole = device->Read(first_, superblock.area_pages, &bytes_[0]).ok();
    for (uint64_t i = 0; i < pages_.size(); i++) {
      const Status s = whole ? Status::OK() : device->Read(first_ + i, 1, &bytes_[i * kPageBytes]);
      Classify(i, s);
    }
  }

  // As a mount sees it.
  bool Complete() const { return Complete(pages_[0].header.generation); }
  uint64_t Generation() const { return pages_[0].header.generation; }

  // The records from the checkpoint on, up to the page that does not follow.
  std::vector<Record> Records() {
    const uint64_t checkpoint_pages = pages_[0].header.checkpoint_pages;
    std::vector<Record> records;
    uint64_t next_record = pages_[0].header.first_record;
    uint64_t at = 0;
    for (; at < pages_.size() && Follows(pages_[at], next_record); at++) {
      if (pages_[at].header.checkpoint_pages != checkpoint_pages) {
        Finding(at, "says that the checkpoint has " + std::to_string(pages_[at].header.checkpoint_pages) +
                        " pages, its first page says " + std::to_string(checkpoint_pages));
      }
      Slice payload = pages_[at].payload;
      while (!payload.empty()) {
        Record record;
        const Status s = record.Decode(&payload);
        if (!s.ok()) {
          Finding(at, "record " + std::to_string(next_record) + " is malformed");
          return records;
        }
        records.push_back(std::move(record));
        next_record++;
      }
    }
    if (at < checkpoint_pages) Finding(at, "the checkpoint ends before it: the files of the rest are lost");
    for (; at < pages_.size(); at++) {
      if (pages_[at].state == MetadataPage::kGood && pages_[at].header.generation == Generation()) {
        check_->notes.push_back(Place(at) + "outlived the page before it in a power cut; does not count");
      }
    }
    return records;
  }

  // Of the area that does not count: `current` is the generation that does.
  void CheckLeftover(uint64_t current) {
    uint64_t newest = 0;
    for (const MetadataPage &page : pages_) {
      if (page.state == MetadataPage::kGood) newest = std::max(newest, page.header.generation);
    }
    if (newest == current) Finding(0, "generation " + std::to_string(newest) + " is in both areas");
    if (newest <= current) return;
    check_->notes.push_back("metadata area " + std::to_string(number_) + ": an incomplete checkpoint of generation " +
                            std::to_string(newest) + ", as a power cut leaves it; does not count");
    for (uint64_t at = 0; at < pages_.size(); at++) {
      const MetadataPage &page = pages_[at];
      if (page.state != MetadataPage::kGood || page.header.generation <= current) continue;
      // The log goes on behind a checkpoint when that is complete, not before.
      if (at >= page.header.checkpoint_pages) {
        Finding(at, "belongs to the log of generation " + std::to_string(page.header.generation) +
                        ", whose checkpoint is damaged");
      }
    }
  }

  void Finding(uint64_t at, const std::string &what) { check_->findings.push_back(Place(at) + what); }

 private:
  void Classify(uint64_t at, const Status &read) {
    MetadataPage &page = pages_[at];
    const char *bytes = bytes_.data() + at * kPageBytes;
    if (!read.ok()) {
      page.state = MetadataPage::kBad;
      Finding(at, "cannot be read: " + read.ToString());
    } else if (DecodeMetadataPage(bytes, &page.header, &page.payload)) {
      page.state = MetadataPage::kGood;
      if (page.header.index != at) Finding(at, "says that it is page " + std::to_string(page.header.index));
      if (page.header.version > version_) {
        Finding(at, "is of version " + std::to_string(page.header.version) + ", the superblock says " +
                        std::to_string(version_));
      }
    } else if (!std::all_of(bytes, bytes + kPageBytes, [](char c) { return c == '\0'; })) {
      page.state = MetadataPage::kBad;
      Finding(at, "neither blank nor a metadata page with a good checksum");
    }
  }

  bool Complete(uint64_t generation) const {
    const MetadataPageHeader &first = pages_[0].header;
    if (pages_[0].state != MetadataPage::kGood || first.index != 0) return false;
    if (first.checkpoint_pages == 0 || first.checkpoint_pages >= pages_.size()) return false;
    for (uint64_t i = 1; i < first.checkpoint_pages; i++) {
      const MetadataPage &page = pages_[i];
      if (page.state != MetadataPage::kGood || page.header.generation != generation || page.header.index != i) {
        return false;
      }
    }
    return true;
  }

  bool Follows(const MetadataPage &page, uint64_t next_record) const {
    const auto at = static_cast<uint64_t>(&page - pages_.data());
    return page.state == MetadataPage::kGood && page.header.generation == Generation() && page.header.index == at &&
           page.header.first_record == next_record;
  }

  std::string Place(uint64_t at) const {
    return "metadata area " + std::to_string(number_) + ", page " + std::to_string(at) + " (LPN " +
           std::to_string(first_ + at) + "): ";
  }

  PageFsCheck *const check_;
  const unsigned number_;
  const uint64_t first_;
  const uint32_t version_;
  std::string bytes_;
  std::vector<MetadataPage> pages_;
};

}  // namespace

std::vector<Record> CheckMetadata(PageDevice *device, const Superblock &superblock, PageFsCheck *check) {
  Area areas[] = {{device, 0, superblock, check}, {device, 1, superblock, check}};
  if (!areas[0].Complete() && !areas[1].Complete()) {
    check->findings.push_back("no metadata area has a complete checkpoint: the file system cannot be mounted");
    return {};
  }
  const bool first = areas[0].Complete() && (!areas[1].Complete() || areas[0].Generation() > areas[1].Generation());
  Area &current = areas[first ? 0 : 1];
  check->generation = current.Generation();
  areas[first ? 1 : 0].CheckLeftover(current.Generation());
  std::vector<Record> records = current.Records();
  check->records = records.size();
  return records;
}

std::string PagesText(const PageRun &run) {
  const std::string first = std::to_string(run.lpn);
  return run.pages == 1 ? "page " + first : "pages " + first + " to " + std::to_string(run.lpn + run.pages - 1);
}

}  // namespace openremap
