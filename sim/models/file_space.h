// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FILE_SPACE_H
#define OPENREMAP_FILE_SPACE_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace orm {

/// Each makes room for `bytes` of file `fd` from byte `from` on, and keeps the file's content and size. Returns 0 or an
/// errno.
/// By writing the bytes again. File systems that choose the place of data late (ext4, XFS) only count it as taken then,
/// so that it costs little to give it back when the flash is erased.
int allocate_by_writing(int fd, size_t from, size_t bytes);
/// By fallocate(2), for much at a time; by writing on a file system without that (FAT, NFS 3).
int allocate_at_once(int fd, size_t from, size_t bytes);
/// Chunks by writing, more at once.
int allocate_in_file(int fd, size_t from, size_t bytes);

/// Room in a sparse file that is written through a mapping.
///
/// A store into a hole of a mapped file raises SIGBUS when the file system is full. Room that is taken before the store
/// turns that into an ordinary error. It is taken in chunks, each once, so that later stores cost no system call.
class FileSpace {
 public:
  static constexpr size_t kChunk = 16384;

  using Allocate = int (*)(int fd, size_t from, size_t bytes);

  /// For the file `fd` of `bytes` bytes; `path` is for messages. `allocate` is allocate_in_file, but for tests.
  FileSpace(std::string path, int fd, size_t bytes, Allocate allocate = allocate_in_file)
      : path_(std::move(path)), fd_(fd), bytes_(bytes), allocate_(allocate), taken_((bytes + kChunk - 1) / kChunk) {}

  /// Makes sure that stores to these bytes find room. Throws ImageError.
  void take(size_t from, size_t bytes) {
    if (bytes == 0) return;  // `from` may lie within a chunk that nothing else uses
    for (size_t chunk = from / kChunk; chunk * kChunk < from + bytes; ++chunk) {
      if (!taken_[chunk]) take_chunk(chunk);
    }
  }
  /// Makes sure that stores to the whole file find room. Throws ImageError.
  void take_all();
  /// To be called when room of these bytes has been given back to the file system.
  void given_back(size_t from, size_t bytes);

 private:
  void take_chunk(size_t chunk);

  std::string path_;
  int fd_;
  size_t bytes_;
  Allocate allocate_;
  std::vector<bool> taken_;
};

}  // namespace orm
#endif  // OPENREMAP_FILE_SPACE_H
