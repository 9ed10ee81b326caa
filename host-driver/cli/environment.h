/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h - what openremap-cli is given of the world. */
#ifndef OPENREMAP_CLI_ENVIRONMENT_H
#define OPENREMAP_CLI_ENVIRONMENT_H

#include <stddef.h>
#include <stdio.h>

#include "pcie_function.h"

/* The outside world; a test supplies its own. */
struct cli_environment {
  /* Makes a simulated device (as openremap_options.create); NULL: the program has none, and takes nodes of Linux
   * only. */
  struct pcie_function *(*create)(const struct pcie_device_options *options, const struct pcie_host *host, char *error,
                                  size_t error_len);
  FILE *in;  /* data of `write` */
  FILE *out; /* results */
  FILE *err; /* one line for each error */
};

#endif /* OPENREMAP_CLI_ENVIRONMENT_H */
