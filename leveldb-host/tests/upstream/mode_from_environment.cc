// SPDX-License-Identifier: Apache-2.0
//
// Linked into upstream's tests, which know nothing of modes. OPENREMAP_TEST_MODE sets the mode of their Options.
#include <cstdio>
#include <cstdlib>

#include "remap_options.h"

namespace {

const bool applied = [] {
  const char *name = std::getenv("OPENREMAP_TEST_MODE");
  if (name == nullptr) return false;
  openremap::RemapMode mode;
  if (!openremap::ParseRemapMode(name, &mode)) {
    std::fprintf(stderr, "OPENREMAP_TEST_MODE=%s: no such mode\n", name);
    std::_Exit(2);
  }
  openremap::SetDefaultRemapMode(mode);
  return true;
}();

}  // namespace
