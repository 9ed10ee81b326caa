// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGEFS_COMMANDS_H_
#define OPENREMAP_PAGEFS_PAGEFS_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "openremap.h"

namespace openremap {

// What `pagefs` and `pagefs-node` do with the device that they have opened. Reads it and writes nothing to it.
class PageFsCommands {
 public:
  // Adds the commands to those of the program. `app` must outlive this.
  explicit PageFsCommands(CLI::App *app);
  PageFsCommands(const PageFsCommands &) = delete;
  PageFsCommands &operator=(const PageFsCommands &) = delete;

  // Opens the device, runs the command that was named and prints what it found. Returns the exit code: 0 a sound file
  // system, 1 findings, none there, or the device fails, 2 a device that these options do not make.
  int Run(const openremap_options &options) const;

 private:
  bool read_ = false;
  const CLI::App *list_ = nullptr, *space_ = nullptr;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGEFS_COMMANDS_H_
