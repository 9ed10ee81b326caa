// SPDX-License-Identifier: Apache-2.0
#include "top/mutant.h"

#ifdef ORM_MUTANTS
#include <cstdlib>
#include <cstring>
#include <string>

#include "fw_mutant.h"
#include "sim_error.h"

namespace orm::fast {
namespace {

#define X(constant, text, script, what) text,
constexpr const char *kNames[] = {ORM_MUTANT_LIST(X) ORM_LOCKSTEP_MUTANT_LIST(X)};
constexpr const char *kFirmwareNames[] = {FW_MUTANT_LIST(X)};
#undef X
#define X(name, test, what) name,
constexpr const char *kCacheNames[] = {FW_CACHE_MUTANT_LIST(X)};
#undef X

/// The name in OPENREMAP_MUTANT, which must be one of the list.
const char *chosen() {
  const char *name = std::getenv("OPENREMAP_MUTANT");
  for (const char *known : kNames) {
    if (name != nullptr && std::strcmp(name, known) == 0) return known;
  }
  for (const char *known : kFirmwareNames) {
    if (name != nullptr && std::strcmp(name, known) == 0) return known;
  }
  for (const char *known : kCacheNames) {
    if (name != nullptr && std::strcmp(name, known) == 0) return known;
  }
  throw ConfigError("OPENREMAP_MUTANT names no mutant (sim/fast/top/mutant.h, firmware/include/fw_mutant.h)");
}

/// Compares pointers rather than names, because it is called often.
bool is_chosen(const char *name) {
  static const char *const one = chosen();
  return name == one;
}

}  // namespace

bool mutant(Mutant which) { return is_chosen(kNames[size_t(which)]); }

}  // namespace orm::fast

extern "C" bool fw_mutant(enum fw_mutant which) {
  return orm::fast::is_chosen(orm::fast::kFirmwareNames[size_t(which)]);
}

extern "C" bool fw_mutant_omits(const char *call, const char *file, const char *function) {
  static const std::string one = orm::fast::chosen();
  const char *const slash = std::strrchr(file, '/');
  const std::string name(slash == nullptr ? file : slash + 1);
  return one == std::string(call) + '/' + name.substr(0, name.find('.')) + '/' + function;
}
#endif
