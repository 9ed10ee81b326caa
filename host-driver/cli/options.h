/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - values from command-line text. Each function that fails has printed one error line. */
#ifndef OPENREMAP_CLI_OPTIONS_H
#define OPENREMAP_CLI_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "cli/session.h"

/* Reads a number in C notation (decimal, or hexadecimal after 0x) from `min` to `max` into *out. `name` says in the
 * error line what it is. Returns CLI_OK or CLI_USAGE. */
int cli_number(const struct cli *cli, const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Returns the next option of a command, its `val`. Returns -1 at the end: argv[optind] and later are then the operands.
 * Returns '?' for an unknown option or a missing value. */
int cli_next_option(const struct cli *cli, int argc, char **argv, const struct option *options);

/* Returns CLI_OK when exactly `count` operands follow the options, else CLI_USAGE. `names` says in the error line what
 * they are. */
int cli_expect_operands(const struct cli *cli, int argc, char **argv, int count, const char *names);

#endif /* OPENREMAP_CLI_OPTIONS_H */
