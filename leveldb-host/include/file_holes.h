// SPDX-License-Identifier: Apache-2.0
//
// Holes in files, on any file layer that can make them.
#ifndef OPENREMAP_LEVELDB_HOST_FILE_HOLES_H_
#define OPENREMAP_LEVELDB_HOST_FILE_HOLES_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace openremap {

// RemapEnv::PunchHole() of the file layer behind `env`, or PunchFileHole() if `env` is LevelDB's own. NotSupported for
// any other Env.
leveldb::Status PunchHole(leveldb::Env *env, const std::string &fname, uint64_t first, uint64_t pages);

// The same for a file of the kernel's file systems: FALLOC_FL_PUNCH_HOLE. Pages are those of kPageBytes; where the file
// system has larger blocks, it frees whole ones. Durable as its other changes of metadata are. Errors as those of
// RemapEnv::PunchHole(), and IOError.
leveldb::Status PunchFileHole(const std::string &fname, uint64_t first, uint64_t pages);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_FILE_HOLES_H_
