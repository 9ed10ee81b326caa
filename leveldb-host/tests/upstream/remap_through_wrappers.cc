// SPDX-License-Identifier: Apache-2.0
//
// Linked into db_test on PageFS a third time, with the linker's `--wrap` of RemapEnv::From(): its databases, which have
// an Env of the test's around the default one, remap their tables then. What that Env does to tables, as failing their
// writes, it does not do then; it still does it to logs and manifests, and to tables where this is not linked.
#include "leveldb/env.h"
#include "pagefs_environment.h"
#include "remap_env.h"

// openremap::RemapEnv::From(leveldb::Env *) in the Itanium ABI.
extern "C" {
openremap::RemapEnv *__real__ZN9openremap8RemapEnv4FromEPN7leveldb3EnvE(leveldb::Env *env);
openremap::RemapEnv *__wrap__ZN9openremap8RemapEnv4FromEPN7leveldb3EnvE(leveldb::Env *env);
}

openremap::RemapEnv *__wrap__ZN9openremap8RemapEnv4FromEPN7leveldb3EnvE(leveldb::Env *env) {
  openremap::RemapEnv *const own = __real__ZN9openremap8RemapEnv4FromEPN7leveldb3EnvE(env);
  return own != nullptr ? own : __real__ZN9openremap8RemapEnv4FromEPN7leveldb3EnvE(leveldb::Env::Default());
}

namespace {

const bool wrapped = [] {
  leveldb::EnvWrapper around(leveldb::Env::Default());
  if (openremap::RemapEnv::From(&around) == nullptr) upstream::Fail("RemapEnv::From() is not wrapped");
  return true;
}();

}  // namespace
