// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/page_fs_format.h"

#include <algorithm>
#include <string>

#include "pagefs/metadata/metadata_log.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

// A metadata area of 1/64 of the device: room for the log between two checkpoints, at 3 % of the pages for both areas.
constexpr uint64_t kAreaShare = 64;
constexpr uint64_t kMinAreaPages = 8;
constexpr uint64_t kMaxAreaPages = 4096;
constexpr uint64_t kMinDataPages = 16;

// At either end, where others keep their superblocks: LVM from 512 bytes on, ext4 at 1 KiB, md and bcache at 4 KiB,
// btrfs at 64 KiB; GPT's copy, md 0.90 and 1.0, and firmware RAIDs at the end; ZFS at both.
constexpr uint64_t kEndPages = (1 << 20) / kPageBytes;

uint64_t AreaPages(uint64_t pages) { return std::clamp(pages / kAreaShare, kMinAreaPages, kMaxAreaPages); }

bool IsZero(const char *page) {
  return std::all_of(page, page + kPageBytes, [](char c) { return c == '\0'; });
}

// The only page that a format writes before the superblock: the checkpoint of no files in page 1.
bool IsOfInterruptedFormat(uint64_t lpn, const char *page) {
  MetadataPageHeader header;
  Slice payload;
  return lpn == 1 && DecodeMetadataPage(page, &header, &payload) && header.index == 0 && header.checkpoint_pages == 1 &&
         header.first_record == 1 && payload.empty();
}

// Looks for a page that holds something. *found: its number; 0, which is looked at elsewhere: none.
Status FindForeign(PageDevice *device, uint64_t first, uint64_t end, uint64_t *found) {
  std::string pages;
  for (uint64_t lpn = first; lpn < end; lpn += kEndPages) {
    const uint64_t part = std::min(kEndPages, end - lpn);
    pages.resize(static_cast<size_t>(part * kPageBytes));
    Status s = device->Read(lpn, part, &pages[0]);
    if (!s.ok()) return s;
    for (uint64_t i = 0; i < part; i++) {
      const char *page = pages.data() + i * kPageBytes;
      if (IsZero(page) || IsOfInterruptedFormat(lpn + i, page)) continue;
      *found = lpn + i;
      return s;
    }
  }
  return Status::OK();
}

}  // namespace

Status ToBeFormatted(PageDevice *device, Format format, std::string *first, bool *wanted) {
  first->assign(kPageBytes, '\0');
  Status s = device->Read(0, 1, &(*first)[0]);
  if (!s.ok() && format == Format::kAlways) {
    first->assign(kPageBytes, '\xFF');  // something to be overwritten
    s = Status::OK();
  }
  if (!s.ok()) return s;
  *wanted = format == Format::kAlways || IsZero(first->data());
  if (!*wanted || format != Format::kIfBlank) return s;
  const uint64_t pages = device->Pages();
  const uint64_t front = std::min(pages, std::max(kEndPages, 1 + 2 * AreaPages(pages)));
  uint64_t found = 0;
  s = FindForeign(device, 1, front, &found);
  if (s.ok() && found == 0) s = FindForeign(device, std::max(front, pages - std::min(pages, kEndPages)), pages, &found);
  if (!s.ok() || found == 0) return s;
  return Status::Corruption("PageFS", "the device holds something else: no superblock in page 0, but page " +
                                          std::to_string(found) +
                                          " is not blank; deallocate or format all of it, or use pagefs-node format");
}

// The superblock goes last: a power cut before it leaves a device that reads as never formatted.
Status FormatDevice(PageDevice *device, bool deallocate, const std::string &first, Superblock *superblock) {
  superblock->pages = device->Pages();
  superblock->area_pages = AreaPages(superblock->pages);
  if (superblock->pages < 1 + 2 * superblock->area_pages + kMinDataPages) {
    return Status::InvalidArgument("PageFS",
                                   "a device of " + std::to_string(superblock->pages) + " pages is too small");
  }
  Status s;
  std::string page(kPageBytes, '\0');
  if (!IsZero(first.data())) {
    // An older superblock would name areas that are wiped.
    s = device->Write({{0, 1, page.data(), 0, PageKind::kMetadata}}, /*durable=*/true);
  }
  if (s.ok()) s = MetadataLog(device, 1, superblock->area_pages).Format(deallocate);
  if (!s.ok()) return s;
  page = superblock->Encode();
  return device->Write({{0, 1, page.data(), 0, PageKind::kMetadata}}, /*durable=*/true);
}

}  // namespace openremap
