// SPDX-License-Identifier: Apache-2.0
#include "remap_env.h"

namespace openremap {

// No looking through an EnvWrapper: it may be there to watch or to fail the files that would bypass it.
RemapEnv *RemapEnv::From(leveldb::Env *env) { return dynamic_cast<RemapEnv *>(env); }

FileSpace RemapEnv::FileSpaceOf(leveldb::Env *env) {
  RemapEnv *const remap = From(env);
  return remap == nullptr ? FileSpace() : remap->GetFileSpace();
}

}  // namespace openremap
