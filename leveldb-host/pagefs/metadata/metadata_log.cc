// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/metadata_log.h"

#include <algorithm>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

// The largest generation of any page that can be read, complete checkpoint or not: a checkpoint that a power cut tore
// leaves pages of its generation behind, and a second attempt under the same number could mix with them.
uint64_t NewestGeneration(const std::string &area) {
  uint64_t newest = 0;
  for (size_t at = 0; at + kPageBytes <= area.size(); at += kPageBytes) {
    MetadataPageHeader header;
    Slice payload;
    if (DecodeMetadataPage(area.data() + at, &header, &payload)) newest = std::max(newest, header.generation);
  }
  return newest;
}

// Pages up to the last one that holds anything: also what a torn write or an older file system left counts as in use.
uint64_t PagesHeld(const std::string &area) {
  const size_t last = area.find_last_not_of('\0');
  return last == std::string::npos ? 0 : last / kPageBytes + 1;
}

}  // namespace

MetadataLog::MetadataLog(PageDevice *device, uint64_t first, uint64_t area_pages)
    : device_(device), first_(first), area_pages_(area_pages) {}

// For a format, which replaces them: a page that cannot be read counts as one that holds something.
void MetadataLog::ReadWhatCanBe(std::vector<std::string> *areas) {
  for (unsigned area : {0u, 1u}) {
    areas->at(area).resize(static_cast<size_t>(area_pages_ * kPageBytes));
    char *const data = &areas->at(area)[0];
    if (device_->Read(AreaStart(area), area_pages_, data).ok()) continue;
    for (uint64_t i = 0; i < area_pages_; i++) {
      char *const page = data + i * kPageBytes;
      if (!device_->Read(AreaStart(area) + i, 1, page).ok()) std::fill_n(page, kPageBytes, '\xFF');
    }
  }
}

Status MetadataLog::Format(bool deallocate) {
  area_ = 1;  // so that the first checkpoint goes to area 0
  generation_ = 0;
  Status s;
  std::vector<std::string> areas(2);
  ReadWhatCanBe(&areas);
  bool held = false;
  for (const std::string &area : areas) {
    // An older file system's checkpoints must lose against the first of this one.
    generation_ = std::max(generation_, NewestGeneration(area));
    held = held || PagesHeld(area) != 0;
  }
  // What is not PageFS's would read as damage ever after.
  if (deallocate) s = device_->Deallocate({{first_, 2 * area_pages_}});
  if (s.ok() && held) s = OverwriteAreas();
  if (!s.ok()) return s;
  bool too_big = false;
  // Without kClean: the first mount deallocates whatever the device held before.
  return Checkpoint({}, &too_big);
}

// Of a device that keeps some of what is deallocated, and without Deallocate. Pages that read zero stay.
Status MetadataLog::OverwriteAreas() {
  std::vector<std::string> areas(2);
  ReadWhatCanBe(&areas);
  const std::string zeroes(kPageBytes, '\0');
  std::vector<WriteRun> held;
  for (unsigned area : {0u, 1u}) {
    for (uint64_t i = 0; i < area_pages_; i++) {
      if (areas[area].compare(static_cast<size_t>(i * kPageBytes), kPageBytes, zeroes) == 0) continue;
      held.push_back({AreaStart(area) + i, 1, zeroes.data(), 0, PageKind::kMetadata});
    }
  }
  return held.empty() ? Status::OK() : device_->Write(held, /*durable=*/true);
}

MetadataPageHeader MetadataLog::Header(uint64_t index, uint64_t first_record) const {
  MetadataPageHeader header;
  header.generation = generation_;
  header.first_record = first_record;
  header.index = static_cast<uint32_t>(index);
  header.checkpoint_pages = checkpoint_pages_;
  header.version = version_;
  return header;
}

Status MetadataLog::WritePages(unsigned area, uint64_t index, const std::vector<std::string> &pages) {
  std::vector<WriteRun> runs;
  for (size_t i = 0; i < pages.size(); i++) {
    runs.push_back({AreaStart(area) + index + i, 1, pages[i].data(), 0, PageKind::kMetadata});
  }
  pages_written_ += pages.size();
  high_water_[area] = std::max<uint64_t>(high_water_[area], index + pages.size());
  return device_->Write(runs, /*durable=*/true);
}

Status MetadataLog::Append(const std::vector<Record> &records, bool *full) {
  *full = false;
  if (records.empty()) return Status::OK();
  // Packed on copies: nothing changes here until the device has taken the pages.
  std::string tail = tail_;
  uint64_t tail_index = tail_index_;
  uint64_t tail_first_record = tail_first_record_;
  uint64_t next_record = next_record_;
  std::vector<std::string> pages;
  for (const Record &record : records) {
    const std::string bytes = record.Encode();
    if (tail.size() + bytes.size() > kMetadataPayloadBytes) {
      pages.push_back(EncodeMetadataPage(Header(tail_index, tail_first_record), tail));
      tail.clear();
      tail_index++;
      tail_first_record = next_record;
    }
    tail += bytes;
    next_record++;
  }
  if (tail_index >= area_pages_) {
    *full = true;
    return Status::OK();
  }
  pages.push_back(EncodeMetadataPage(Header(tail_index, tail_first_record), tail));
  Status s = WritePages(area_, tail_index_, pages);
  if (!s.ok()) return s;
  tail_ = std::move(tail);
  tail_index_ = tail_index;
  tail_first_record_ = tail_first_record;
  next_record_ = next_record;
  return s;
}

Status MetadataLog::Checkpoint(const std::vector<Record> &records, bool *too_big) {
  std::vector<std::string> payloads(1);
  std::vector<uint64_t> first_records(1, next_record_);
  uint64_t next_record = next_record_;
  for (const Record &record : records) {
    const std::string bytes = record.Encode();
    if (payloads.back().size() + bytes.size() > kMetadataPayloadBytes) {
      payloads.emplace_back();
      first_records.push_back(next_record);
    }
    payloads.back() += bytes;
    next_record++;
  }
  *too_big = payloads.size() >= area_pages_;
  if (*too_big) return Status::OK();
  generation_++;
  checkpoint_pages_ = static_cast<uint32_t>(payloads.size());
  area_ ^= 1;
  std::vector<std::string> pages;
  for (size_t i = 0; i < payloads.size(); i++) {
    pages.push_back(EncodeMetadataPage(Header(i, first_records[i]), payloads[i]));
  }
  Status s = WritePages(area_, 0, pages);
  next_record_ = next_record;
  tail_index_ = checkpoint_pages_;
  tail_first_record_ = next_record;
  tail_.clear();
  return s;
}

Status MetadataLog::ReadArea(unsigned area, std::string *bytes, MetadataPageHeader *header, bool *valid) {
  *valid = false;
  bytes->resize(static_cast<size_t>(area_pages_ * kPageBytes));
  Status s = device_->Read(AreaStart(area), area_pages_, &(*bytes)[0]);
  if (!s.ok()) return s;
  Slice payload;
  if (!DecodeMetadataPage(bytes->data(), header, &payload) || header->index != 0) return s;
  if (header->checkpoint_pages == 0 || header->checkpoint_pages >= area_pages_) return s;
  for (uint64_t i = 1; i < header->checkpoint_pages; i++) {
    MetadataPageHeader other;
    if (!DecodeMetadataPage(bytes->data() + i * kPageBytes, &other, &payload)) return s;
    if (other.generation != header->generation || other.index != i) return s;
  }
  *valid = true;
  return s;
}

Status MetadataLog::Replay(const std::function<Status(const Record &)> &apply, bool *clean) {
  std::string bytes[2];
  MetadataPageHeader headers[2];
  bool valid[2];
  for (unsigned area : {0u, 1u}) {
    Status s = ReadArea(area, &bytes[area], &headers[area], &valid[area]);
    if (!s.ok()) return s;
  }
  if (!valid[0] && !valid[1]) return Status::Corruption("PageFS", "no complete metadata checkpoint");
  area_ = valid[0] && (!valid[1] || headers[0].generation > headers[1].generation) ? 0 : 1;
  generation_ = headers[area_].generation;
  checkpoint_pages_ = headers[area_].checkpoint_pages;
  next_record_ = headers[area_].first_record;

  *clean = false;
  for (uint64_t i = 0; i < area_pages_; i++) {
    MetadataPageHeader header;
    Slice payload;
    if (!DecodeMetadataPage(bytes[area_].data() + i * kPageBytes, &header, &payload)) break;
    if (header.generation != generation_ || header.index != i || header.first_record != next_record_) break;
    while (!payload.empty()) {
      Record record;
      Status s = record.Decode(&payload);
      if (s.ok()) s = apply(record);
      if (!s.ok()) return s;
      next_record_++;
      *clean = record.type == RecordType::kClean;
    }
  }
  for (unsigned area : {0u, 1u}) high_water_[area] = PagesHeld(bytes[area]);
  generation_ = std::max(NewestGeneration(bytes[0]), NewestGeneration(bytes[1]));
  tail_index_ = area_pages_;  // nothing may be appended before that checkpoint
  tail_.clear();
  return Status::OK();
}

}  // namespace openremap
