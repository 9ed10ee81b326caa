// SPDX-License-Identifier: Apache-2.0
//
// How a device gets a file system, and which devices get one without being asked for it.
#ifndef OPENREMAP_PAGEFS_PAGE_FS_FORMAT_H_
#define OPENREMAP_PAGEFS_PAGE_FS_FORMAT_H_

#include <string>

#include "leveldb/status.h"
#include "pagefs/device/page_device.h"
#include "pagefs/metadata/metadata_format.h"

namespace openremap {

// Which devices a mount makes a new file system on.
enum class Format {
  // Those without a trace of anything: the first and the last MiB and the metadata areas read zero. All usual file
  // systems, partition tables, RAIDs and volume managers keep something there, though often not in page 0.
  kIfBlank,
  // Those whose first page reads zero. For devices that nothing but PageFS uses, and which tests and measurements fill.
  kIfFirstPageBlank,
  // All. What is there is lost.
  kAlways,
};

// Whether a mount is to make a file system, by the rule. *first: page 0. Corruption: the device holds something else.
leveldb::Status ToBeFormatted(PageDevice *device, Format format, std::string *first, bool *wanted);

// Makes an empty file system on a device whose page 0 is `first`. `deallocate`: the metadata areas are deallocated
// rather than overwritten; the other pages stay as they are. After a power cut there is none, and what kIfBlank took
// for blank it takes for blank again. InvalidArgument: the device is too small.
leveldb::Status FormatDevice(PageDevice *device, bool deallocate, const std::string &first, Superblock *superblock);

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_FORMAT_H_
