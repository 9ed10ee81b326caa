// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/io_status.h"

#include <string>

#include "remap_env.h"

namespace openremap {

using rocksdb::IOStatus;

IOStatus ToIoStatus(const leveldb::Status &s) {
  if (s.ok()) return IOStatus::OK();
  // LevelDB's text begins with the kind, which RocksDB puts before it once more.
  std::string text = s.ToString();
  const size_t colon = text.find(": ");
  if (colon != std::string::npos) text.erase(0, colon + 2);
  if (IsNoSpaceLeft(s)) return IOStatus::NoSpace(text);
  if (s.IsNotFound()) return IOStatus::NotFound(text);
  if (s.IsCorruption()) return IOStatus::Corruption(text);
  if (s.IsNotSupportedError()) return IOStatus::NotSupported(text);
  if (s.IsInvalidArgument()) return IOStatus::InvalidArgument(text);
  return IOStatus::IOError(text);
}

}  // namespace openremap
