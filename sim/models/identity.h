// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IDENTITY_H
#define OPENREMAP_IDENTITY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "orm_identity.h"

namespace orm {

/// What distinguishes a device from every other. The rules for both numbers are those of struct platform_identity
/// (firmware/include/platform.h).
struct Identity {
  static constexpr size_t kMostCharacters = ORM_SERIAL_MAX;

  std::string serial;
  std::array<uint8_t, 8> eui64{};  // most significant byte first
};

/// The identity with this serial number, always the same one. Its EUI-64 is a hash of the number, with the bits of a
/// locally administered address: the project has no OUI of the IEEE. Throws OptionError if no device can have the
/// number.
Identity identity_of(const std::string &serial);

/// Another one at each call, from the system's random numbers: `ORM` and 16 hexadecimal digits. Throws ConfigError.
Identity drawn_identity();

/// The one of devices in memory for which none is asked: fixed, so that test programs are reproducible.
Identity memory_identity();

struct IdentityOptions {
  std::optional<std::string> serial;  // none: any
  bool fresh = false;                 // another one in place of that which the image has
};

/// The identity of one device, and the file of its image folder that keeps it. Neither flash nor NVRAM holds it: it
/// stays when they are formatted, damaged or lost.
///
/// The file is text:
///
///     version 1
///     serial ORM4D1F00A25C7B39E8
///     eui64 32d6a80c51f79b04
///
/// Lines that begin with `#` are comments. A file with anything else is refused, never reinterpreted.
class DeviceIdentity {
 public:
  static constexpr const char *kFile = "identity";
  static constexpr unsigned kVersion = 1;

  /// Chooses the identity of the device in `folder`: that of its file. Without a file, it is that of `options.serial`,
  /// or a drawn one. In memory (no folder), or `unchanged` without a file, it is that of `options.serial` or
  /// memory_identity(). Nothing is written yet. Throws OptionError if the options do not fit the file, and ImageError
  /// if the file is none of an identity.
  DeviceIdentity(const std::string &folder, bool unchanged, const IdentityOptions &options);

  const Identity &get() const { return identity_; }

  /// Writes the file, if the identity is a new one. The images of the folder must be open, so that no other device
  /// starts there at the same time. Throws ImageError.
  void keep();

 private:
  std::string path_;  // of the file; empty: in memory
  Identity identity_;
  bool to_write_ = false;
  bool replaces_ = false;
};

}  // namespace orm
#endif  // OPENREMAP_IDENTITY_H
