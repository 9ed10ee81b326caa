// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FUNCTION_HOST_H
#define OPENREMAP_FUNCTION_HOST_H

#include <cstdint>
#include <stdexcept>
#include <string>

#include "pcie_function.h"

namespace orm {

/// The device did what it must never do; the text says what.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "0x1f".
std::string hex(uint64_t value);

/// A host's side of one NVMe PCIe function without a driver: registers, device time, and the way from any state to an
/// enabled controller. What is in the queues is the owner's. Everything throws Wrong where the device stops, refuses an
/// access or does not end in time.
class FunctionHost {
 public:
  /// Device time that a command may take, ns; it may wait behind many garbage collections.
  static constexpr uint64_t kCommandNs = 2'000'000'000;
  /// How long a host lets the device run between two looks.
  static constexpr uint64_t kSliceNs = 1'000'000;
  /// Runs in a row in which no time passes: after more of them only the host could wake the device up.
  static constexpr unsigned kMostIdle = 8;

  /// Makes the device, which uses `host` and its memory from now on. Throws tools::BadOption or std::runtime_error.
  FunctionHost(const pcie_device_options &options, const pcie_host *host);
  ~FunctionHost();
  FunctionHost(const FunctionHost &) = delete;
  FunctionHost &operator=(const FunctionHost &) = delete;

  pcie_function *function() { return fn_; }
  uint64_t now_ns() const { return fn_->ops->now_ns(fn_); }

  uint32_t read32(uint64_t offset);
  void write32(uint64_t offset, uint32_t value);
  /// Doorbell 2q is the tail of submission queue q, 2q + 1 the head of completion queue q.
  void write_doorbell(unsigned index, uint32_t value) { write32(0x1000 + 4 * uint64_t(index), value); }

  /// Lets at most `ns` pass.
  void run(uint64_t ns);
  /// Runs in a row, since not_idle(), in which no time has passed.
  unsigned idle() const { return idle_; }
  void not_idle() { idle_ = 0; }

  /// Lets time pass until CAP reads back, as it does once the firmware is up.
  void wait_cap();
  /// Until CSTS.RDY is 0.
  void disable();
  /// Sets the admin queues, of `entries` each, at these bus addresses, and waits for CSTS.RDY.
  void enable(uint32_t entries, uint64_t submission, uint64_t completion);

  void function_reset();
  void power_cut();
  void power_on();

 private:
  void wait_csts(uint32_t mask, uint32_t value, const char *what);

  pcie_function *fn_ = nullptr;
  unsigned idle_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_FUNCTION_HOST_H
