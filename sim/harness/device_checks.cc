// SPDX-License-Identifier: Apache-2.0
#include "device_checks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim_error.h"

namespace orm {

void check_superblocks(uint32_t wanted, uint32_t least, uint32_t most) {
  if (wanted == 0 || (wanted >= least && wanted <= most)) return;
  throw OptionError("superblocks: " + std::to_string(wanted) + " is not from " + std::to_string(least) + " to " +
                    std::to_string(most));
}

void check_segments(uint32_t wanted, uint32_t gc_reserve, uint32_t most) {
  const uint32_t least = 2 * gc_reserve;  // device_segments_fit() of the firmware
  if (wanted == 0 || (wanted >= least && wanted <= most)) return;
  throw OptionError("segments of the remap table: " + std::to_string(wanted) + " is not from " + std::to_string(least) +
                    " to " + std::to_string(most));
}

void check_shared_dram(const SharedMemory &shared, uint64_t bytes) {
  if (shared.file < 0 || bytes <= shared.bytes) return;
  throw OptionError("geometry: its DRAM has " + std::to_string(bytes) +
                    " bytes, and the firmware's processor room for " + std::to_string(shared.bytes));
}

namespace {

/// Whether an errno tells that the path is wrong. Others tell of what is around it: permissions, the file system.
bool is_wrong_path(int error) {
  return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP || error == EINVAL;
}

}  // namespace

void check_image_folder(const std::string &path, bool unchanged, bool reserve) {
  if (path.empty() && unchanged) throw OptionError("images that stay unchanged: no folder is named");
  if (reserve && (path.empty() || unchanged))
    throw OptionError(path.empty() ? "reserving the image: no folder for it is named"
                                   : "reserving the image: images that stay unchanged take no room");
  if (path.empty()) return;
  if (unchanged) {
    for (const char *name : {kFlashImage, kNvramImage}) {
      if (access((path + "/" + name).c_str(), R_OK) == 0) continue;
      const int error = errno;
      const std::string why = std::strerror(error);
      if (!is_wrong_path(error)) throw ImageError(path + "/" + name + ": cannot be read: " + why);
      throw OptionError("no image of a device in '" + path + "': " + name + ": " + why);
    }
    return;
  }
  bool there = mkdir(path.c_str(), 0777) == 0;
  struct stat found {};
  if (!there && errno == EEXIST && stat(path.c_str(), &found) == 0) {
    there = S_ISDIR(found.st_mode);
    errno = ENOTDIR;  // what access() would say of a file depends on its permissions
  }
  if (there && access(path.c_str(), W_OK | X_OK) == 0) return;
  const int error = errno;
  const std::string why = std::strerror(error);
  // A device writes even when its host only reads: erase counts, journal, read counters.
  if (!is_wrong_path(error)) throw ImageError(path + "/" + kFlashImage + ": cannot be written: " + why);
  throw OptionError("cannot keep images in '" + path + "': " + why);
}

std::optional<orm_nv_header> formatted_header(const NvramModel &nvram, uint32_t nv_header) {
  uint8_t raw[ORM_NV_HEADER_BYTES];
  orm_nv_header header;
  if (!nvram.read(nv_header, raw, sizeof raw) || !orm_nv_header_open(&header, raw)) return std::nullopt;
  return header;
}

uint32_t formatted_superblocks(const NvramModel &nvram, uint32_t nv_header) {
  const std::optional<orm_nv_header> header = formatted_header(nvram, nv_header);
  return header ? header->superblocks : 0;
}

void check_formatted(uint32_t wanted, uint32_t formatted, const std::string &image_dir) {
  check_formatted("superblocks", wanted, formatted, image_dir);
}

void check_formatted(const std::string &option, uint32_t wanted, uint32_t formatted, const std::string &image_dir) {
  if (wanted == 0 || formatted == 0 || wanted == formatted) return;
  throw OptionError(option + ": the device in '" + image_dir + "' was formatted with " + std::to_string(formatted) +
                    ", not " + std::to_string(wanted));
}

}  // namespace orm
