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

// What CheckPageFs found, a line each.
struct PageFsCheck {
  std::vector<std::string> findings;  // damage: no sequence of calls and power cuts leaves such a thing
  std::vector<std::string> notes;     // what a power cut leaves and the next mount clears away
  bool formatted = false;             // false without findings: page 0 reads zero, a mount would format the device
  bool clean = false;                 // the last mount ended in order
  uint64_t device_pages = 0;
  uint64_t area_pages = 0;         // of each metadata area
  uint64_t generation = 0;         // of the metadata that counts
  uint64_t records = 0;            // that count
  uint64_t used_pages = 0;         // of the pages for file data, by files
  uint64_t free_pages = 0;         // the others
  std::vector<PageRun> free_runs;  // these, as runs in order
  std::vector<CheckedFile> files;  // by name
};

// Checks the file system that a device holds as a power cut now would leave it, without writing: superblock, metadata
// pages and records, sizes, extents, who owns which page. Of the mount's code it shares the formats only, and it goes on
// where a mount gives up. Files may be open: what is in their buffers does not count. `read_files`: reads every page of
// every file as well.
PageFsCheck CheckPageFs(PageDevice *device, bool read_files = false);

// For people: where all pages of the device are.
std::string SpaceText(const PageFsCheck &check);

// For people: the notes, the findings, a summary; `list`: all files with their extents before it.
std::string ToText(const PageFsCheck &check, bool list);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_
