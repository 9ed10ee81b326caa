/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int main(int argc, char **argv) {
  const struct cli_environment env = {.create = pcie_device_create, .in = stdin, .out = stdout, .err = stderr};
  return cli_run(&env, argc, argv);
}
