// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_
#define OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pagefs/device/page_device.h"
#include "remap_env.h"

namespace openremap {

struct CheckedFile {
  std::string name;
  uint64_t inode = 0;
  uint64_t size = 0;  // bytes
  std::vector<PageRun> extents;
};

// The result of CheckPageFs. Findings and notes are one line each.
struct PageFsCheck {
  std::vector<std::string> findings;  // damage, which no sequence of calls and power cuts can cause
  std::vector<std::string> notes;     // remains of a power cut, which the next mount cleans up
  bool formatted = false;             // false without findings: page 0 reads zero, so a mount would format the device
  bool clean = false;                 // the last mount was unmounted cleanly
  uint64_t device_pages = 0;
  uint64_t area_pages = 0;         // of each metadata area
  uint64_t generation = 0;         // of the valid metadata
  uint64_t records = 0;            // number of valid records
  uint64_t used_pages = 0;         // data pages that files use
  uint64_t free_pages = 0;         // data pages that are free
  std::vector<PageRun> free_runs;  // the free pages as runs, in order
  std::vector<CheckedFile> files;  // sorted by name
};

// Checks the file system on a device, without writing, in the state that a power cut now would leave: superblock,
// metadata pages and records, sizes, extents, and the owner of each page. Shares only the formats with the code of the
// mount, and continues where a mount gives up. Files may be open; their buffers are ignored. `read_files`: also reads
// every page of every file.
PageFsCheck CheckPageFs(PageDevice *device, bool read_files = false);

// A readable summary of how the device's pages are used.
std::string SpaceText(const PageFsCheck &check);

// A readable report of notes, findings and a summary; with `list`, all files with their extents first.
std::string ToText(const PageFsCheck &check, bool list);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_
