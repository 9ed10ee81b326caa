// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_commands.h"

#include <algorithm>
#include <cerrno>

#include "lockstep/lockstep_burst.h"
#include "orm_formats.h"
#include "orm_nvme.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "pcie_function.h"
#include "support/device_rest.h"

namespace orm::lockstep {
namespace {

constexpr int kMostRestMs = 200;
constexpr uint64_t kShutdownPollNs = 10'000, kShutdownMostNs = 1'000'000'000;
constexpr size_t kMostHandles = 16;  // the most that a device can report

/// A device that was never used. Nothing happens at the media before power comes back, so a cut at any of their events
/// finds NVRAM blank.
int blank(openremap_device *dev, bool ones) {
  pcie_function *fn = openremap_pcie_function(dev);
  int rc = fn->ops->power_cut(fn);
  if (rc == 0) rc = pcie_device_blank_nvram(fn, ones ? 0xFF : 0);
  if (rc == 0) rc = pcie_device_blank_flash(fn);
  return rc == 0 ? openremap_power_cycle(dev) : rc;
}

/// Shuts down as a host does: sets CC.SHN and waits until CSTS.SHST reports completion.
int shut_down(openremap_device *dev) {
  pcie_function *fn = openremap_pcie_function(dev);
  uint64_t value = 0;
  int rc = openremap_flush(dev);  // no command is in flight after it
  if (rc == 0) rc = fn->ops->bar0_read(fn, ORM_BAR0_CC, 4, &value);
  if (rc != 0) return rc;
  rc = fn->ops->bar0_write(fn, ORM_BAR0_CC, 4, value | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
  const uint64_t end = openremap_now_ns(dev) + kShutdownMostNs;
  while (rc == 0) {
    rc = fn->ops->bar0_read(fn, ORM_BAR0_CSTS, 4, &value);
    if (rc != 0 || ORM_GET(value, ORM_BAR0_CSTS_SHST) == NVME_SHUTDOWN_COMPLETE) return rc;
    if (openremap_now_ns(dev) > end) return -ETIMEDOUT;
    rc = int(std::min<int64_t>(fn->ops->run(fn, kShutdownPollNs), 0));
  }
  return rc;
}

/// Whether a device that has shut down has a mapping snapshot, according to the newer copy of FwState.
bool has_snapshot(openremap_device *dev) {
  pcie_function *fn = openremap_pcie_function(dev);
  uint32_t counters = 0;
  if (pcie_device_firmware_register(fn, ORM_FW_NV_COUNTERS, &counters) != 0) return false;
  size_t bytes = 0;
  const uint8_t *copies = pcie_device_nvram(fn, &bytes) + counters + ORM_NV_STATE_OFFSET;
  orm_fw_state newest{};
  for (size_t copy = 0; copy < 2; ++copy) {
    orm_fw_state state{};
    if (orm_fw_state_open(&state, copies + copy * ORM_FW_STATE_BYTES) && state.save > newest.save) newest = state;
  }
  return newest.clean == 1 && newest.snapshot_slots != 0;
}

/// The remaining space of each reclaim unit, which depends only on the host's writes.
Outcome placement(openremap_device *dev, const Command &c) {
  Outcome outcome;
  if (c.handle >= 0) {
    const uint16_t handle = uint16_t(c.handle);
    outcome.statuses.push_back(openremap_placement_update(dev, &handle, 1));
  }
  openremap_placement handles[kMostHandles];
  size_t count = 0;
  outcome.statuses.push_back(openremap_get_placement(dev, handles, kMostHandles, &count));
  for (size_t i = 0; i < std::min(count, kMostHandles); ++i) {
    for (unsigned shift = 0; shift < 64; shift += 8) outcome.data.push_back(uint8_t(handles[i].pages_left >> shift));
  }
  return outcome;
}

}  // namespace

Outcome execute(openremap_device *dev, const Command &c) {
  Outcome outcome;
  const unsigned move = c.flag ? OPENREMAP_MOVE : OPENREMAP_SHARE;
  int status = 0;
  switch (c.kind) {
    case Kind::kRead:
      outcome.data.assign(c.pages * OPENREMAP_PAGE_BYTES, 0);
      status = openremap_read(dev, c.lpn, c.pages, outcome.data.data());
      break;
    case Kind::kWrite:
      status = c.handle < 0 ? openremap_write(dev, c.lpn, c.pages, contents(c.value, c.pages).data(), c.flag)
                            : openremap_write_placed(dev, c.lpn, c.pages, contents(c.value, c.pages).data(), c.flag,
                                                     uint16_t(c.handle));
      break;
    case Kind::kPlacement:
      return placement(dev, c);
    case Kind::kFlush:
      status = openremap_flush(dev);
      break;
    case Kind::kDeallocate: {
      std::vector<openremap_range> list;
      for (const openremap_remap_range &r : c.ranges) list.push_back({r.src, r.pages});
      status = openremap_deallocate(dev, list.data(), list.size());
      break;
    }
    case Kind::kWriteZeroes:
      status = openremap_write_zeroes(dev, c.lpn, c.pages, c.flag);
      break;
    case Kind::kRemap:
      status = openremap_remap(dev, c.lpn, c.dst, c.pages, move);
      break;
    case Kind::kRemapVector:
      status = openremap_remap_vector(dev, c.ranges.data(), c.ranges.size(), move);
      break;
    case Kind::kCopy:
      status = openremap_copy(dev, c.lpn, c.dst, c.pages);
      break;
    case Kind::kBurst:
      return execute_burst(dev, c);
    case Kind::kFormat:
      status = openremap_format(dev, c.flag);
      break;
    case Kind::kReset:
      status = openremap_reset(dev);
      break;
    case Kind::kPowerCycle:
      status = openremap_flush(dev);
      if (status == 0) status = openremap_power_cycle(dev);
      break;
    case Kind::kShutdown:
      status = shut_down(dev);
      if (status != 0) break;
      outcome.snapshot = has_snapshot(dev);
      status = c.flag ? openremap_reset(dev) : openremap_power_cycle(dev);
      break;
    case Kind::kBlank:
      status = blank(dev, c.flag);
      break;
    case Kind::kRest:
      status = rest(dev) ? 0 : -ETIMEDOUT;
      break;
  }
  outcome.statuses.push_back(status);
  return outcome;
}

bool rest(openremap_device *dev) { return tools::device_rests(dev, kMostRestMs); }

}  // namespace orm::lockstep
