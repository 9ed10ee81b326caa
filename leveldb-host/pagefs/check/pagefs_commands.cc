// SPDX-License-Identifier: Apache-2.0
#include "pagefs/check/pagefs_commands.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "command_line.h"
#include "output.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/check/page_fs_copy.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs.h"

namespace openremap {

PageFsCommands::PageFsCommands(CLI::App *app, bool may_write) {
  app->require_subcommand(1);
  CLI::App *check = app->add_subcommand("check", "report damage of the file system");
  check->add_flag("--read", read_, "also read every page of every file");
  list_ = app->add_subcommand("list", "check, and list all files with their pages");
  space_ = app->add_subcommand("space", "check, and report how the pages are used");
  copy_ = app->add_subcommand("copy", "check, and copy all files into a folder, if there are no findings");
  copy_->add_option("folder", folder_, "a new folder, or an empty one")->required();
  if (!may_write) return;
  CLI::App *format = app->add_subcommand("format", "make an empty file system; all that is on the device is lost");
  format->add_flag("--yes", "lose it")->required();
  format->add_flag("--keep", keep_,
                   "do not deallocate all pages, so that a device that was brought to a steady state stays so");
  format_ = format;
}

// Whether there are no findings and everything that was asked for was done.
bool PageFsCommands::Check(openremap_device *device) const {
  NvmePageDevice pages(device);
  const PageFsCheck result = CheckPageFs(&pages, read_);
  if (space_->parsed()) std::fputs(SpaceText(result).c_str(), stdout);
  std::fputs(ToText(result, list_->parsed()).c_str(), stdout);
  if (!result.formatted || !result.findings.empty()) return false;
  const std::string wrong = copy_->parsed() ? CopyFiles(&pages, result, folder_) : "";
  if (!wrong.empty()) std::fprintf(stderr, "pagefs: copy: %s\n", wrong.c_str());
  return wrong.empty();
}

bool PageFsCommands::MakeFileSystem(openremap_device *device) const {
  NvmePageDevice pages(device);
  PageFsOptions options;
  options.format = Format::kAlways;
  options.mkfs_discard = !keep_;
  std::unique_ptr<PageFs> fs;
  const leveldb::Status s = PageFs::Open(&pages, &fs, options);
  if (!s.ok()) std::fprintf(stderr, "pagefs: format: %s\n", s.ToString().c_str());
  return s.ok();
}

int PageFsCommands::Run(openremap_options options) const {
  const bool format = format_ != nullptr && format_->parsed();
  // What a mounted file system is about to write is not damage.
  options.access = format ? OPENREMAP_ACCESS_ALONE : OPENREMAP_ACCESS_READER;
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
  const bool done = format ? MakeFileSystem(device) : Check(device);
  const bool closed = openremap_close(device) == 0;
  try {
    orm::output::flush();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "pagefs: %s\n", e.what());
    return 1;
  }
  return done && closed ? 0 : 1;
}

}  // namespace openremap
