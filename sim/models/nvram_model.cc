// SPDX-License-Identifier: Apache-2.0
#include "nvram_model.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "sim_error.h"

namespace orm {

NvramModel::NvramModel(size_t bytes, const ImageFile &image, uint64_t seed)
    : image_(image, "nvram", {{"bytes", bytes}}, bytes), random_(seed) {
  assert(bytes % kUnit == 0);
}

bool NvramModel::read(uint64_t addr, uint8_t *out, size_t len) const {
  if (!inside(addr, len)) return false;
  std::memcpy(out, image_.data() + addr, len);
  return true;
}

void NvramModel::count(uint64_t addr, size_t len) {
  auto part = parts_.rbegin();
  while (part->begin > addr) ++part;
  part->written += len;
}

bool NvramModel::begin_write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len, unsigned port) {
  if (!inside(addr, len)) return false;
  event();
  count(addr, strobe == nullptr ? len : size_t(len - size_t(std::count(strobe, strobe + len, uint8_t(0)))));
  PendingWrite pending{port, {}};
  for (uint64_t unit = addr / kUnit * kUnit; unit < addr + len; unit += kUnit) {
    uint8_t *stored = image_.writable(unit, kUnit);
    OldUnit old{unit, {}};
    std::memcpy(old.bytes.data(), stored, kUnit);
    bool touched = false;
    std::array<uint8_t, kUnit> merged = old.bytes;
    for (size_t i = 0; i < kUnit; ++i) {
      if (unit + i < addr || unit + i >= addr + len) continue;
      const size_t from = size_t(unit + i - addr);
      if (strobe != nullptr && strobe[from] == 0) continue;
      merged[i] = data[from];
      touched = true;
    }
    if (!touched) continue;
    check_alone(unit, port);
    pending.units.push_back(old);
    // A whole unit is one store, so a process killed between two units leaves what a power cut may leave.
    std::memcpy(stored, merged.data(), kUnit);
  }
  pending_.push_back(std::move(pending));
  return true;
}

void NvramModel::check_alone(uint64_t unit, unsigned port) const {
  for (const PendingWrite &write : pending_) {
    if (write.port == port) continue;
    for (const OldUnit &other : write.units) {
      if (other.addr != unit) continue;
      throw PortViolation("NVRAM: ports " + std::to_string(write.port) + " and " + std::to_string(port) +
                          " write the 8 bytes at " + std::to_string(unit) + " at a time");
    }
  }
}

void NvramModel::answer(unsigned port) {
  const auto oldest =
      std::find_if(pending_.begin(), pending_.end(), [port](const PendingWrite &w) { return w.port == port; });
  assert(oldest != pending_.end());
  event();
  pending_.erase(oldest);
}

bool NvramModel::write_durable(uint64_t addr, const uint8_t *data, size_t len) {
  if (!inside(addr, len)) return false;
  count(addr, len);
  bool gone = false;
  for (uint64_t from = addr; from < addr + len;) {
    const uint64_t to = std::min(addr + len, (from / kUnit + 1) * kUnit);
    try {
      if (!gone) event();
    } catch (const PowerGone &) {
      gone = true;
    }
    if (!gone || random_.coin()) write_unit(from, data + (from - addr), size_t(to - from));
    from = to;
  }
  if (gone) throw PowerGone();
  return true;
}

void NvramModel::write_unit(uint64_t addr, const uint8_t *data, size_t len) {
  // An unanswered write that also touches the unit must not undo this write at a power cut, so the durable bytes are
  // added to what that write would restore.
  for (PendingWrite &write : pending_) {
    for (OldUnit &old : write.units) {
      for (size_t i = 0; i < kUnit; ++i) {
        const uint64_t at = old.addr + i;
        if (at >= addr && at < addr + len) old.bytes[i] = data[at - addr];
      }
    }
  }
  // Equal bytes are not stored again, so blanking a large blank NVRAM takes no room.
  if (std::memcmp(image_.data() + addr, data, len) != 0) std::memcpy(image_.writable(addr, len), data, len);
}

void NvramModel::blank(uint8_t byte) {
  assert(pending_.empty());
  std::memset(image_.writable(0, size()), byte, size());
}

bool NvramModel::damage(uint64_t addr, const uint8_t *data, size_t len) {
  assert(pending_.empty());
  if (!inside(addr, len)) return false;
  std::memcpy(image_.writable(addr, len), data, len);
  return true;
}

void NvramModel::power_cut() {
  // Newest first, so that restoring an old unit is never overwritten by a newer value.
  for (auto write = pending_.rbegin(); write != pending_.rend(); ++write) {
    for (const OldUnit &old : write->units) {
      if (random_.coin()) std::memcpy(image_.writable(old.addr, kUnit), old.bytes.data(), kUnit);
    }
  }
  pending_.clear();
}

}  // namespace orm
