// SPDX-License-Identifier: Apache-2.0
#include "mutant.h"

#ifdef ORM_MUTANTS
#include <cstdlib>
#include <cstring>

#include "sim_error.h"

namespace orm::fast {
namespace {

Mutant chosen() {
  const char *name = std::getenv("OPENREMAP_MUTANT");
#define X(constant, text, script, what) \
  if (name != nullptr && std::strcmp(name, text) == 0) return Mutant::constant;
  ORM_MUTANT_LIST(X)
#undef X
  throw ConfigError("OPENREMAP_MUTANT names no mutant (sim/fast/mutant.h)");
}

}  // namespace

bool mutant(Mutant which) {
  static const Mutant one = chosen();
  return which == one;
}

}  // namespace orm::fast
#endif
