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

// Reads every page of both metadata areas and chooses the area that a mount would choose. Returns its valid records in
// order; none if no area is valid. Adds findings, the generation and the number of records to *check.
std::vector<Record> CheckMetadata(PageDevice *device, const Superblock &superblock, PageFsCheck *check);

// "page 5", "pages 5 to 9".
std::string PagesText(const PageRun &run);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_METADATA_CHECK_H_
