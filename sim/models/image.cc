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
    : path_(file.path), size_(bytes), unchanged_(file.unchanged), reserved_(file.reserve) {
  try {
    if (!path_.empty()) open_file(file, kind, fields);
    int flags = MAP_SHARED;
    if (path_.empty()) flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (!path_.empty() && unchanged_) flags = MAP_PRIVATE | MAP_NORESERVE;
    void *mapped = mmap(nullptr, kHeaderBytes + size_, PROT_READ | PROT_WRITE, flags, fd_, 0);
    if (mapped == MAP_FAILED) throw ImageError(system_error(path_.empty() ? "memory" : path_, "map it"));
    base_ = static_cast<uint8_t *>(mapped);
    if (!path_.empty()) guard_ = std::make_unique<ImageGuard>(path_, fd_, !unchanged_, base_, kHeaderBytes + size_);
    // A hint for fewer page faults; if it is refused that costs only time. Not for a large image, whose scattered
    // writes would each take a large page.
    if (path_.empty() && size_ <= kLargePagesUpTo) (void)madvise(base_, kHeaderBytes + size_, MADV_HUGEPAGE);
  } catch (...) {
    if (fd_ >= 0 && fresh_ && !unchanged_) forget_file();
    release();
    throw;
  }
}

Image::~Image() { release(); }

/// A file without content must not stay: it would take room, and be no image.
void Image::forget_file() {
  if (created_) {
    (void)unlink(path_.c_str());
  } else if (ftruncate(fd_, 0) != 0) {
    return;  // it is refused as no image, then
  }
}

void Image::release() {
  guard_.reset();
  if (base_ != nullptr) munmap(base_, kHeaderBytes + size_);
  if (fd_ >= 0) close(fd_);
  base_ = nullptr;
  fd_ = -1;
}

void Image::open_file(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields) {
  if (unchanged_) {
    fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  } else {
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    created_ = fd_ >= 0;
    if (fd_ < 0 && errno == EEXIST) fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  }
  if (fd_ < 0) throw ImageError(system_error(path_, unchanged_ ? "open it" : "open it for writing"));
  fresh_ = false;  // until it is known to be empty and nobody else's
  if (flock(fd_, (unchanged_ ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    throw ImageError(errno == EWOULDBLOCK ? path_ + ": in use by another device" : system_error(path_, "lock it"));
  }
  struct stat st {};
  if (fstat(fd_, &st) != 0) throw ImageError(system_error(path_, "look at it"));
  fresh_ = st.st_size == 0;
  if (fresh_ && unchanged_) throw ImageError(path_ + ": not an OpenRemap image");
  if (!unchanged_) space_ = std::make_unique<FileSpace>(path_, fd_, kHeaderBytes + size_, file.allocate);
  if (fresh_) {
    make_file(file, kind, fields);
    return;
  }
  Header header{};
  const ssize_t got = pread(fd_, &header, sizeof header, 0);
  if (got < 0) throw ImageError(system_error(path_, "read it"));
  if (got != ssize_t(sizeof header)) throw ImageError(path_ + ": not an OpenRemap image");
  check(header, path_, kind, fields);
  // Access to a mapping past the end of its file raises SIGBUS, so the size is checked first.
  if (size_t(st.st_size) != kHeaderBytes + size_) throw ImageError(path_ + ": truncated or of the wrong size");
  if (reserved_ && space_ != nullptr) space_->take_all();
}

void Image::make_file(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields) {
  const Header header = describe(kind, fields);
  const NoSizeSignal no_signal;
  if (ftruncate(fd_, off_t(kHeaderBytes + size_)) != 0) throw ImageError(system_error(path_, "set its size"));
  if (file.reserve) space_->take_all();
  space_->take(0, sizeof header);
  const ssize_t put = pwrite(fd_, &header, sizeof header, 0);
  if (put < 0) throw ImageError(system_error(path_, "write it"));
  if (put != ssize_t(sizeof header)) throw ImageError(path_ + ": cannot write it: " + std::strerror(ENOSPC));
}

void Image::discard(size_t offset, size_t len) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  const size_t begin = kHeaderBytes + offset, end = begin + len;
  const size_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first >= last) {
    std::fill_n(writable(offset, len), len, uint8_t(0));
    return;
  }
  if (begin < first) std::fill_n(writable(offset, first - begin), first - begin, uint8_t(0));
  if (last < end) std::fill_n(writable(last - kHeaderBytes, end - last), end - last, uint8_t(0));
  // MADV_REMOVE punches a hole into the file, MADV_DONTNEED drops anonymous memory. A file system without holes gets
  // plain zeroes. So does an unchanged file's mapping, where dropped memory would show the file again, and a reserved
  // file, which would lose its room.
  const bool keeps = fd_ >= 0 && (unchanged_ || reserved_);
  if (!keeps && madvise(base_ + first, last - first, fd_ >= 0 ? MADV_REMOVE : MADV_DONTNEED) == 0) {
    if (space_ != nullptr) space_->given_back(first, last - first);
  } else {
    std::fill_n(writable(first - kHeaderBytes, last - first), last - first, uint8_t(0));
  }
}

void Image::check_kept() const {
  if (fd_ < 0 || unchanged_) return;
  struct stat st {};
  if (fstat(fd_, &st) != 0) throw ImageError(system_error(path_, "look at it"));
  if (size_t(st.st_size) != kHeaderBytes + size_) throw ImageError(path_ + ": was truncated while a device used it");
  if (st.st_nlink == 0) throw ImageError(path_ + ": was removed while a device used it");
  // Waits for what is on its way to the medium already, and reports what has failed there. It starts no write.
  if (sync_file_range(fd_, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE) == 0) return;
  if (errno == EIO || errno == ENOSPC || errno == EDQUOT) throw ImageError(system_error(path_, "write it back"));
}

}  // namespace orm
