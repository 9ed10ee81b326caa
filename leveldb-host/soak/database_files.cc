// SPDX-License-Identifier: Apache-2.0
#include "database_files.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace openremap {

using leveldb::Status;

namespace {

bool StartsWith(const std::string &name, const std::string &start) { return name.compare(0, start.size(), start) == 0; }

bool EndsWith(const std::string &name, const std::string &end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

constexpr char kManifestPrefix[] = "MANIFEST-";

FileKind KindOf(const std::string &name) {
  if (EndsWith(name, ".ldb") || EndsWith(name, ".sst")) return FileKind::kTable;
  if (EndsWith(name, ".log")) return FileKind::kLog;
  if (EndsWith(name, ".vlog")) return FileKind::kValueLog;
  if (StartsWith(name, kManifestPrefix)) return FileKind::kManifest;
  if (name == "LOG" || name == "LOG.old") return FileKind::kInfoLog;
  return FileKind::kOther;
}

}  // namespace

const char *FileKindName(FileKind kind) {
  constexpr std::array<const char *, kFileKinds> kNames = {"tables",    "logs",      "manifests",
                                                           "info logs", "value log", "other files"};
  return kNames.at(static_cast<size_t>(kind));
}

Status ListDatabase(leveldb::Env *env, const std::string &name, DatabaseFiles *files) {
  *files = DatabaseFiles();
  std::vector<std::string> children;
  const Status s = env->GetChildren(name, &children);
  for (const std::string &child : children) {
    if (child == "." || child == "..") continue;
    uint64_t size = 0;
    if (!env->GetFileSize(name + "/" + child, &size).ok()) size = 0;
    const FileKind kind = KindOf(child);
    FilesOfKind &all = files->kinds.at(static_cast<size_t>(kind));
    all.files++;
    all.bytes += size;
    if (kind == FileKind::kManifest) {
      const char *digits = child.c_str() + sizeof(kManifestPrefix) - 1;
      files->newest_manifest = std::max<uint64_t>(files->newest_manifest, std::strtoull(digits, nullptr, 10));
    }
  }
  return s;
}

}  // namespace openremap
