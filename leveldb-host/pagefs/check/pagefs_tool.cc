// SPDX-License-Identifier: Apache-2.0
//
// pagefs - checks the file system in a device's images, lists its files, says who has its pages
// (docs/design/pagefs.md).
#include <string>

#include "command_line.h"
#include "pagefs/check/pagefs_commands.h"

int main(int argc, char **argv) {
  std::string image, device = "model", geometry;
  uint32_t superblocks = 0;
  CLI::App app(
      "Checks the PageFS in the images of a device without changing them. Exit code: 0 no findings, 1 findings, no "
      "file "
      "system or a device error, 2 a usage error.",
      "pagefs");
  app.add_option("--image", image, "folder with the flash and NVRAM images")->required();
  orm::command_line::add_device(&app, &device);
  app.add_option("--superblocks", superblocks, "number of superblocks that the device was created with; 0: all")
      ->check(orm::command_line::whole_number);
  app.add_option("--geometry", geometry, "flash geometry that the device was created with");
  const openremap::PageFsCommands commands(&app);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  openremap_options options{};
  options.create = pcie_device_create;
  options.device.kind = device.c_str();
  options.device.image_dir = image.c_str();
  options.device.images_unchanged = 1;  // starting the device writes to its memories
  options.device.superblocks = superblocks;
  options.device.geometry = geometry.empty() ? nullptr : geometry.c_str();
  return commands.Run(options);
}
