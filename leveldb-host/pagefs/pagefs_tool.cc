// SPDX-License-Identifier: Apache-2.0
//
// pagefs - checks the file system in a device's images, lists its files, says who has its pages (docs/pagefs.md).
#include <cerrno>
#include <cstdio>
#include <string>

#include "arguments.h"
#include "nvme_page_device.h"
#include "page_fs_check.h"

int main(int argc, char **argv) {
  std::string image, device = "model", geometry;
  uint32_t superblocks = 0;
  bool read = false;
  CLI::App app(
      "Checks the PageFS that a device's images hold; writes nothing to it. Exit code: 0 no findings, 1 some, or the "
      "device "
      "fails, 2 wrong use.",
      "pagefs");
  app.add_option("--image", image, "folder with the images")->required()->check(CLI::ExistingDirectory);
  app.add_option("--device", device, "rtl: the Verilated controller; model: the fast model")
      ->check(CLI::IsMember({"rtl", "model"}))
      ->capture_default_str();
  app.add_option("--superblocks", superblocks, "that the device was made with; 0: all");
  app.add_option("--geometry", geometry, "that the device was made with");
  app.require_subcommand(1);
  CLI::App *check = app.add_subcommand("check", "say what is damaged");
  check->add_flag("--read", read, "read every page of every file, too");
  const CLI::App *list = app.add_subcommand("list", "the same, and all files with their pages");
  const CLI::App *space = app.add_subcommand("space", "the same, and who has how many pages");
  if (const auto code = orm::tools::parse(&app, argc, argv)) return *code;
  openremap_options options{};
  options.create = pcie_device_create;
  options.device.kind = device.c_str();
  options.device.image_dir = image.c_str();
  options.device.superblocks = superblocks;
  options.device.geometry = geometry.empty() ? nullptr : geometry.c_str();
  openremap_device *handle = nullptr;
  char error[300] = "";
  const int rc = openremap_open(&options, &handle, error, sizeof(error));
  if (rc != 0) {
    std::fprintf(stderr, "pagefs: %s\n", error);
    return rc == -EINVAL ? orm::tools::kWrongUse : 1;
  }
  openremap::NvmePageDevice pages(handle);
  const openremap::PageFsCheck result = openremap::CheckPageFs(&pages, read);
  if (space->parsed()) std::fputs(openremap::SpaceText(result).c_str(), stdout);
  std::fputs(openremap::ToText(result, list->parsed()).c_str(), stdout);
  const bool closed = openremap_close(handle) == 0;
  return result.findings.empty() && closed ? 0 : 1;
}
