/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd.h - the commands of openremap-cli. Each parses its own arguments, opens the device, runs and shows what came of
 * it.
 *
 * argv[0] is the command's name. Each returns an exit code (cli/session.h) and leaves the device open for the caller to
 * close.
 */
#ifndef OPENREMAP_CLI_CMD_H
#define OPENREMAP_CLI_CMD_H

#include "cli/session.h"

typedef int cli_cmd(struct cli *cli, int argc, char **argv);

/* cmd_info.c: what the device says of itself */
cli_cmd cli_cmd_identify, cli_cmd_log, cli_cmd_crash, cli_cmd_stats;
/* cmd_io.c: data */
cli_cmd cli_cmd_read, cli_cmd_write, cli_cmd_flush;
/* cmd_mapping.c: which flash a page names */
cli_cmd cli_cmd_remap, cli_cmd_copy, cli_cmd_deallocate, cli_cmd_format;
/* cmd_placement.c: Flexible Data Placement */
cli_cmd cli_cmd_placement, cli_cmd_placement_update;
/* cmd_precondition.c: a steady state before measurements */
cli_cmd cli_cmd_precondition, cli_cmd_steady;
/* cmd_file.c: files of a file system on the namespace */
cli_cmd cli_cmd_map;

#endif /* OPENREMAP_CLI_CMD_H */
