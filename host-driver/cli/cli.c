/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/session.h"

#define PROGRAM CLI_PROGRAM

const struct cli_command cli_commands[] = {
    {"identify", "", "show the device's identity and capabilities", NULL, cli_cmd_identify},
    {"read", "LPN", "read pages",
     "  --count N        number of pages, default 1\n"
     "  --output FILE    write the data to FILE instead of showing it\n",
     cli_cmd_read},
    {"write", "LPN", "write pages; data comes from standard input unless an option gives it",
     "  --input FILE     write the contents of FILE\n"
     "  --text STRING    write STRING\n"
     "  --fill BYTE      fill the pages with this byte\n"
     "  --count N        number of pages, default: as the data needs; the rest is zeroes\n"
     "  --fua            force unit access: data is durable when the command completes\n"
     "  --handle N       placement handle: the device separates data of different handles\n",
     cli_cmd_write},
    {"flush", "", "make all data written so far durable", NULL, cli_cmd_flush},
    {"remap", "SRC DST", "map pages DST.. to the flash pages that hold SRC..; no data is written",
     "  --count N               number of pages, default 1\n"
     "  --move                  unmap SRC (default: SRC stays mapped)\n"
     "  --range SRC:DST:COUNT   instead of SRC DST; may be repeated; all ranges take effect or none does\n",
     cli_cmd_remap},
    {"copy", "SRC DST", "NVMe Copy, which the device executes as a remap",
     "  --count N        number of pages, default 1\n", cli_cmd_copy},
    {"deallocate", "LPN", "unmap pages; they read as zeroes afterwards",
     "  --count N        number of pages, default 1\n", cli_cmd_deallocate},
    {"format", "", "Format NVM: erase all data of the device",
     "  --yes            required: all data on the device is lost\n"
     "  --erase          user data erase: also erase the flash blocks\n",
     cli_cmd_format},
    {"placement", "", "show the placement handles and the space left in their reclaim units", NULL, cli_cmd_placement},
    {"placement-update", "HANDLE", "make the next write with the handle start a new reclaim unit", NULL,
     cli_cmd_placement_update},
    {"precondition", "", "bring the device to a steady state before measurements: all data is lost",
     "  --yes            required: the whole device is overwritten\n"
     "  --seed N         of the pages that random writes go to, default 1\n"
     "  --progress       tell each step on standard error, as `progress DONE PAGES ROUND`\n",
     cli_cmd_precondition},
    {"steady", "FIGURE...",
     "tell whether the last of some figures are steady, as precondition does; exit code 1: they are not", NULL,
     cli_cmd_steady},
    {"map", "FILE", "show where a page of a file lies on the NVMe namespace",
     "  --page N         page of the file, default 0\n", cli_cmd_map},
    {"crash", "", "show why the firmware last crashed, if it did", NULL, cli_cmd_crash},
    {"log", "smart|error|endurance|ocp|remap|crash|NUMBER", "show a log page",
     "  --bytes N        length, a multiple of 4, default 512\n"
     "  --output FILE    write the data to FILE instead of showing it\n",
     cli_cmd_log},
    {"stats", "", "counters of the device: host, remap, NAND and GC", NULL, cli_cmd_stats},
    {NULL, NULL, NULL, NULL, NULL},
};

static const struct cli_command *find_command(const char *name) {
  for (const struct cli_command *c = cli_commands; c->name != NULL; c++) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

static void print_help(FILE *out) {
  fputs(
      "Usage: " PROGRAM
      " [OPTIONS] COMMAND [ARGUMENTS]\n"
      "\n"
      "Runs one command on an OpenRemap SSD and shuts the device down cleanly. With --image, the device keeps its\n"
      "flash and NVRAM in files, so that the next call reads what this one wrote.\n"
      "\n"
      "Options:\n"
      "  --device KIND       rtl: the Verilated controller with native firmware (default);\n"
      "                      model: the fast model of it, with the same firmware and images;\n"
      "                      soc: the Verilated controller with a CPU that runs the firmware, with the same images;\n"
      "                      /dev/nvme0n1 or /dev/ng0n1: a namespace that Linux drives;\n"
      "                      board:HOST[:PORT][,facts=FILE][,slower=N]: a board that has been started\n"
      "  --image DIR         keep flash and NVRAM in files in DIR, which is created if absent (default: in memory)\n"
      "  --reserve-image     reserve the space of the whole image first, so that its file system cannot fill up later\n"
      "  --serial TEXT       serial number of a new device, 1 to 20 characters (default: a random one for an image;\n"
      "                      always the same one in memory)\n"
      "  --new-identity      give the device of --image another serial number and other identifiers: that of "
      "--serial,\n"
      "                      or a random one; for a copy of an image\n"
      "  --superblocks N     number of superblocks in use, for a smaller device (default: all)\n"
      "  --geometry TEXT     flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS] (default: that of the rtl)\n"
      "  --over-provisioning N   percent of the usable flash that the namespace does not offer (default: 12)\n"
      "  --placement-handles N   of the namespace (default: as many as do not make it smaller)\n"
      "  --trace FILE        write a waveform, .vcd or .fst\n"
      "  --json              print one JSON object\n"
      "  --version           print the version of this program and its library\n"
      "  -h, --help          show this text; COMMAND --help shows the options of a command\n"
      "\n"
      "Commands:\n",
      out);
  for (const struct cli_command *c = cli_commands; c->name != NULL; c++) {
    fprintf(out, "  %-12s %s\n", c->name, c->summary);
  }
  fputs(
      "\nPages are 4 KiB and addressed by their logical page number (LPN).\n"
      "Exit code: 0 success, 1 device or file error, 2 usage error.\n"
      "\n"
      "Example: write a page, remap it, and read it back under the new LPN\n"
      "  " PROGRAM
      " --image ssd write 5 --text hello\n"
      "  " PROGRAM
      " --image ssd remap 5 1000\n"
      "  " PROGRAM " --image ssd read 1000\n",
      out);
}

static void print_command_help(FILE *out, const struct cli_command *command) {
  fprintf(out, "Usage: " PROGRAM " [OPTIONS] %s%s%s%s\n\n%s.\n", command->name,
          command->arguments[0] != '\0' ? " " : "", command->arguments, command->help != NULL ? " [...]" : "",
          command->summary);
  if (command->help != NULL) fprintf(out, "\nOptions:\n%s", command->help);
}

enum global_option {
  OPT_DEVICE = 256,
  OPT_IMAGE,
  OPT_RESERVE_IMAGE,
  OPT_SERIAL,
  OPT_NEW_IDENTITY,
  OPT_SUPERBLOCKS,
  OPT_GEOMETRY,
  OPT_OVER_PROVISIONING,
  OPT_HANDLES,
  OPT_TRACE,
  OPT_JSON,
  OPT_VERSION
};

/* Refuses options that do not go together. */
static int check_globals(const struct cli *cli) {
  const struct pcie_device_options *device = &cli->options.device;
  if (device->reserve_image != 0 && device->image_dir == NULL)
    return cli_usage_error(cli, "--reserve-image: needs --image");
  if (cli->options.node == NULL) return CLI_OK;
  const char *simulated = device->image_dir != NULL         ? "--image"
                          : device->trace_file != NULL      ? "--trace"
                          : device->superblocks != 0        ? "--superblocks"
                          : device->geometry != NULL        ? "--geometry"
                          : device->over_provision_pct != 0 ? "--over-provisioning"
                          : device->placement_handles != 0  ? "--placement-handles"
                          : device->serial != NULL          ? "--serial"
                          : device->new_identity != 0       ? "--new-identity"
                                                            : NULL;
  if (simulated == NULL) return CLI_OK;
  return cli_usage_error(cli, "%s: does not apply to %s, which is not simulated", simulated, cli->options.node);
}

/* Returns CLI_OK with argv[optind] the command; *finished when --help or --version was asked and given. */
static int parse_globals(struct cli *cli, int argc, char **argv, bool *finished) {
  static const struct option options[] = {{"device", required_argument, NULL, OPT_DEVICE},
                                          {"image", required_argument, NULL, OPT_IMAGE},
                                          {"reserve-image", no_argument, NULL, OPT_RESERVE_IMAGE},
                                          {"serial", required_argument, NULL, OPT_SERIAL},
                                          {"new-identity", no_argument, NULL, OPT_NEW_IDENTITY},
                                          {"superblocks", required_argument, NULL, OPT_SUPERBLOCKS},
                                          {"geometry", required_argument, NULL, OPT_GEOMETRY},
                                          {"over-provisioning", required_argument, NULL, OPT_OVER_PROVISIONING},
                                          {"placement-handles", required_argument, NULL, OPT_HANDLES},
                                          {"trace", required_argument, NULL, OPT_TRACE},
                                          {"json", no_argument, NULL, OPT_JSON},
                                          {"version", no_argument, NULL, OPT_VERSION},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  bool version = false;
  for (;;) {
    /* '+': stop at the command, whose options are its own. */
    const int chosen = getopt_long(argc, argv, "+:h", options, NULL);
    uint64_t value = 0;
    switch (chosen) {
      case -1:
        if (!version) return check_globals(cli);
        if (optind < argc) return cli_usage_error(cli, "--version: '%s' is one argument too many", argv[optind]);
        fprintf(cli->env->out, PROGRAM " %s\n", openremap_version());
        *finished = true;
        return CLI_OK;
      case 'h':
        print_help(cli->env->out);
        *finished = true;
        return CLI_OK;
      case OPT_VERSION:
        version = true;
        break;
      case OPT_DEVICE:
        if (strchr(optarg, '/') != NULL && strncmp(optarg, "board:", 6) != 0) { /* a board's facts have a path */
          cli->options.node = optarg;
        } else {
          cli->options.device.kind = optarg;
        }
        break;
      case OPT_IMAGE:
        if (optarg[0] == '\0') return cli_usage_error(cli, "--image: expected a folder");
        cli->options.device.image_dir = optarg;
        break;
      case OPT_RESERVE_IMAGE:
        cli->options.device.reserve_image = 1;
        break;
      case OPT_SERIAL:
        cli->options.device.serial = optarg;
        break;
      case OPT_NEW_IDENTITY:
        cli->options.device.new_identity = 1;
        break;
      case OPT_SUPERBLOCKS:
        if (cli_number(cli, "--superblocks", optarg, 1, UINT32_MAX, &value) != CLI_OK) return CLI_USAGE;
        cli->options.device.superblocks = (uint32_t)value;
        break;
      case OPT_GEOMETRY:
        cli->options.device.geometry = optarg;
        break;
      case OPT_OVER_PROVISIONING:
        if (cli_number(cli, "--over-provisioning", optarg, 1, 99, &value) != CLI_OK) return CLI_USAGE;
        cli->options.device.over_provision_pct = (uint32_t)value;
        break;
      case OPT_HANDLES:
        if (cli_number(cli, "--placement-handles", optarg, 1, UINT16_MAX, &value) != CLI_OK) return CLI_USAGE;
        cli->options.device.placement_handles = (uint32_t)value;
        break;
      case OPT_TRACE: {
        const char *dot = strrchr(optarg, '.');
        if (dot == NULL || (strcmp(dot, ".vcd") != 0 && strcmp(dot, ".fst") != 0)) {
          return cli_usage_error(cli, "--trace: '%s' does not end in .vcd or .fst", optarg);
        }
        cli->options.device.trace_file = optarg;
        break;
      }
      case OPT_JSON:
        cli->printer.ops = &print_json_ops;
        break;
      case ':':
        return cli_usage_error(cli, "%s needs a value", argv[optind - 1]);
      default:
        return cli_usage_error(cli, "unknown option %s", argv[optind - 1]);
    }
  }
}

static bool wants_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  }
  return false;
}

/* Writes what is buffered. Returns `code`, or CLI_FAILED in place of CLI_OK if results were lost. */
static int end_output(const struct cli *cli, int code) {
  errno = 0;
  if ((fflush(cli->env->out) == 0 && ferror(cli->env->out) == 0) || code != CLI_OK) return code;
  return errno == 0 ? cli_file_error(cli, "cannot write the output")
                    : cli_file_error(cli, "cannot write the output: %s", strerror(errno));
}

int cli_run(const struct cli_environment *env, int argc, char **argv) {
  struct cli cli = {.env = env, .printer = {.ops = &print_text_ops, .out = env->out}};
  cli.options.create = env->create;
  cli.options.device.kind = env->create != NULL ? "rtl" : NULL;
  opterr = 0;
  optind = 0; /* GNU: start over */

  bool finished = false;
  const int parsed = parse_globals(&cli, argc, argv, &finished);
  if (parsed != CLI_OK) return parsed;
  if (finished) return end_output(&cli, CLI_OK);
  if (optind >= argc) return cli_usage_error(&cli, "no command given");
  const struct cli_command *command = find_command(argv[optind]);
  if (command == NULL) return cli_usage_error(&cli, "unknown command '%s'", argv[optind]);

  argc -= optind;
  argv += optind;
  if (wants_help(argc, argv)) {
    print_command_help(env->out, command);
    return end_output(&cli, CLI_OK);
  }
  cli.command = command->name;
  optind = 0;
  int code = command->run(&cli, argc, argv);
  if (cli.dev != NULL) {
    const int closed = openremap_close(cli.dev);
    cli.dev = NULL;
    if (closed != 0 && code == CLI_OK) code = cli_device_error(&cli, closed);
  }
  return end_output(&cli, code);
}
