// SPDX-License-Identifier: Apache-2.0
//
// The info log (LOG) of a database, within a size.
#ifndef OPENREMAP_LEVELDB_HOST_INFO_LOG_H_
#define OPENREMAP_LEVELDB_HOST_INFO_LOG_H_

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace openremap {

// Starts the info log of a database: an existing LOG becomes LOG.old, in place of an older one. The same happens again
// whenever LOG has about `max_bytes` bytes, so the two never have more than twice that and a line. If a new LOG cannot
// be made, lines continue to go to the old one, and the next attempt comes after as many bytes again. The Logger is
// thread-safe, and `env` must outlive it.
leveldb::Status NewInfoLog(leveldb::Env *env, const std::string &dbname, uint64_t max_bytes, leveldb::Logger **result);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_INFO_LOG_H_
