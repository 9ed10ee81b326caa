// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_COPY_H_
#define OPENREMAP_PAGEFS_PAGE_FS_COPY_H_

#include <string>

#include "pagefs/check/check_result.h"
#include "pagefs/device/page_device.h"

namespace openremap {

// Copies the files that CheckPageFs() found into a folder, under their names, so that programs without PageFS can read
// them: /db/CURRENT becomes FOLDER/db/CURRENT. The folder is made; it must not be there, or be empty. Returns one line
// that says what is wrong, or nothing. Names with a part `..` are refused before anything is written.
std::string CopyFiles(PageDevice *device, const PageFsCheck &check, const std::string &folder);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_COPY_H_
