// SPDX-License-Identifier: Apache-2.0
#include "dram_model.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "sim_error.h"

namespace orm {
namespace {

// Size of the file that is mapped for pages of one value; it bounds the number of mappings of a memory. A smaller
// memory, such as the RTL's, is written instead.
constexpr size_t kFilledBytes = size_t(4) << 20;
// Below this size writing the bytes costs less. Firmware clears its tables in pieces of this size and of twice the
// size.
constexpr size_t kLeastMapped = size_t(256) << 10;

[[noreturn]] void fail(const char *doing) {
  throw SimError(std::string("DRAM of the model: cannot ") + doing + ": " + std::strerror(errno));
}

/// A file in memory of kFilledBytes times `byte`, created on first use. It exists until the program ends.
int filled_file(uint8_t byte) {
  static std::mutex mutex;
  static std::array<int, 256> files = [] {
    std::array<int, 256> none{};
    none.fill(-1);
    return none;
  }();
  const std::lock_guard<std::mutex> lock(mutex);
  int &file = files[byte];
  if (file >= 0) return file;
  const int made = memfd_create("openremap-dram", MFD_CLOEXEC);
  if (made < 0) fail("make a file in memory");
  const std::vector<uint8_t> bytes(kFilledBytes, byte);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(made, bytes.data() + done, bytes.size() - done);
    if (n <= 0) {
      const int why = errno;
      close(made);
      errno = why;
      fail("fill a file in memory");
    }
    done += size_t(n);
  }
  file = made;
  return file;
}

size_t system_page() {
  static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

DramModel::DramModel(size_t bytes, const SharedMemory &shared) : size_(bytes), shared_(shared.file >= 0) {
  void *mapped =
      mmap(nullptr, std::max<size_t>(size_, 1), PROT_READ | PROT_WRITE,
           (shared_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE, shared.file, off_t(shared.from));
  if (mapped == MAP_FAILED) fail("map it");
  base_ = static_cast<uint8_t *>(mapped);
  try {
    fill(0, kPattern, size_);
  } catch (...) {
    munmap(base_, std::max<size_t>(size_, 1));
    throw;
  }
}

DramModel::~DramModel() { munmap(base_, std::max<size_t>(size_, 1)); }

bool DramModel::read(uint64_t addr, uint8_t *out, size_t len) const {
  if (!inside(addr, len)) return false;
  std::memcpy(out, base_ + addr, len);
  return true;
}

bool DramModel::write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len) {
  if (!inside(addr, len)) return false;
  if (strobe == nullptr) {
    std::memcpy(base_ + addr, data, len);
    return true;
  }
  for (size_t i = 0; i < len; ++i) {
    if (strobe[i] != 0) base_[addr + i] = data[i];
  }
  return true;
}

/// Fills whole system pages from `from` on. The mapping replaces the old pages and frees their memory.
void DramModel::map_filled(uint8_t *from, uint8_t byte, size_t len) {
  if (byte == 0) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(from, len, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) fail("map zeroes");
    return;
  }
  const int file = filled_file(byte);
  for (size_t done = 0; done < len;) {
    // The system merges neighbours that continue in the file into one mapping.
    const size_t at = size_t(from + done - base_) % kFilledBytes;
    const size_t n = std::min(len - done, kFilledBytes - at);
    constexpr int flags = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;
    if (mmap(from + done, n, PROT_READ | PROT_WRITE, flags, file, off_t(at)) == MAP_FAILED) fail("map a value");
    done += n;
  }
}

bool DramModel::fill(uint64_t addr, uint8_t byte, size_t len) {
  if (!inside(addr, len)) return false;
  uint8_t *const begin = base_ + addr, *const end = begin + len;
  const size_t page = system_page();
  uint8_t *const first = base_ + (addr + page - 1) / page * page, *const last = base_ + (addr + len) / page * page;
  if (shared_ || size_ <= kFilledBytes || last < first || size_t(last - first) < kLeastMapped) {
    std::fill(begin, end, byte);
    return true;
  }
  std::fill(begin, first, byte);
  map_filled(first, byte, size_t(last - first));
  std::fill(last, end, byte);
  return true;
}

void DramModel::power_cut() { fill(0, kPattern, size_); }

}  // namespace orm
