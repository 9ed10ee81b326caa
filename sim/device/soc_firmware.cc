// SPDX-License-Identifier: Apache-2.0
#include "soc_firmware.h"

#include <cstddef>
#include <string>
#include <utility>

#include "orm_formats.h"
#include "orm_soc.h"
#include "rtl_core.h"
#include "sim_error.h"
#include "soc_board.h"
#include "uart_log.h"

// The image as it is in the file that CMake names: the assembler puts its bytes here.
__asm__(
    ".section .rodata\n"
    ".balign 8\n"
    ".global orm_soc_image\n"
    ".hidden orm_soc_image\n"
    "orm_soc_image:\n"
    ".incbin \"" ORM_SOC_IMAGE
    "\"\n"
    ".global orm_soc_image_end\n"
    ".hidden orm_soc_image_end\n"
    "orm_soc_image_end:\n"
    ".previous\n");
extern "C" {
extern const uint8_t orm_soc_image[] __attribute__((visibility("hidden")));
extern const uint8_t orm_soc_image_end[] __attribute__((visibility("hidden")));
}

namespace orm {
namespace {

std::vector<uint32_t> words(const uint8_t *bytes, size_t len) {
  std::vector<uint32_t> out((len + 3) / 4, 0);
  for (size_t i = 0; i < len; ++i) out[i / 4] |= uint32_t(bytes[i]) << (8 * (i % 4));
  return out;
}

std::vector<uint32_t> board(const NativeFirmwareOptions &options) {
  const orm_soc_board record = soc_board(options);
  uint8_t packed[ORM_SOC_BOARD_BYTES];
  orm_soc_board_seal(&record, packed);
  return words(packed, sizeof packed);
}

class SocFirmware final : public Firmware {
 public:
  SocFirmware(std::shared_ptr<CpuLink> cpu, bool log) : cpu_(std::move(cpu)), log_(log) {
    cpu_->console = [this](char c) { log_.take(c); };
    cpu_->trial = 0;
  }
  ~SocFirmware() override { cpu_->console = nullptr; }
  SocFirmware(const SocFirmware &) = delete;
  SocFirmware &operator=(const SocFirmware &) = delete;

  // The CPU does the work; nobody has to call it.
  uint64_t poll() override { return kIdle; }

  // The pins of register TRIAL ask the image for it.
  void hang() override { misbehave(ORM_SOC_TRIAL_HANG); }
  void misbehave(uint32_t trial) override { cpu_->trial = trial; }

  Phase phase() const override {
    switch (cpu_->state) {
      case ORM_SOC_STATE_RUNNING:
        return Phase::kRunning;
      case ORM_SOC_STATE_FAILED:
        return Phase::kFailed;
      default:
        return Phase::kStarting;
    }
  }
  uint64_t busy_ns() const override { return cpu_->busy_cycles * kPeriodNs; }
  std::string describe() const override {
    if (!log_.error().empty()) return log_.error();
    return cpu_->state == ORM_SOC_STATE_NONE ? "its start code does not end" : "last line of its log: " + log_.last();
  }

 private:
  std::shared_ptr<CpuLink> cpu_;
  UartLog log_;
};

}  // namespace

std::shared_ptr<CpuLink> soc_cpu(const NativeFirmwareOptions &options) {
  auto cpu = std::make_shared<CpuLink>();
  cpu->rom = words(orm_soc_image, size_t(orm_soc_image_end - orm_soc_image));
  cpu->board = board(options);
  if (cpu->rom.size() * 4 > ORM_SOC_BOARD_BASE - ORM_SOC_ROM_BASE) {
    throw ConfigError("the firmware's image does not fit the ROM of the soc");
  }
  return cpu;
}

FirmwareMaker soc_firmware(std::shared_ptr<CpuLink> cpu, const NativeFirmwareOptions &options) {
  return [cpu = std::move(cpu), log = options.log](Machine &) { return std::make_unique<SocFirmware>(cpu, log); };
}

}  // namespace orm
