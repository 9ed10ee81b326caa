// SPDX-License-Identifier: Apache-2.0
//
// Linked into db_test on PageFS a third time, with the linker's `--wrap` of RemapEnv::From(). The test's databases have
// an Env of the test around the default one; with this file they remap their tables all the same. They bypass that Env
// for tables, so it cannot make writes of tables fail. It still acts on logs and manifests, and on tables in the
// programs without this file.
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
