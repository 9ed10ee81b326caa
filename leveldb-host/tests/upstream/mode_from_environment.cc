// SPDX-License-Identifier: Apache-2.0
//
// Linked into upstream's tests, which know nothing of modes. OPENREMAP_TEST_MODE sets the mode of their Options. With
// "separated" behind it, their databases also have a value log, with every value in it.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "remap_options.h"

namespace {

const bool applied = [] {
  const char *variable = std::getenv("OPENREMAP_TEST_MODE");
  if (variable == nullptr) return false;
  std::string name = variable;
  constexpr std::string_view kSeparated = "-separated";
  if (name.size() > kSeparated.size() && name.substr(name.size() - kSeparated.size()) == kSeparated) {
    name.resize(name.size() - kSeparated.size());
    openremap::SetDefaultValueLogThreshold(0);
  }
  openremap::RemapMode mode;
  if (!openremap::ParseRemapMode(name, &mode)) {
    std::fprintf(stderr, "OPENREMAP_TEST_MODE=%s: no such mode\n", variable);
    std::_Exit(2);
  }
  openremap::SetDefaultRemapMode(mode);
  return true;
}();

}  // namespace
