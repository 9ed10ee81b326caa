// SPDX-License-Identifier: Apache-2.0
//
// The files of a database by kind.
#ifndef OPENREMAP_LEVELDB_HOST_SOAK_DATABASE_FILES_H_
#define OPENREMAP_LEVELDB_HOST_SOAK_DATABASE_FILES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace openremap {

enum class FileKind : uint8_t { kTable, kLog, kManifest, kInfoLog, kValueLog, kOther };
constexpr size_t kFileKinds = 6;
const char *FileKindName(FileKind kind);

struct FilesOfKind {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

struct DatabaseFiles {
  std::array<FilesOfKind, kFileKinds> kinds;  // by FileKind
  uint64_t newest_manifest = 0;               // its number

  const FilesOfKind &operator[](FileKind kind) const { return kinds.at(static_cast<size_t>(kind)); }
};

// Lists the folder of a database. A file that is removed meanwhile counts as one of 0 bytes.
leveldb::Status ListDatabase(leveldb::Env *env, const std::string &name, DatabaseFiles *files);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SOAK_DATABASE_FILES_H_
