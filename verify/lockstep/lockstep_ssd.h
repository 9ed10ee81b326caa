// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_SSD_H
#define OPENREMAP_LOCKSTEP_SSD_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "crash/tables.h"
#include "lockstep/lockstep_stream.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "orm_regs.h"
#include "pcie_function.h"

namespace orm::lockstep {

/// A device with these options cannot be created.
class NoDevice : public std::runtime_error {
 public:
  explicit NoDevice(const std::string &why, bool bad = false) : std::runtime_error(why), bad_option(bad) {}
  bool bad_option;  // no device can have them
};

/// A new device has lost so many superblocks to the faults that were asked for that no namespace fits: it was worn out
/// from the beginning. Nothing is wrong with it.
class WornFromNew : public NoDevice {
 public:
  using NoDevice::NoDevice;
};

/// Throws NoDevice for options that no device of their kind can have. Makes none, so it takes no time.
void check_options(const pcie_device_options &options);
void check_options(const char *kind, const DeviceOptions &o);
/// Opens a device. Throws NoDevice, whose text says it of a device of kind `named`.
openremap_device *open_device(const openremap_options &options, const std::string &named);

/// A device has stopped: it does not even answer a look at its registers.
class DeadDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One of the two devices, and what is looked up in it besides its answers. Its calls throw DeadDevice.
class Ssd {
 public:
  /// Throws NoDevice, whose text says it of `named`, by default `kind`.
  Ssd(const char *kind, const DeviceOptions &o, const char *named = nullptr);
  ~Ssd();
  Ssd(const Ssd &) = delete;
  Ssd &operator=(const Ssd &) = delete;

  openremap_device *get() const { return dev_; }
  const char *kind() const { return kind_; }
  uint64_t pages() const { return openremap_get_info(dev_)->pages; }

  /// Lets it finish its background work (programs, garbage collection), within a time limit.
  void rest();
  uint64_t counter(orm_counter which) const;
  uint64_t journal_used() const;
  /// GC loads a chain or moves slots.
  bool collecting() const;
  orm_remap_log log() const;
  /// LPNs of its mapping table, whatever part of it the namespace has.
  uint32_t lpns() const;
  struct Chain {
    uint32_t gen = 0;       // of its superblock, which counts erases
    uint32_t segments = 0;  // in NVRAM
  };
  /// The chain of each superblock in use.
  std::vector<Chain> chains() const;
  /// For each LPN, the first LPN with the same slot; ORM_UNMAPPED if it is unmapped.
  std::vector<uint32_t> sharing() const;
  /// Its mapping tables and the content of its media; it must be at rest.
  crash::Tables tables() const;
  /// A figure of sim_stats.
  double figure(const char *name) const;

 private:
  pcie_function *function() const { return openremap_pcie_function(dev_); }
  DeadDevice dead() const;
  uint32_t reg(uint32_t offset) const;

  const char *kind_;
  uint32_t superblocks_;
  openremap_device *dev_ = nullptr;
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_SSD_H
