// SPDX-License-Identifier: Apache-2.0
#include "support/function_host.h"

#include <cerrno>
#include <cstdio>

#include "orm_regs.h"
#include "support/bad_option.h"

namespace orm {
namespace {

// Device time: recovery of a small device takes milliseconds.
constexpr uint64_t kReadyNs = 60'000'000'000;
constexpr uint32_t kEnable = ORM_PUT(ORM_BAR0_CC_IOSQES, 6) | ORM_PUT(ORM_BAR0_CC_IOCQES, 4) | ORM_BAR0_CC_EN_MASK;

void must(int rc, const std::string &what) {
  if (rc != 0) throw Wrong(what + " gives " + std::to_string(rc));
}

}  // namespace

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

FunctionHost::FunctionHost(const pcie_device_options &options, const pcie_host *host) {
  char error[256] = "";
  fn_ = pcie_device_create(&options, host, error, sizeof error);
  if (fn_ == nullptr) tools::no_device(errno == EINVAL ? -EINVAL : -ENODEV, error);
}

FunctionHost::~FunctionHost() { fn_->ops->close(fn_); }

uint32_t FunctionHost::read32(uint64_t offset) {
  uint64_t value = 0;
  must(fn_->ops->bar0_read(fn_, offset, 4, &value), "BAR0 read at " + hex(offset));
  return uint32_t(value);
}

void FunctionHost::write32(uint64_t offset, uint32_t value) {
  must(fn_->ops->bar0_write(fn_, offset, 4, value), "BAR0 write at " + hex(offset));
}

void FunctionHost::run(uint64_t ns) {
  const int64_t ran = fn_->ops->run(fn_, ns);
  if (ran < 0) throw Wrong("the device stopped (" + std::to_string(ran) + ")");
  idle_ = ran == 0 ? idle_ + 1 : 0;
}

void FunctionHost::wait_cap() {
  const uint64_t begun = now_ns();
  while (read32(ORM_BAR0_CAP_LO) == 0 || read32(ORM_BAR0_CAP_LO) == UINT32_MAX) {
    if (now_ns() - begun > kReadyNs) throw Wrong("CAP does not come back");
    run(kSliceNs);
  }
}

void FunctionHost::wait_csts(uint32_t mask, uint32_t value, const char *what) {
  const uint64_t begun = now_ns();
  idle_ = 0;
  for (;;) {
    const uint32_t csts = read32(ORM_BAR0_CSTS);
    if ((csts & mask) == value) return;
    if (now_ns() - begun > kReadyNs || idle_ > kMostIdle) {
      throw Wrong(std::string(what) + " does not end: CSTS " + hex(csts) + ", CC " + hex(read32(ORM_BAR0_CC)));
    }
    run(kSliceNs);
  }
}

void FunctionHost::disable() {
  write32(ORM_BAR0_CC, 0);
  wait_csts(ORM_BAR0_CSTS_RDY_MASK, 0, "disable");
}

void FunctionHost::enable(uint32_t entries, uint64_t submission, uint64_t completion) {
  write32(ORM_BAR0_AQA, ORM_PUT(ORM_BAR0_AQA_ASQS, entries - 1) | ORM_PUT(ORM_BAR0_AQA_ACQS, entries - 1));
  write32(ORM_BAR0_ASQ_LO, uint32_t(submission));
  write32(ORM_BAR0_ASQ_HI, uint32_t(submission >> 32));
  write32(ORM_BAR0_ACQ_LO, uint32_t(completion));
  write32(ORM_BAR0_ACQ_HI, uint32_t(completion >> 32));
  write32(ORM_BAR0_CC, kEnable);
  wait_csts(ORM_BAR0_CSTS_RDY_MASK | ORM_BAR0_CSTS_CFS_MASK, ORM_BAR0_CSTS_RDY_MASK, "enable");
}

void FunctionHost::function_reset() { must(fn_->ops->reset(fn_), "function reset"); }
void FunctionHost::power_cut() { must(fn_->ops->power_cut(fn_), "power cut"); }
void FunctionHost::power_on() { must(fn_->ops->power_on(fn_), "power on"); }

}  // namespace orm
