// SPDX-License-Identifier: Apache-2.0
//
// What names a device to a program that knows of RocksDB's file systems by URI only.
//
//   pagefs://KIND           a new simulated device (model, rtl or soc), which ends with the program
//   pagefs://KIND/FOLDER    the same with its images in the folder /FOLDER, which are made or used again
//   pagefs:///dev/ng0n1     a namespace that Linux drives
//
// Simulated devices and PageFS take options from words NAME=VALUE, as they are in OPENREMAP_PAGEFS: geometry and
// superblocks, as of db_bench, and placement (off, level or table).
#ifndef OPENREMAP_ROCKSPLUGIN_PLUGIN_URI_H_
#define OPENREMAP_ROCKSPLUGIN_PLUGIN_URI_H_

#include <cstdint>
#include <string>

#include "leveldb/status.h"
#include "pagefs/fs/page_fs.h"

namespace openremap {

constexpr char kPluginScheme[] = "pagefs";
constexpr char kPluginOptions[] = "OPENREMAP_PAGEFS";  // the variable

struct PluginTarget {
  std::string kind;       // of a simulated device; empty: a node
  std::string image_dir;  // empty: in memory
  std::string node;
  std::string geometry;
  uint32_t superblocks = 0;
  PageFsOptions mount;
};

// InvalidArgument: the URI names no device, or an option is not known or has no such value.
leveldb::Status ParsePluginUri(const std::string &uri, const std::string &options, PluginTarget *target);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSPLUGIN_PLUGIN_URI_H_
