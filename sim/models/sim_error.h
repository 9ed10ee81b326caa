// SPDX-License-Identifier: Apache-2.0
//
// Exceptions that end a simulation. The type says whose rule was broken. The PCIe function turns all of them into -EIO
// and one line on stderr. ImageError and ConfigError occur only while a device is created, and become its creation
// error.
#ifndef OPENREMAP_SIM_ERROR_H
#define OPENREMAP_SIM_ERROR_H

#include <stdexcept>
#include <string>

namespace orm {

class SimError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The controller used the flash in a way that a real die does not allow.
class NandViolation : public SimError {
 public:
  explicit NandViolation(const std::string &what) : SimError("illegal NAND operation: " + what) {}
};

/// The controller broke a rule of AXI, or of ready/valid, at one of its ports.
class PortViolation : public SimError {
 public:
  explicit PortViolation(const std::string &what) : SimError("port rule broken: " + what) {}
};

/// An assertion of the RTL failed, or it stopped answering.
class RtlStopped : public SimError {
 public:
  explicit RtlStopped(const std::string &what) : SimError("RTL stopped: " + what) {}
};

/// An image file cannot be used: another version, another geometry, in use, unreadable.
class ImageError : public SimError {
 public:
  using SimError::SimError;
};

/// A device cannot be created, or does not start.
class ConfigError : public SimError {
 public:
  using SimError::SimError;
};

/// The caller requested an option that the device cannot have. Thrown before any image is created.
class OptionError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

}  // namespace orm
#endif  // OPENREMAP_SIM_ERROR_H
