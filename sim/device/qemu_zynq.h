// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_QEMU_ZYNQ_H
#define OPENREMAP_QEMU_ZYNQ_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dram_model.h"
#include "kept_process.h"
#include "unique_fd.h"

namespace orm {

/// A bound on a wait for another process. Time in which this process did not run, because it was stopped, does not
/// count.
class Patience {
 public:
  explicit Patience(double seconds) : left_(seconds), last_(now()) {}
  /// Whether the bound is reached. To be called often.
  bool over();

 private:
  static double now();

  double left_;
  double last_;
};

/// A Zynq-7000 in QEMU (machine xilinx-zynq-a9) with an image in it. Its DDR memory is shared with this process, and is
/// a file that nobody else sees.
class QemuZynq {
 public:
  /// Bytes of DDR.
  static constexpr uint64_t kMemory = uint64_t(1) << 30;

  struct Options {
    std::string image;     // ELF
    double patience = 60;  // seconds without an answer after which QEMU counts as hung
    /// Gets what the image writes to its UART, in a thread of its own.
    std::function<void(const char *, size_t)> said;
  };

  /// Starts QEMU; the processor stands still. Throws ConfigError: there is no QEMU, or it does not start.
  explicit QemuZynq(const Options &options);
  ~QemuZynq();
  QemuZynq(const QemuZynq &) = delete;
  QemuZynq &operator=(const QemuZynq &) = delete;

  /// DDR memory from this address of the processor on.
  uint8_t *at(uint32_t address) { return memory_ + address; }
  /// A part of it.
  SharedMemory part(uint32_t address, uint64_t bytes) const { return {file_.get(), address, bytes}; }

  /// Resets the machine, which puts the image into its memory, and lets the processor run. Throws SimError.
  void start();
  /// The processor stands still, in the middle of whatever it does. Throws SimError.
  void halt();

  Patience patience() const { return Patience(options_.patience); }
  /// In a wait for the processor: throws SimError when QEMU has ended, or when patience is over.
  void check(Patience &patience);

 private:
  void launch(const std::string &program, UniqueFd control);
  std::string line(Patience &patience);
  void command(const std::string &name, const std::string &event = "");

  const Options options_;
  UniqueFd file_;
  uint8_t *memory_ = nullptr;
  UniqueFd control_;      // QEMU's monitor (QMP)
  std::string received_;  // from it, what is no whole line yet
  std::unique_ptr<KeptProcess> qemu_;
};

}  // namespace orm
#endif  // OPENREMAP_QEMU_ZYNQ_H
