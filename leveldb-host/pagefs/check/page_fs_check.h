// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_
#define OPENREMAP_PAGEFS_PAGE_FS_CHECK_H_

#include <string>

#include "pagefs/check/check_result.h"
#include "pagefs/device/page_device.h"

namespace openremap {

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
