// SPDX-License-Identifier: Apache-2.0
//
// What a program that knows nothing of remapping sets by environment variables. Only libleveldb.so reads them (docs/using/dropin.md).
#ifndef OPENREMAP_LEVELDB_HOST_ENVIRONMENT_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_ENVIRONMENT_OPTIONS_H_

#include "leveldb/options.h"
#include "leveldb/status.h"

namespace openremap {

// Completes the options that a database is opened or repaired with. InvalidArgument: a variable has a value that is none.
// Thread-safe. In the static library the options are what the program made them.
#ifdef OPENREMAP_STOCK_ABI
leveldb::Status ApplyEnvironment(leveldb::Options *options);
#else
inline leveldb::Status ApplyEnvironment(leveldb::Options *) { return leveldb::Status::OK(); }
#endif

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_ENVIRONMENT_OPTIONS_H_
