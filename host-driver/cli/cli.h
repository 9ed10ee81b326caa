/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - openremap-cli: one command on a device, then the device is shut down in order.
 *
 *   main.c      the program: real device, real files
 *   cli.c       global options, choice of the command, exit codes
 *   options.c   numbers and ranges from text, error lines
 *   cmd_*.c     one function per command: parse, execute, show
 *   print_*.c   the same figures as text for people and as JSON for machines
 *
 * Exit codes: 0 done, 1 the device or a file failed, 2 wrong use.
 */
#ifndef OPENREMAP_CLI_H
#define OPENREMAP_CLI_H

#include <stdio.h>

#include "openremap.h"
#include "print.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* The outside world; a test supplies its own. */
struct cli_environment {
  struct pcie_function *(*create)(const struct pcie_device_options *options, const struct pcie_host *host, char *error,
                                  size_t error_len);
  FILE *in;
  FILE *out;
  FILE *err;
};

/* Runs one command line; returns the exit code. Not reentrant (getopt). */
int cli_run(const struct cli_environment *env, int argc, char **argv);

/* ---- For the commands ------------------------------------------------------------------------------------------- */

struct cli {
  const struct cli_environment *env;
  const char *command;
  struct openremap_options options;
  struct openremap_device *dev; /* open once cli_open() returned CLI_OK */
  struct printer printer;
};

struct cli_command {
  const char *name;
  const char *arguments; /* for the usage line */
  const char *summary;   /* one line */
  const char *help;      /* the options, or NULL */
  /* argv[0] is the command's name. Returns an exit code. */
  int (*run)(struct cli *cli, int argc, char **argv);
};

/* Commands, ended by a NULL name. */
extern const struct cli_command cli_commands[];

int cli_cmd_identify(struct cli *cli, int argc, char **argv);
int cli_cmd_log(struct cli *cli, int argc, char **argv);
int cli_cmd_map(struct cli *cli, int argc, char **argv);
int cli_cmd_crash(struct cli *cli, int argc, char **argv);
int cli_cmd_stats(struct cli *cli, int argc, char **argv);
int cli_cmd_read(struct cli *cli, int argc, char **argv);
int cli_cmd_write(struct cli *cli, int argc, char **argv);
int cli_cmd_flush(struct cli *cli, int argc, char **argv);
int cli_cmd_remap(struct cli *cli, int argc, char **argv);
int cli_cmd_copy(struct cli *cli, int argc, char **argv);
int cli_cmd_placement(struct cli *cli, int argc, char **argv);
int cli_cmd_placement_update(struct cli *cli, int argc, char **argv);
int cli_cmd_format(struct cli *cli, int argc, char **argv);
int cli_cmd_deallocate(struct cli *cli, int argc, char **argv);

/* Opens the device; commands call it when their arguments are known to be good. */
int cli_open(struct cli *cli);
/* Says that a library call failed, in words; returns CLI_FAILED. */
int cli_device_error(struct cli *cli, int rc);
/* One line on stderr, with the program's name before and a hint at --help behind; returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) int cli_usage_error(const struct cli *cli, const char *format, ...);
/* One line on stderr; returns CLI_FAILED. */
__attribute__((format(printf, 2, 3))) int cli_file_error(const struct cli *cli, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_CLI_H */
