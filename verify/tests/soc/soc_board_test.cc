// SPDX-License-Identifier: Apache-2.0
//
// The record SocBoard in the ROM of the device `soc`: one that the firmware cannot take ends in an error of the device
// that says what is wrong with it, as a wrong option of the `rtl` does. The devices are new, so that options count.
#include "soc_board.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core_kinds.h"
#include "orm_formats.h"
#include "orm_soc.h"
#include "rtl_device.h"
#include "sim_error.h"
#include "soc_firmware.h"

namespace orm {
namespace {

NativeFirmwareOptions small() {
  NativeFirmwareOptions options;
  options.superblocks = 8;
  options.log = false;
  return options;
}

std::vector<uint32_t> words(const std::vector<uint8_t> &bytes) {
  std::vector<uint32_t> out(bytes.size() / 4);
  for (size_t i = 0; i < out.size(); ++i) out[i] = uint32_t(orm_get_le(bytes.data() + 4 * i, 4));
  return out;
}

std::vector<uint8_t> sealed(const orm_soc_board &record) {
  std::vector<uint8_t> bytes(ORM_SOC_BOARD_BYTES);
  orm_soc_board_seal(&record, bytes.data());
  return bytes;
}

/// A start with this record.
struct Start {
  std::string error;  // of the device; empty: it runs
  std::string log;    // what the UART sent
};

Start start(const std::vector<uint8_t> &record, const NativeFirmwareOptions &options = small()) {
  pcie_host host{};
  host.dma_read = [](void *, uint64_t, void *, size_t) { return -EFAULT; };
  host.dma_write = [](void *, uint64_t, const void *, size_t) { return -EFAULT; };
  host.msix = [](void *, unsigned) {};
  const std::shared_ptr<CpuLink> cpu = soc_cpu(options);
  cpu->board = words(record);
  RtlDeviceOptions device_options;
  device_options.cpu = cpu;
  Start result;
  const FirmwareMaker make = soc_firmware(cpu, options);
  RtlDevice device(
      device_options, soc_core(),
      [&](Machine &machine) {
        std::unique_ptr<Firmware> firmware = make(machine);
        cpu->console = [&result, taken = cpu->console](char c) {
          result.log += c;
          taken(c);
        };
        return firmware;
      },
      host);
  device.power_on();
  try {
    device.finish_start_up();
  } catch (const ConfigError &e) {
    result.error = e.what();
  }
  return result;
}

TEST(SocBoardRecord, WhatIsNoRecordIsAnErrorThatSaysSo) {
  std::vector<uint8_t> damaged = sealed(soc_board(small()));
  damaged[ORM_SOC_BOARD_SUPERBLOCKS_OFFSET] ^= 1;
  struct Spoiled {
    const char *says;
    std::vector<uint8_t> record;
  };
  std::vector<Spoiled> all = {{"SocBoard record: there is none", std::vector<uint8_t>(ORM_SOC_BOARD_BYTES)},
                              {"SocBoard record: its CRC is wrong", damaged}};
  const auto spoil = [&](const char *says, const std::function<void(orm_soc_board &)> &change) {
    orm_soc_board record = soc_board(small());
    change(record);
    all.push_back({says, sealed(record)});
  };
  spoil("SocBoard record: there is none", [](orm_soc_board &r) { r.mark++; });
  spoil("SocBoard record: it is of another version", [](orm_soc_board &r) { r.version++; });
  spoil("SocBoard record: there is no such log level", [](orm_soc_board &r) { r.log_level = 3; });
  spoil("SocBoard record: there is no mailbox", [](orm_soc_board &r) { r.mailbox = 0x1000; });
  spoil("SocBoard record: its reserved bits are not zero", [](orm_soc_board &r) { r.reserved0 = 1; });
  // Values that no device, or not this one, can have.
  spoil("identity", [](orm_soc_board &r) { std::memset(r.serial, 0, sizeof r.serial); });
  spoil("identity", [](orm_soc_board &r) { r.serial[0] = ' '; });
  spoil("identity", [](orm_soc_board &r) { r.eui64 = 0; });
  spoil("identity", [](orm_soc_board &r) { r.eui64 |= uint64_t(1) << 56; });  // a group address
  spoil("choose geometry", [](orm_soc_board &r) { r.superblocks = 4; });
  spoil("choose geometry", [](orm_soc_board &r) { r.superblocks = 1 << 20; });
  spoil("choose geometry", [](orm_soc_board &r) { r.over_provision_pct = 100; });
  spoil("choose geometry", [](orm_soc_board &r) { r.placement_handles = 1 << 20; });
  spoil("choose geometry", [](orm_soc_board &r) { r.remap_segments = 1; });
  for (const Spoiled &spoiled : all) {
    const Start s = start(spoiled.record);
    EXPECT_EQ(s.error.rfind("firmware: ", 0), 0u) << spoiled.says << ": " << s.error;
    EXPECT_NE(s.error.find(spoiled.says), std::string::npos) << spoiled.says << ": " << s.error;
    EXPECT_NE(s.error.find("us after power-on"), std::string::npos) << "and how the start ended: " << s.error;
  }
}

// With a start that ends early, because of its superblocks.
TEST(SocBoardRecord, HasTheLevelOfTheLog) {
  NativeFirmwareOptions quiet = small(), all = small();
  quiet.superblocks = all.superblocks = 4;
  all.log = true;
  const std::string step = "<2>start-up: check hardware";
  EXPECT_EQ(start(sealed(soc_board(quiet)), quiet).log.find(step), std::string::npos);
  EXPECT_NE(start(sealed(soc_board(all)), all).log.find(step), std::string::npos);
}

}  // namespace
}  // namespace orm
