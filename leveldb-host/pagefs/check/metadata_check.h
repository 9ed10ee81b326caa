// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_METADATA_CHECK_H_
#define OPENREMAP_PAGEFS_METADATA_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pagefs/check/check_result.h"
#include "pagefs/device/page_device.h"
#include "pagefs/metadata/metadata_format.h"

namespace openremap {

// Looks at every page of both metadata areas, chooses the area that a mount would, and gives the records that count, in
// order. What is wrong goes to *check, with generation and number of records. Empty when no area counts.
std::vector<Record> CheckMetadata(PageDevice *device, const Superblock &superblock, PageFsCheck *check);

// "page 5", "pages 5 to 9".
std::string PagesText(const PageRun &run);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_METADATA_CHECK_H_
