// SPDX-License-Identifier: Apache-2.0
//
// Checks of options that are common to all kinds of device. Each check throws OptionError with a message for the user.
#ifndef OPENREMAP_DEVICE_CHECKS_H
#define OPENREMAP_DEVICE_CHECKS_H

#include <cstdint>
#include <optional>
#include <string>

#include "dram_model.h"
#include "nvram_model.h"
#include "orm_formats.h"

namespace orm {

/// Checks that the number of superblocks to use, `wanted`, is 0 (all of them) or from `least`, which the firmware
/// needs, to `most`, which the flash has. Called before an image is created.
void check_superblocks(uint32_t wanted, uint32_t least, uint32_t most);
/// Checks that the number of remap-table segments to use, `wanted`, is 0 (all of them) or one that the firmware can do
/// with: from twice the reserve of GC, `gc_reserve`, to `most`, which the hardware has. Called before an image is
/// created.
void check_segments(uint32_t wanted, uint32_t gc_reserve, uint32_t most);
/// Checks that memory that the DRAM shares with another process, if any, has room for its `bytes`. Called before an
/// image is created.
void check_shared_dram(const SharedMemory &shared, uint64_t bytes);
/// Image files in the folder of a device.
constexpr const char *kFlashImage = "flash.img", *kNvramImage = "nvram.img";
/// Creates the folder for images and checks that it is writable. With `unchanged` it creates nothing and checks that
/// both images exist and are readable. An empty `path` means no images; `unchanged` and `reserve` refuse it. Throws
/// ImageError if the path is right and this process may not use it, or its file system is full, read-only or failing.
void check_image_folder(const std::string &path, bool unchanged, bool reserve);
/// The NVRAM header at address `nv_header`; nothing: the NVRAM holds no valid header.
std::optional<orm_nv_header> formatted_header(const NvramModel &nvram, uint32_t nv_header);
/// Number of superblocks in the NVRAM header at address `nv_header`. 0: the NVRAM holds no valid header.
uint32_t formatted_superblocks(const NvramModel &nvram, uint32_t nv_header);
/// Checks that the device in `image_dir` was formatted with `wanted` superblocks. `formatted` is the number in its
/// header. No check if either is 0: any number is accepted, or the device is not formatted yet.
void check_formatted(uint32_t wanted, uint32_t formatted, const std::string &image_dir);
/// The same for what another option decides, which the message begins with.
void check_formatted(const std::string &option, uint32_t wanted, uint32_t formatted, const std::string &image_dir);

}  // namespace orm
#endif  // OPENREMAP_DEVICE_CHECKS_H
