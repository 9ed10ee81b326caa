// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_BURST_H
#define OPENREMAP_LOCKSTEP_BURST_H

#include "lockstep/lockstep_command.h"

namespace orm::lockstep {

/// Whether such a command can be part of a burst: one that the device gets as a single entry of an I/O queue.
bool may_be_part(Kind kind);

/// All parts at once; then each one's status, and the data of those that read.
Outcome execute_burst(openremap_device *dev, const Command &burst);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_BURST_H
