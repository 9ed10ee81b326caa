// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_IMAGE_H
#define OPENREMAP_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orm {

/// One named number that must be the same whenever an image is opened, e.g. {"blocks per die", 64}.
struct ImageField {
  const char *name;
  uint64_t value;
};

/// The file that an image is in. `path` empty: none, it is in memory.
///
/// `unchanged`: the file must be there, and stays as it is: changes go with the process. For programs that only look.
struct ImageFile {
  ImageFile(std::string file, bool stays = false) : path(std::move(file)), unchanged(stays) {}  // NOLINT: a path is one
  ImageFile(const char *file) : path(file) {}                                                   // NOLINT
  std::string path;
  bool unchanged = false;
};

/// Bytes of a memory that keeps its content without power: in a sparse file, or in (sparse) anonymous memory.
///
/// The file is mapped and changed in place. So a process that dies leaves what the memory held at that instant, which
/// is what a power cut leaves, without any write-back step; the models order their stores accordingly. A 4 KiB header
/// holds a magic, a format version, the kind and the fields; a file that differs in any of them is refused, never
/// reinterpreted. The file is locked while open; several may look at one that stays unchanged.
class Image {
 public:
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kHeaderBytes = 4096;
  static constexpr size_t kMaxFields = 8;

  /// `kind` up to 15 characters. Throws ImageError.
  Image(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields, size_t bytes);
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  uint8_t *data() { return base_ + kHeaderBytes; }
  const uint8_t *data() const { return base_ + kHeaderBytes; }
  size_t size() const { return size_; }
  bool in_file() const { return fd_ >= 0; }
  /// True when there was no file (or an empty one): all bytes are zero.
  bool fresh() const { return fresh_; }
  /// Gives a range back to the system; it reads as zero afterwards. Whole pages are freed, so erased flash takes no
  /// room.
  void discard(size_t offset, size_t len);

 private:
  void open_file(const ImageFile &file, const std::string &kind, const std::vector<ImageField> &fields);
  void release();

  uint8_t *base_ = nullptr;
  size_t size_;
  int fd_ = -1;
  bool unchanged_ = false;
  bool fresh_ = true;
};

}  // namespace orm
#endif  // OPENREMAP_IMAGE_H
