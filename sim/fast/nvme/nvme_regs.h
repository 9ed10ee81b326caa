// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NVME_REGS_H
#define OPENREMAP_FAST_NVME_REGS_H

#include <cstdint>
#include <functional>

#include "nvme/nvme_command.h"
#include "top/params.h"

namespace orm::fast {

/// Controller registers of BAR0 and the doorbells (hw/src/nvme/NvmeRegs.scala). If the host disables the controller and
/// enables it again, the new enabling is held back until firmware has read CC with EN = 0 and has cleared CSTS.RDY. The
/// admin queues exist while the controller is enabled and ready.
class NvmeRegs {
 public:
  struct Links {
    std::function<void(const SqConfig &, const CqConfig &)> admin;  // the admin queues are created or deleted
    std::function<void()> cc_changed;
    std::function<void(uint32_t qid, bool is_cq, uint32_t value)> doorbell;
  };
  explicit NvmeRegs(const Params &p) : p_(p) {}
  void link(Links links) { links_ = std::move(links); }

  uint32_t read(uint32_t offset) const;
  void write(uint32_t offset, uint32_t value);
  void function_reset();

  /// CC as firmware sees it: EN is 0 while an enabling is held back. Firmware knows it from then on.
  uint32_t read_cc();
  void set_csts(uint32_t csts);  // by firmware, in the layout of NVME_CSTS
  uint32_t csts() const { return csts_; }

 private:
  bool wanted() const;
  void follow_enable();
  void follow_ready();
  void follow_firmware();
  void end_enabling();

  const Params &p_;
  Links links_;
  uint32_t cc_ = 0;
  uint32_t aqa_ = 0;
  uint64_t asq_ = 0, acq_ = 0;
  uint32_t csts_ = 0;
  bool enabled_ = false;
  bool taking_ = false;    // the admin queues exist
  bool unseen_ = false;    // disabled, and firmware has not read so yet
  bool draining_ = false;  // the same, or firmware has not yet cleared RDY
  bool hidden_ = false;    // CSTS of firmware is of an enabling that the host has taken back
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NVME_REGS_H
