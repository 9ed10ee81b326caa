/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - what one run of openremap-cli holds, and how it says what went wrong.
 */
#ifndef OPENREMAP_CLI_SESSION_H
#define OPENREMAP_CLI_SESSION_H

#include "cli/environment.h"
#include "cli/print.h"
#include "openremap.h"

#define CLI_PROGRAM "openremap-cli"

/* Exit codes: of the program, and of every function here and of the commands. */
enum cli_exit {
  CLI_OK = 0,
  CLI_FAILED = 1, /* the device or a file failed */
  CLI_USAGE = 2   /* wrong use */
};

struct cli {
  const struct cli_environment *env;
  const char *command; /* its name; NULL before it is known */
  struct openremap_options options;
  struct openremap_device *dev; /* NULL until cli_open() has returned CLI_OK */
  struct printer printer;
};

/* Opens the device that the global options name. Commands call it once their own arguments are known to be good. On
 * failure prints one line and returns CLI_FAILED, or CLI_USAGE where the options are to blame. */
int cli_open(struct cli *cli);

/* Says in words that a library call returned `rc`, which is not 0 (openremap.h). With --json, prints an error object,
 * too. Returns CLI_FAILED. */
int cli_device_error(struct cli *cli, int rc);

/* Prints one line on stderr: the program's name, the text, and a hint at --help. Returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) int cli_usage_error(const struct cli *cli, const char *format, ...);

/* Prints one line on stderr. Returns CLI_FAILED. */
__attribute__((format(printf, 2, 3))) int cli_file_error(const struct cli *cli, const char *format, ...);

#endif /* OPENREMAP_CLI_SESSION_H */
