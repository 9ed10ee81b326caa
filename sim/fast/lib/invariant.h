// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_INVARIANT_H
#define OPENREMAP_FAST_INVARIANT_H

#include <string>

#include "sim_error.h"

namespace orm::fast {

/// What an assertion of the RTL is there: the model or the firmware did what it believes nobody does.
class ModelStopped : public SimError {
 public:
  explicit ModelStopped(const std::string &what) : SimError("model stopped: " + what) {}
};

inline void believe(bool holds, const char *what) {
  if (!holds) [[unlikely]]
    throw ModelStopped(what);
}

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_INVARIANT_H
