// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_
#define OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_

#include <string>

#include "pagefs/check/check_result.h"
#include "pagefs/device/page_device.h"

namespace openremap {

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
