// SPDX-License-Identifier: Apache-2.0
//
// pagefs-node - checks the PageFS on a namespace that Linux drives, and makes it; built without the simulator.
#include <string>

#include "command_line.h"
#include "pagefs/check/pagefs_commands.h"

int main(int argc, char **argv) {
  std::string node;
  CLI::App app(
      "Checks the PageFS on a namespace without writing to it, or makes an empty one (format). Exit code: 0 no "
      "findings, 1 findings, no file system or a device error, 2 a usage error.",
      "pagefs-node");
  app.add_option("--node", node, "character device of the namespace, for example /dev/ng0n1")
      ->required()
      ->check(CLI::ExistingFile);
  const openremap::PageFsCommands commands(&app, /*may_write=*/true);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  openremap_options options{};
  options.node = node.c_str();
  return commands.Run(options);
}
