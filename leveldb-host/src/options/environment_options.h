// SPDX-License-Identifier: Apache-2.0
//
// Settings of programs that know nothing of remapping, from environment variables. Only libleveldb.so reads them
// (docs/using/dropin.md).
#ifndef OPENREMAP_LEVELDB_HOST_ENVIRONMENT_OPTIONS_H_
#define OPENREMAP_LEVELDB_HOST_ENVIRONMENT_OPTIONS_H_

#include "leveldb/options.h"
#include "leveldb/status.h"

namespace openremap {

// Completes the options that a database is opened or repaired with. InvalidArgument: a variable has an unknown value.
// In the static library it changes nothing. Thread-safe.
#ifdef OPENREMAP_STOCK_ABI
leveldb::Status ApplyEnvironment(leveldb::Options *options);
#else
inline leveldb::Status ApplyEnvironment(leveldb::Options *) { return leveldb::Status::OK(); }
#endif

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_ENVIRONMENT_OPTIONS_H_
