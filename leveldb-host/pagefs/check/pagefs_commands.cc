// SPDX-License-Identifier: Apache-2.0
#include "pagefs/check/pagefs_commands.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>

#include "command_line.h"
#include "output.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/check/page_fs_copy.h"
#include "pagefs/device/nvme_page_device.h"

namespace openremap {

PageFsCommands::PageFsCommands(CLI::App *app) {
  app->require_subcommand(1);
  CLI::App *check = app->add_subcommand("check", "report damage of the file system");
  check->add_flag("--read", read_, "also read every page of every file");
  list_ = app->add_subcommand("list", "check, and list all files with their pages");
  space_ = app->add_subcommand("space", "check, and report how the pages are used");
  copy_ = app->add_subcommand("copy", "check, and copy all files into a folder, if there are no findings");
  copy_->add_option("folder", folder_, "a new folder, or an empty one")->required();
}

int PageFsCommands::Run(const openremap_options &options) const {
  openremap_device *device = nullptr;
  char error[300] = "";
  const int rc = openremap_open(&options, &device, error, sizeof(error));
  if (rc != 0) {
    std::fprintf(stderr, "pagefs: %s\n", error[0] != '\0' ? error : openremap_describe(rc, error, sizeof(error)));
    return rc == -EINVAL ? orm::command_line::kWrongUse : 1;
  }
  if (const char *refusal = openremap_refusal(device)) {
    std::fprintf(stderr, "pagefs: %s\n", refusal);
    (void)openremap_close(device);
    return 1;
  }
  NvmePageDevice pages(device);
  const PageFsCheck result = CheckPageFs(&pages, read_);
  if (space_->parsed()) std::fputs(SpaceText(result).c_str(), stdout);
  std::fputs(ToText(result, list_->parsed()).c_str(), stdout);
  bool copied = true;
  if (copy_->parsed() && result.formatted && result.findings.empty()) {
    const std::string wrong = CopyFiles(&pages, result, folder_);
    copied = wrong.empty();
    if (!copied) std::fprintf(stderr, "pagefs: copy: %s\n", wrong.c_str());
  }
  const bool closed = openremap_close(device) == 0;
  try {
    orm::output::flush();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "pagefs: %s\n", e.what());
    return 1;
  }
  return result.formatted && result.findings.empty() && copied && closed ? 0 : 1;
}

}  // namespace openremap
