// SPDX-License-Identifier: Apache-2.0
//
// What every kind of device checks of its options, before any image is made and once one is open. Throw OptionError.
#ifndef OPENREMAP_DEVICE_CHECKS_H
#define OPENREMAP_DEVICE_CHECKS_H

#include <cstdint>
#include <string>

#include "nvram_model.h"

namespace orm {

/// `wanted` superblocks (0: all) of `most`, of which the firmware needs `least`.
void check_superblocks(uint32_t wanted, uint32_t least, uint32_t most);
/// Files of a device's memories in its folder.
constexpr const char *kFlashImage = "flash.img", *kNvramImage = "nvram.img";
/// Makes the folder for images, if any, and sees that it can be written to; `unchanged`: sees that there are images.
void check_image_folder(const std::string &path, bool unchanged);
/// Superblocks that the NVRAM's header at `nv_header` speaks of; 0: it holds none.
uint32_t formatted_superblocks(const NvramModel &nvram, uint32_t nv_header);
/// The device in `image_dir` was formatted with as many superblocks as are `wanted` (0: whatever it has).
void check_formatted(uint32_t wanted, uint32_t formatted, const std::string &image_dir);

}  // namespace orm
#endif  // OPENREMAP_DEVICE_CHECKS_H
