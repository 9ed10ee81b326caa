// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SOC_FIRMWARE_H
#define OPENREMAP_SOC_FIRMWARE_H

#include <memory>

#include "cpu_link.h"
#include "firmware_port.h"
#include "native_firmware.h"

namespace orm {

/// What the SoC's ROM holds at power-on: the image of firmware/ports/litex that this build has, and the record SocBoard
/// with these options. Throws ConfigError when the image does not fit.
std::shared_ptr<CpuLink> soc_cpu(const NativeFirmwareOptions &options);

/// The firmware as it runs on the simulated CPU: its state, and its log, which comes from the UART and goes where the
/// native firmware's does. `cpu` is shared with the core that has the CPU; of `options` only `log` counts here.
FirmwareMaker soc_firmware(std::shared_ptr<CpuLink> cpu, const NativeFirmwareOptions &options);

}  // namespace orm
#endif  // OPENREMAP_SOC_FIRMWARE_H
