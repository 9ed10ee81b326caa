/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - values from command-line text. Every function prints its error line and returns a cli_exit code. */
#ifndef OPENREMAP_CLI_OPTIONS_H
#define OPENREMAP_CLI_OPTIONS_H

#include <getopt.h>

#include "cli.h"

/* A number in C notation (decimal, 0x..) from min to max. `name`: what it is, for the error line. */
int cli_number(const struct cli *cli, const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* The next option of a command: its `val`; -1 at the end (then argv[optind..] are the operands); '?' after an error
 * line for an unknown option or a missing value. */
int cli_next_option(const struct cli *cli, int argc, char **argv, const struct option *options);

/* CLI_OK when exactly `count` operands follow the options. */
int cli_expect_operands(const struct cli *cli, int argc, char **argv, int count, const char *names);

#endif /* OPENREMAP_CLI_OPTIONS_H */
