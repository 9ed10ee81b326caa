// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NVME_REGS_H
#define OPENREMAP_FAST_NVME_REGS_H

#include <cstdint>
#include <functional>

#include "nvme/nvme_command.h"
#include "top/params.h"

namespace orm::fast {

/// Controller registers of BAR0 and the doorbells (hw/src/nvme/NvmeRegs.scala). If the host enables the controller
/// again before firmware has cleared CSTS.RDY, the new enabling is held back until then.
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

  /// CC as firmware sees it: EN is 0 while an enabling is held back.
  uint32_t cc() const;
  void set_csts(uint32_t csts);  // by firmware, in the layout of NVME_CSTS
  uint32_t csts() const { return csts_; }

 private:
  bool wanted() const;
  void follow_enable();

  const Params &p_;
  Links links_;
  uint32_t cc_ = 0;
  uint32_t aqa_ = 0;
  uint64_t asq_ = 0, acq_ = 0;
  uint32_t csts_ = 0;
  bool enabled_ = false;
  bool draining_ = false;  // disabled, and firmware has not yet cleared RDY
  bool hidden_ = false;    // function reset: CSTS of firmware is still from before
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NVME_REGS_H
