// SPDX-License-Identifier: Apache-2.0
#include "prefetching_file.h"

namespace openremap {

// No looking through a wrapper, as RemapEnv::From().
const PrefetchingFile *PrefetchingFile::From(const leveldb::RandomAccessFile *file) {
  return dynamic_cast<const PrefetchingFile *>(file);
}

}  // namespace openremap
