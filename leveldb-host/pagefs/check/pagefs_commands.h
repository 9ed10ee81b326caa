// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGEFS_COMMANDS_H_
#define OPENREMAP_PAGEFS_PAGEFS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "openremap.h"

namespace openremap {

// The commands of `pagefs` and `pagefs-node`. They read the device and write nothing to it, but for `format`.
class PageFsCommands {
 public:
  // Adds the commands to `app`, which must outlive this. `may_write`: `format`, too.
  explicit PageFsCommands(CLI::App *app, bool may_write = false);
  PageFsCommands(const PageFsCommands &) = delete;
  PageFsCommands &operator=(const PageFsCommands &) = delete;

  // Opens the device, runs the command of the command line and prints the result. Returns the exit code: 0 no findings,
  // or formatted; 1 findings, no file system, files that cannot be copied or a device error; 2 options that describe no
  // device.
  int Run(openremap_options options) const;

 private:
  bool Check(openremap_device *device) const;
  bool MakeFileSystem(openremap_device *device) const;

  bool read_ = false;
  bool keep_ = false;
  std::string folder_;  // of copy
  const CLI::App *list_ = nullptr, *space_ = nullptr;
  CLI::App *copy_ = nullptr;
  const CLI::App *format_ = nullptr;  // null: there is no such command
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGEFS_COMMANDS_H_
