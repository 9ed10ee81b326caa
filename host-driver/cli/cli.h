/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - openremap-cli: one command on a device, then the device is shut down in order.
 *
 *   main.c      the program with simulated devices; main_node.c: the one for a machine that has the device
 *   cli.c       global options, choice of the command
 *   cmd.h       the commands, in cmd_*.c
 *   options.c   numbers and operands from text
 *   session.c   the device of this run, error lines, exit codes
 *   environment.h   what the program is given of the world
 *   print_*.c   the same figures as text for people and as JSON for machines
 *
 * Each may use those below it.
 */
#ifndef OPENREMAP_CLI_H
#define OPENREMAP_CLI_H

#include "cli/environment.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs one command line. Returns the exit code: 0 done, 1 the device or a file failed, 2 wrong use. Not reentrant:
 * getopt has global state. */
int cli_run(const struct cli_environment *env, int argc, char **argv);

/* One command of the program; cmd.h has what each does. */
struct cli;
struct cli_command {
  const char *name;
  const char *arguments; /* for the usage line */
  const char *summary;   /* one line */
  const char *help;      /* the options, or NULL */
  /* argv[0] is the command's name. Returns an exit code; the caller closes the device. */
  int (*run)(struct cli *cli, int argc, char **argv);
};
/* All of them, ended by a NULL name. */
extern const struct cli_command cli_commands[];

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_CLI_H */
