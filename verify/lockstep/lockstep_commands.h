// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_COMMANDS_H
#define OPENREMAP_LOCKSTEP_COMMANDS_H

#include "lockstep/lockstep_command.h"
#include "openremap.h"

namespace orm::lockstep {

/// Sends the command, and waits until the device has carried it out.
Outcome execute(openremap_device *dev, const Command &command);

/// Lets a device finish what it does by itself (programs, garbage collection), for a while at most. False: it has not.
bool rest(openremap_device *dev);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_COMMANDS_H
