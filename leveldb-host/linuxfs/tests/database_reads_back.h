// SPDX-License-Identifier: Apache-2.0
//
// A database over a file layer, with a reader beside the puts and compactions.
#ifndef OPENREMAP_LINUXFS_TESTS_DATABASE_READS_BACK_H_
#define OPENREMAP_LINUXFS_TESTS_DATABASE_READS_BACK_H_

#include <string>

#include "leveldb/env.h"
#include "remap_options.h"

namespace openremap {

// Puts, compacts, closes, opens again and compares: what compactions keep is what was put. Fails the test where it is
// not.
void DatabaseReadsBack(leveldb::Env *env, const std::string &name, RemapMode mode);

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_TESTS_DATABASE_READS_BACK_H_
