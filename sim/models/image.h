// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IMAGE_H
#define OPENREMAP_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "file_space.h"
#include "image_guard.h"

namespace orm {

/// A named number that must be the same whenever an image is opened, e.g. {"blocks per die", 64}.
struct ImageField {
  const char *name;
  uint64_t value;
};

/// The file of an image. With an empty `path` the image is in memory.
///
/// `unchanged`: the file must exist and is not modified; changes are lost with the process. For programs that only
/// read.
/// `reserve`: the whole file gets its room when it is opened, and keeps it until it is closed.
struct ImageFile {
  ImageFile(std::string file, bool stays = false) : path(std::move(file)), unchanged(stays) {}  // NOLINT: a path is one
  ImageFile(const char *file) : path(file) {}                                                   // NOLINT
  std::string path;
  bool unchanged = false;
  bool reserve = false;
  FileSpace::Allocate allocate = allocate_in_file;  // another function in tests
};

/// The content of a non-volatile memory, in a sparse file or in (sparse) anonymous memory.
///
/// The file is mapped and changed in place. A process that dies leaves what the memory held at that instant, as a power
/// cut does, without a write-back step; the models order their stores accordingly. A 4 KiB header holds magic, format
/// version, kind and fields. A file that differs in any of them is refused, never reinterpreted. The file is locked
/// while it is open; several processes may open one as `unchanged`.
///
/// A full file system is an ordinary error, because room is taken before each store. Everything else that can go wrong
/// below the mapping ends the program (ImageGuard).
class Image {
 public:
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kHeaderBytes = 4096;
  static constexpr size_t kMaxFields = 8;

  /// `kind` up to 15 characters. Throws ImageError; then no new file is left.
  Image(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields, size_t bytes);
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  const uint8_t *data() const { return base_ + kHeaderBytes; }
  /// The bytes from `offset` on, of which `len` may be written: they have their room in the file. Throws ImageError.
  uint8_t *writable(size_t offset, size_t len) {
    if (space_ != nullptr) space_->take(kHeaderBytes + offset, len);
    return base_ + kHeaderBytes + offset;
  }
  size_t size() const { return size_; }
  bool in_file() const { return fd_ >= 0; }
  /// True if there was no file, or an empty one: all bytes are zero.
  bool fresh() const { return fresh_; }
  /// Returns a range to the system; it reads as zeroes afterwards. Whole pages are freed, so erased flash takes no
  /// room. Throws ImageError.
  void discard(size_t offset, size_t len);
  /// Throws ImageError if the file has not kept what was written: it was truncated or removed, or the file system has
  /// failed to write it back. To be called when the image is no longer needed.
  void check_kept() const;

 private:
  void open_file(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields);
  void make_file(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields);
  void forget_file();
  void release();

  std::string path_;
  uint8_t *base_ = nullptr;
  size_t size_;
  int fd_ = -1;
  bool unchanged_ = false;
  bool reserved_ = false;
  bool fresh_ = true;
  bool created_ = false;              // the file did not exist before
  std::unique_ptr<FileSpace> space_;  // of a file that may change
  std::unique_ptr<ImageGuard> guard_;
};

}  // namespace orm
#endif  // OPENREMAP_IMAGE_H
