// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_CHECK_RESULT_H_
#define OPENREMAP_PAGEFS_CHECK_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pagefs/metadata/extents.h"

namespace openremap {

struct CheckedFile {
  std::string name;
  uint64_t inode = 0;
  uint64_t size = 0;  // bytes
  Extents extents;
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

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_CHECK_RESULT_H_
