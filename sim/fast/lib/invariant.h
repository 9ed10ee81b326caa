// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_INVARIANT_H
#define OPENREMAP_FAST_INVARIANT_H

#include <string>

#include "sim_error.h"

namespace orm::fast {

/// The model's counterpart of a failed RTL assertion: the model or the firmware broke an invariant. It ends the
/// simulation.
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
