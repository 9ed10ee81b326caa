// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_UPSTREAM_PAGEFS_ENVIRONMENT_H_
#define OPENREMAP_UPSTREAM_PAGEFS_ENVIRONMENT_H_

#include <string>

namespace upstream {

// Ends the program, because the tests would not run on the intended files.
[[noreturn]] void Fail(const std::string &why);

}  // namespace upstream

#endif  // OPENREMAP_UPSTREAM_PAGEFS_ENVIRONMENT_H_
