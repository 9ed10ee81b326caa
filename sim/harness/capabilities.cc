// SPDX-License-Identifier: Apache-2.0
#include "capabilities.h"

#include <cerrno>

#include "orm_formats.h"
#include "orm_regs.h"
#include "sim_error.h"

namespace orm {
namespace {

uint32_t read(RtlCore &core, uint32_t offset) {
  uint32_t value = 0;
  if (!core.read(RtlCore::Window::kFirmware, offset, &value)) {
    throw ConfigError("the controller has no register " + hex(offset) + " in its firmware window");
  }
  return value;
}

}  // namespace

Capabilities read_capabilities(const CoreKind &kind) {
  // Memories of no size: nothing is accessed before firmware says so.
  const pcie_host no_host{nullptr, [](void *, uint64_t, void *, size_t) { return -EFAULT; },
                          [](void *, uint64_t, const void *, size_t) { return -EFAULT; }, [](void *, unsigned) {}};
  const NandGeometry smallest{uint32_t(kind.nand_ports), 1, 1, 1, ORM_SLOT_BYTES, ORM_OOB_RECORD_BYTES};
  NandModel nand(smallest, NandTiming(), "", 0);
  DramModel dram(0);
  NvramModel nvram(0, "", 0);
  const MemoryTiming timing;
  HostMemory host_memory(no_host, timing, kPeriodNs);
  DramMemory dram_memory(dram, timing, kPeriodNs);
  NvramMemory nvram_memory(nvram, timing, kPeriodNs);
  SimClock clock;
  const std::unique_ptr<RtlCore> core =
      kind.make({}, {host_memory, dram_memory, nvram_memory, nand, nvram_memory, dram_memory, dram_memory}, clock);

  if (read(*core, ORM_FW_ID) != ORM_FW_ID_RESET) throw ConfigError("the RTL is not an OpenRemap controller");
  if (read(*core, ORM_FW_VERSION) != ORM_FW_VERSION_RESET) {
    throw ConfigError("the RTL has another version of the register map");
  }
  const uint32_t flash = read(*core, ORM_FW_CAP_FLASH);
  Capabilities caps{};
  caps.nand.channels = ORM_GET(flash, ORM_FW_CAP_FLASH_CHANNELS);
  caps.nand.dies_per_channel = ORM_GET(flash, ORM_FW_CAP_FLASH_DIES_PER_CHANNEL);
  caps.nand.pages_per_block = ORM_GET(flash, ORM_FW_CAP_FLASH_PAGES_PER_BLOCK);
  caps.nand.blocks_per_die = read(*core, ORM_FW_CAP_SUPERBLOCKS);
  caps.nand.slot_bytes = ORM_SLOT_BYTES;
  caps.nand.spare_bytes = ORM_OOB_RECORD_BYTES;
  const uint32_t slots = read(*core, ORM_FW_CAP_SLOTS_PER_SB);
  const uint32_t pages = caps.nand.dies() * caps.nand.pages_per_block;  // of a superblock
  if (pages != 0) caps.nand.slots_per_page = slots / pages;
  caps.nv_header = read(*core, ORM_FW_NV_HEADER);
  caps.destage_lpn = read(*core, ORM_FW_CAP_DESTAGE_LPN);
  caps.segments = ORM_GET(read(*core, ORM_FW_CAP_SEGMENTS), ORM_FW_CAP_SEGMENTS_SEGMENTS);
  caps.gc_reserve_segments = ORM_GET(read(*core, ORM_FW_CAP_SEG_RESERVE), ORM_FW_CAP_SEG_RESERVE_COUNT);
  caps.dram_bytes = read(*core, ORM_FW_DRAM_BYTES);
  caps.nvram_bytes = read(*core, ORM_FW_NV_BYTES);
  if (caps.nand.channels != kind.nand_ports) {
    throw ConfigError("the controller speaks of " + std::to_string(caps.nand.channels) + " channels and has " +
                      std::to_string(kind.nand_ports) + " NAND ports");
  }
  if (caps.nand.pages() == 0 || slots == 0 || slots % pages != 0 || caps.dram_bytes == 0 || caps.nvram_bytes == 0 ||
      caps.nvram_bytes % NvramModel::kUnit != 0) {
    throw ConfigError("the controller speaks of a geometry that cannot be");
  }
  return caps;
}

}  // namespace orm
