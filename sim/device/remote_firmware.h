// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_REMOTE_FIRMWARE_H
#define OPENREMAP_REMOTE_FIRMWARE_H

#include <memory>
#include <optional>
#include <string>

#include "firmware_port.h"
#include "native_firmware.h"

namespace orm {

/// The firmware on a processor elsewhere: the image of firmware/ports/zynq, unchanged, in QEMU. It reaches the
/// controller through a RemoteMailbox in memory that it shares with this process (formats.yaml), and the controller's
/// DRAM is in this memory, too.
struct RemoteOptions {
  static constexpr unsigned kMostPatience = 3600;

  std::string image;       // ELF; empty: the one that this build has
  unsigned patience = 60;  // seconds that it may take to answer
};

/// Parses what runs the firmware: "native", or empty: nothing; or "remote" with an optional ",image=FILE" and
/// ",patience=SECONDS". Throws OptionError, for a file that cannot be read, too.
std::optional<RemoteOptions> parse_firmware(const std::string &text);

/// Such a firmware. A power cycle resets its processor.
class RemoteFirmware {
 public:
  /// Starts QEMU. Throws ConfigError.
  RemoteFirmware(const RemoteOptions &options, const NativeFirmwareOptions &firmware);

  /// Where the controller's DRAM has to be.
  SharedMemory dram() const;
  /// It stays valid without this object.
  FirmwareMaker maker() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace orm
#endif  // OPENREMAP_REMOTE_FIRMWARE_H
