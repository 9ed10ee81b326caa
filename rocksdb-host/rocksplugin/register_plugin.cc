// SPDX-License-Identifier: Apache-2.0
//
// Tells RocksDB of the URIs of plugin_uri.h when the library is loaded, so that programs with an option --fs_uri or
// with FileSystem::CreateFromString() can use the device.
#include <cstdlib>
#include <memory>
#include <string>

#include "rocksdb/file_system.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksplugin/mounted_file_system.h"
#include "rocksplugin/plugin_uri.h"

namespace openremap {
namespace {

using rocksdb::FileSystem;
using rocksdb::ObjectLibrary;

FileSystem *Make(const std::string &uri, std::unique_ptr<FileSystem> *guard, std::string *error) {
  const char *options = secure_getenv(kPluginOptions);
  PluginTarget target;
  std::unique_ptr<MountedFileSystem> mounted;
  leveldb::Status s = ParsePluginUri(uri, options != nullptr ? options : "", &target);
  if (s.ok()) s = MountedFileSystem::Open(target, &mounted);
  if (!s.ok()) {
    *error = s.ToString();
    return nullptr;
  }
  *guard = std::move(mounted);
  return guard->get();
}

[[gnu::constructor]] void Register() {
  ObjectLibrary::Default()->AddFactory<FileSystem>(
      ObjectLibrary::PatternEntry(kPluginScheme, /*optional=*/false).AddSeparator("://"), Make);
}

}  // namespace
}  // namespace openremap
