// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim_error.h"

namespace orm {
namespace {

constexpr size_t kLargePagesUpTo = size_t(1) << 30;
constexpr char kMagic[8] = {'O', 'R', 'M', 'I', 'M', 'A', 'G', 'E'};

// In the byte order of the machine, so an image of a machine of the other byte order has another version number.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t fields;
  char kind[16];
  uint64_t value[Image::kMaxFields];
};
static_assert(sizeof(Header) <= Image::kHeaderBytes, "header page");

std::string system_error(const std::string &path, const char *doing) {
  return path + ": cannot " + doing + ": " + std::strerror(errno);
}

Header describe(const std::string &kind, const std::vector<ImageField> &fields) {
  Header header{};
  if (kind.size() >= sizeof header.kind || fields.size() > Image::kMaxFields)
    throw ImageError("image description too long");
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.version = Image::kVersion;
  header.fields = uint32_t(fields.size());
  std::copy(kind.begin(), kind.end(), header.kind);
  for (size_t i = 0; i < fields.size(); ++i) header.value[i] = fields[i].value;
  return header;
}

void check(const Header &found, const std::string &path, const std::string &kind,
           const std::vector<ImageField> &fields) {
  if (std::memcmp(found.magic, kMagic, sizeof kMagic) != 0) throw ImageError(path + ": not an OpenRemap image");
  if (found.version != Image::kVersion) {
    throw ImageError(path + ": image version " + std::to_string(found.version) + ", this program knows version " +
                     std::to_string(Image::kVersion));
  }
  const std::string found_kind(found.kind, strnlen(found.kind, sizeof found.kind));
  if (found_kind != kind) throw ImageError(path + ": holds '" + found_kind + "', not '" + kind + "'");
  if (found.fields != fields.size()) throw ImageError(path + ": made for a device of another shape");
  for (size_t i = 0; i < fields.size(); ++i) {
    if (found.value[i] == fields[i].value) continue;
    throw ImageError(path + ": made for " + std::to_string(found.value[i]) + " " + fields[i].name +
                     ", this device has " + std::to_string(fields[i].value));
  }
}

}  // namespace

Image::Image(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields, size_t bytes)
    : size_(bytes), unchanged_(file.unchanged) {
  const std::string &path = file.path;
  try {
    if (!path.empty()) open_file(file, kind, fields);
    int flags = MAP_SHARED;
    if (path.empty()) flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (!path.empty() && unchanged_) flags = MAP_PRIVATE | MAP_NORESERVE;
    void *mapped = mmap(nullptr, kHeaderBytes + size_, PROT_READ | PROT_WRITE, flags, fd_, 0);
    if (mapped == MAP_FAILED) throw ImageError(system_error(path.empty() ? "memory" : path, "map it"));
    base_ = static_cast<uint8_t *>(mapped);
    // A hint for fewer page faults; if it is refused that costs only time. Not for a large image, whose scattered
    // writes would each take a large page.
    if (path.empty() && size_ <= kLargePagesUpTo) (void)madvise(base_, kHeaderBytes + size_, MADV_HUGEPAGE);
    if (fresh_) {
      const Header header = describe(kind, fields);
      std::memcpy(base_, &header, sizeof header);
    }
  } catch (...) {
    release();
    throw;
  }
}

Image::~Image() { release(); }

void Image::release() {
  if (base_ != nullptr) munmap(base_, kHeaderBytes + size_);
  if (fd_ >= 0) close(fd_);
  base_ = nullptr;
  fd_ = -1;
}

void Image::open_file(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields) {
  const std::string &path = file.path;
  fd_ = open(path.c_str(), (unchanged_ ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC, 0644);
  if (fd_ < 0) throw ImageError(system_error(path, "open it"));
  if (flock(fd_, (unchanged_ ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
    throw ImageError(path + ": in use by another device");
  struct stat st {};
  if (fstat(fd_, &st) != 0) throw ImageError(system_error(path, "look at it"));
  fresh_ = st.st_size == 0;
  if (fresh_) {
    if (unchanged_) throw ImageError(path + ": not an OpenRemap image");
    if (ftruncate(fd_, off_t(kHeaderBytes + size_)) != 0) throw ImageError(system_error(path, "set its size"));
    return;
  }
  Header header{};
  if (pread(fd_, &header, sizeof header, 0) != ssize_t(sizeof header))
    throw ImageError(path + ": not an OpenRemap image");
  check(header, path, kind, fields);
  // Access to a mapping past the end of its file raises SIGBUS, so the size is checked first.
  if (size_t(st.st_size) != kHeaderBytes + size_) throw ImageError(path + ": truncated or of the wrong size");
}

void Image::discard(size_t offset, size_t len) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  uint8_t *begin = data() + offset;
  uint8_t *end = begin + len;
  uint8_t *first = base_ + (size_t(begin - base_) + page - 1) / page * page;
  uint8_t *last = base_ + size_t(end - base_) / page * page;
  // MADV_REMOVE punches a hole into the file, MADV_DONTNEED drops anonymous memory. A file system without holes gets
  // plain zeroes. So does an unchanged file's mapping, where dropped memory would show the file again.
  if (first < last && madvise(first, size_t(last - first), fd_ >= 0 ? MADV_REMOVE : MADV_DONTNEED) == 0) {
    std::fill(begin, first, uint8_t(0));
    std::fill(last, end, uint8_t(0));
  } else {
    std::fill(begin, end, uint8_t(0));
  }
}

}  // namespace orm
