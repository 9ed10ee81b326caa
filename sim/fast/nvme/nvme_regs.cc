// SPDX-License-Identifier: Apache-2.0
#include "nvme/nvme_regs.h"

#include "orm_regs.h"

namespace orm::fast {
namespace {

uint64_t with_low(uint64_t reg, uint32_t value) { return (reg & ~uint64_t(UINT32_MAX)) | value; }
uint64_t with_high(uint64_t reg, uint32_t value) { return (reg & UINT32_MAX) | uint64_t(value) << 32; }
bool shown(uint32_t csts) { return csts != 0; }
bool ready(uint32_t csts) { return ORM_GET(csts, ORM_FW_NVME_CSTS_RDY) != 0; }

}  // namespace

uint32_t NvmeRegs::read_cc() {
  const uint32_t shown = (cc_ & ~ORM_BAR0_CC_EN_MASK) | ORM_PUT(ORM_BAR0_CC_EN, wanted());
  if (!wanted()) unseen_ = false;
  follow_firmware();
  return shown;
}

bool NvmeRegs::wanted() const { return ORM_GET(cc_, ORM_BAR0_CC_EN) != 0 && !draining_; }

void NvmeRegs::follow_enable() {
  const bool changed = enabled_ != wanted();
  enabled_ = wanted();
  follow_ready();
  if (changed) links_.cc_changed();
}

void NvmeRegs::follow_ready() {
  const bool takes = enabled_ && ready(csts_);
  if (taking_ == takes) return;
  taking_ = takes;
  const uint32_t asqs = ORM_GET(aqa_, ORM_BAR0_AQA_ASQS), acqs = ORM_GET(aqa_, ORM_BAR0_AQA_ACQS);
  // One entry holds no command. The admin completion queue interrupts, on vector 0.
  links_.admin({0, takes && asqs != 0, asq_, asqs + 1, 0}, {0, takes && acqs != 0, acq_, acqs + 1, true, 0});
}

void NvmeRegs::follow_firmware() {
  if (!unseen_ && !ready(csts_)) draining_ = false;
  if (!unseen_ && !shown(csts_)) hidden_ = false;
  follow_enable();
}

void NvmeRegs::end_enabling() {
  if (!enabled_) return;
  unseen_ = draining_ = true;
  // Firmware may be about to answer this enabling.
  if (!ready(csts_)) hidden_ = true;
}

uint32_t NvmeRegs::read(uint32_t offset) const {
  switch (offset) {
    case ORM_BAR0_CAP_LO:
      return ORM_BAR0_CAP_LO_RESET | ORM_PUT(ORM_BAR0_CAP_LO_MQES, p_.k.max_queue_entries - 1);
    case ORM_BAR0_CAP_HI:
      return ORM_BAR0_CAP_HI_RESET;
    case ORM_BAR0_VS:
      return ORM_BAR0_VS_RESET;
    case ORM_BAR0_CC:
      return cc_;
    case ORM_BAR0_CSTS:
      static_assert(ORM_BAR0_CSTS_RDY_MASK == ORM_FW_NVME_CSTS_RDY_MASK &&
                    ORM_BAR0_CSTS_CFS_MASK == ORM_FW_NVME_CSTS_CFS_MASK &&
                    ORM_BAR0_CSTS_SHST_MASK == ORM_FW_NVME_CSTS_SHST_MASK);
      // A controller whose start-up failed says so, function reset or not.
      return (hidden_ ? 0 : csts_ & ~ORM_FW_NVME_CSTS_DEAD_MASK) |
             ORM_PUT(ORM_BAR0_CSTS_CFS,
                     ORM_GET(csts_, ORM_FW_NVME_CSTS_DEAD) || (!hidden_ && ORM_GET(csts_, ORM_FW_NVME_CSTS_CFS)));
    case ORM_BAR0_AQA:
      return aqa_;
    case ORM_BAR0_ASQ_LO:
      return uint32_t(asq_);
    case ORM_BAR0_ASQ_HI:
      return uint32_t(asq_ >> 32);
    case ORM_BAR0_ACQ_LO:
      return uint32_t(acq_);
    case ORM_BAR0_ACQ_HI:
      return uint32_t(acq_ >> 32);
    default:
      return 0;
  }
}

void NvmeRegs::write(uint32_t offset, uint32_t value) {
  switch (offset) {
    case ORM_BAR0_CC:
      cc_ = value;
      if (ORM_GET(value, ORM_BAR0_CC_EN) == 0) end_enabling();
      follow_enable();
      links_.cc_changed();
      return;
    case ORM_BAR0_AQA:
      aqa_ = value & (ORM_BAR0_AQA_ASQS_MASK | ORM_BAR0_AQA_ACQS_MASK);
      return;
    case ORM_BAR0_ASQ_LO:
      asq_ = with_low(asq_, value & ORM_BAR0_ASQ_LO_VALUE_MASK);
      return;
    case ORM_BAR0_ASQ_HI:
      asq_ = with_high(asq_, value);
      return;
    case ORM_BAR0_ACQ_LO:
      acq_ = with_low(acq_, value & ORM_BAR0_ACQ_LO_VALUE_MASK);
      return;
    case ORM_BAR0_ACQ_HI:
      acq_ = with_high(acq_, value);
      return;
    default:
      break;
  }
  if (offset < ORM_BAR0_DOORBELL(0) || offset >= ORM_BAR0_DOORBELL(ORM_BAR0_DOORBELL_COUNT)) return;
  const uint32_t index = (offset - ORM_BAR0_DOORBELL(0)) / 4;
  links_.doorbell(index / 2, index % 2 != 0, ORM_GET(value, ORM_BAR0_DOORBELL_VALUE));
}

void NvmeRegs::function_reset() {
  end_enabling();
  hidden_ = hidden_ || shown(csts_);
  cc_ = 0;
  follow_enable();
  aqa_ = 0;
  asq_ = acq_ = 0;
  links_.cc_changed();
}

void NvmeRegs::set_csts(uint32_t csts) {
  csts_ = csts & (ORM_FW_NVME_CSTS_RDY_MASK | ORM_FW_NVME_CSTS_CFS_MASK | ORM_FW_NVME_CSTS_SHST_MASK |
                  ORM_FW_NVME_CSTS_DEAD_MASK);
  follow_firmware();
}

}  // namespace orm::fast
