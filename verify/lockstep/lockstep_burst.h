// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_BURST_H
#define OPENREMAP_LOCKSTEP_BURST_H

#include "lockstep/lockstep_command.h"

namespace orm::lockstep {

/// Whether a command of this kind can be part of a burst: it must be a single entry of an I/O queue.
bool may_be_part(Kind kind);

/// Sends all parts at once; returns the status of each and the data of reads.
Outcome execute_burst(openremap_device *dev, const Command &burst);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_BURST_H
