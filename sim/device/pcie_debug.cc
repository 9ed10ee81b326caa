// SPDX-License-Identifier: Apache-2.0
#include "pcie_debug.h"

#include <cerrno>
#include <cstdio>
#include <vector>

#include "device_function.h"
#include "nand_model.h"
#include "nvram_model.h"
#include "orm_regs.h"

namespace orm {
namespace {

/// Fields of a slot number: {superblock, page, die in channel, channel, slot in its page}.
NandAddress address_of(const NandGeometry &g, uint32_t slot) {
  const uint32_t page_of_die = slot / g.slots_per_page;
  const uint32_t page = page_of_die / g.dies();
  return {page_of_die % g.channels, page_of_die / g.channels % g.dies_per_channel, page / g.pages_per_block,
          page % g.pages_per_block, slot % g.slots_per_page};
}

pcie_slot_state to_slot_state(NandModel::PageState state) {
  switch (state) {
    case NandModel::PageState::kErased:
      return PCIE_SLOT_ERASED;
    case NandModel::PageState::kProgrammed:
      return PCIE_SLOT_PROGRAMMED;
    case NandModel::PageState::kTorn:
    case NandModel::PageState::kTornButSpare:
      break;
  }
  return PCIE_SLOT_TORN;
}

}  // namespace
}  // namespace orm

extern "C" const uint8_t *pcie_device_dram(pcie_function *fn, size_t *bytes) {
  const orm::DramModel &dram = orm::self(fn).device->dram();
  *bytes = dram.size();
  return dram.data();
}

extern "C" const uint8_t *pcie_device_nvram(pcie_function *fn, size_t *bytes) {
  const orm::NvramModel &nvram = orm::self(fn).device->firmware_side().nvram();
  *bytes = nvram.size();
  return nvram.data();
}

extern "C" int pcie_device_blank_nvram(pcie_function *fn, uint8_t byte) {
  orm::Device &d = *orm::self(fn).device;
  if (d.powered()) return -EBUSY;
  d.firmware_side().nvram().blank(byte);
  return 0;
}

extern "C" int pcie_device_damage_nvram(pcie_function *fn, uint64_t addr, const uint8_t *data, size_t len) {
  orm::Device &d = *orm::self(fn).device;
  if (d.powered()) return -EBUSY;
  return d.firmware_side().nvram().damage(addr, data, len) ? 0 : -EINVAL;
}

extern "C" int pcie_device_blank_flash(pcie_function *fn) {
  orm::Device &d = *orm::self(fn).device;
  if (d.powered()) return -EBUSY;
  d.nand().blank();
  return 0;
}

extern "C" int pcie_device_slot(pcie_function *fn, uint32_t slot, pcie_slot *out) {
  const orm::NandModel &nand = orm::self(fn).device->nand();
  const orm::NandGeometry &g = nand.geometry();
  if (slot / g.slots_per_page >= g.pages()) return -EINVAL;
  const orm::NandAddress at = orm::address_of(g, slot);
  const orm::NandModel::SlotBytes bytes = nand.stored(at, slot % g.slots_per_page);
  *out = {orm::to_slot_state(nand.page_state(at)), bytes.data, bytes.spare};
  return 0;
}

extern "C" int pcie_device_firmware_register(pcie_function *fn, uint32_t offset, uint32_t *value) {
  return int(orm::guarded_powered(orm::self(fn), [&](orm::Device &d) {
    *value = d.firmware_side().mmio_read(offset);
    return 0;
  }));
}

extern "C" int pcie_device_select_superblock(pcie_function *fn, uint32_t superblock) {
  return int(orm::guarded_powered(orm::self(fn), [&](orm::Device &d) {
    d.firmware_side().mmio_write(ORM_FW_SB_SELECT, ORM_PUT(ORM_FW_SB_SELECT_SB, superblock));
    return 0;
  }));
}

extern "C" int pcie_device_counter(pcie_function *fn, unsigned index, uint64_t *value) {
  if (index >= ORM_COUNTERS) return -EINVAL;
  return int(orm::guarded_powered(orm::self(fn), [&](orm::Device &d) {
    *value = d.counter(index);
    return 0;
  }));
}

extern "C" size_t pcie_device_start_up(pcie_function *fn, pcie_device_step *out, size_t max) {
  const std::vector<orm::StartUpStep> steps = orm::self(fn).device->start_up();
  for (size_t i = 0; i < steps.size() && i < max; ++i) {
    out[i] = {{}, steps[i].ns, steps[i].nvram_read, steps[i].nvram_written};
    std::snprintf(out[i].name, sizeof out[i].name, "%s", steps[i].name.c_str());
  }
  return steps.size();
}

extern "C" size_t pcie_device_work_done(pcie_function *fn, pcie_device_work *out, size_t max) {
  const orm::Firmware *firmware = orm::self(fn).device->firmware();
  if (firmware == nullptr) return 0;
  const std::vector<orm::FirmwareWork> work = firmware->work();
  for (size_t i = 0; i < work.size() && i < max; ++i) {
    out[i] = {{}, work[i].count};
    std::snprintf(out[i].kind, sizeof out[i].kind, "%s", work[i].kind.c_str());
  }
  return work.size();
}

extern "C" int pcie_device_nand_fault(pcie_function *fn, pcie_nand_fault fault, uint64_t where) {
  using orm::EccResult;
  orm::NandModel &nand = orm::self(fn).device->nand();
  orm::NandFaults &faults = nand.faults();
  if (fault == PCIE_FAULT_PROGRAM) {
    faults.fail_program(where);
    return 0;
  }
  const orm::NandGeometry &g = nand.geometry();
  if (where / g.slots_per_page >= g.pages()) return -EINVAL;
  const orm::NandAddress at = orm::address_of(g, uint32_t(where));
  const size_t slot = nand.slot_number(at);
  switch (fault) {
    case PCIE_FAULT_ERASE:
      faults.fail_erase(nand.block_number(at));
      return 0;
    case PCIE_FAULT_DATA_LOST:
      faults.spoil(slot, EccResult::kLost, EccResult::kGood);
      return 0;
    case PCIE_FAULT_DATA_MISCORRECTED:
      faults.spoil(slot, EccResult::kMiscorrected, EccResult::kGood);
      return 0;
    case PCIE_FAULT_SPARE_MISCORRECTED:
      faults.spoil(slot, EccResult::kGood, EccResult::kMiscorrected);
      return 0;
    case PCIE_FAULT_SLOT_LOST:
      faults.spoil(slot, EccResult::kLost, EccResult::kLost);
      return 0;
    case PCIE_FAULT_SLOT_DRIFTED:
      faults.spoil(slot, EccResult::kLost, EccResult::kLost, 2);
      return 0;
    case PCIE_FAULT_PROGRAM:
      break;
  }
  return -EINVAL;
}

extern "C" int pcie_device_memory_fault(pcie_function *fn, const pcie_memory_fault *fault) {
  const orm::MemoryFault its{fault->write, fault->nth, fault->from, fault->to,
                             fault->decode_error ? orm::kAxiDecerr : orm::kAxiSlverr};
  return orm::self(fn).device->fail_access(fault->nvram, its) ? 0 : -ENOTSUP;
}

extern "C" uint64_t pcie_device_media_events(pcie_function *fn) { return orm::self(fn).device->media().count(); }

extern "C" void pcie_device_cut_before(pcie_function *fn, uint64_t event) {
  orm::self(fn).device->media().cut_before(event);
}

extern "C" uint64_t pcie_device_cpu_stores(pcie_function *fn) {
  const orm::MediaEvents *stores = orm::self(fn).device->cpu_stores();
  return stores == nullptr ? 0 : stores->count();
}

extern "C" int pcie_device_cut_before_store(pcie_function *fn, uint64_t store) {
  orm::MediaEvents *stores = orm::self(fn).device->cpu_stores();
  if (stores == nullptr) return -ENOTSUP;
  stores->cut_before(store);
  return 0;
}

extern "C" void pcie_device_set_temperature(pcie_function *fn, uint16_t kelvin) {
  orm::self(fn).device->set_temperature(kelvin);
}

extern "C" void pcie_device_hang_firmware(pcie_function *fn) { orm::self(fn).device->hang_firmware(); }

extern "C" void pcie_device_upset_firmware(pcie_function *fn, uint32_t trial) {
  orm::self(fn).device->upset_firmware(trial);
}
