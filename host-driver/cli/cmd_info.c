/* SPDX-License-Identifier: Apache-2.0 */
/* identify, log, stats */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "openremap_stats.h"

static void show_hex(struct printer *p, const char *name, const uint8_t *bytes, size_t len) {
  char digits[2 * 16 + 1] = "";
  for (size_t i = 0; i < len && 2 * i + 2 < sizeof(digits); i++) snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
  p->ops->text(p, name, digits);
}

int cli_cmd_identify(struct cli *cli, int argc, char **argv) {
  static const struct option none[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, none) != -1) return CLI_USAGE;
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;

  const struct openremap_info *info = openremap_get_info(cli->dev);
  struct printer *p = &cli->printer;
  char version[16];
  snprintf(version, sizeof(version), "%u.%u.%u", info->nvme_version >> 16, info->nvme_version >> 8 & 0xFF,
           info->nvme_version & 0xFF);
  p->ops->begin(p);
  p->ops->text(p, "model", info->model);
  p->ops->text(p, "serial", info->serial);
  p->ops->text(p, "firmware", info->firmware);
  p->ops->text(p, "subnqn", info->subnqn);
  show_hex(p, "eui64", info->eui64, sizeof(info->eui64));
  show_hex(p, "nguid", info->nguid, sizeof(info->nguid));
  p->ops->text(p, "nvme_version", version);
  p->ops->number(p, "pages", info->pages, "4 KiB logical pages, LPN 0 on");
  p->ops->number(p, "bytes", info->pages * OPENREMAP_PAGE_BYTES, "");
  p->ops->number(p, "max_transfer_pages", info->max_transfer_pages, "of one command");
  p->ops->number(p, "queue_depth", info->queue_depth, "commands in flight per queue");
  p->ops->number(p, "io_queues", info->io_queues, "");
  p->ops->number(p, "max_remap_ranges", info->max_remap_ranges, "of one REMAP VECTOR");
  p->ops->number(p, "max_remap_pages", info->max_remap_pages, "of one REMAP or REMAP VECTOR, in all");
  p->ops->flag(p, "remap", openremap_refusal(cli->dev) == NULL);
  p->ops->flag(p, "write_cache", info->write_cache);
  p->ops->flag(p, "copy", info->has_copy);
  p->ops->flag(p, "deallocate", info->has_deallocate);
  p->ops->flag(p, "write_zeroes", info->has_write_zeroes);
  p->ops->flag(p, "nvram_volatile", info->nvram_volatile);
  p->ops->flag(p, "flash_volatile", info->flash_volatile);
  p->ops->flag(p, "unverified", info->unverified);
  p->ops->end(p);
  return CLI_OK;
}

int cli_cmd_stats(struct cli *cli, int argc, char **argv) {
  static const struct option none[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, none) != -1) return CLI_USAGE;
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;

  struct orm_remap_log stats;
  const int rc = openremap_get_stats(cli->dev, &stats);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
#define SHOW(name, bits, text) p->ops->number(p, #name, stats.name, text);
  ORM_REMAP_LOG_FIELDS(SHOW)
#undef SHOW
  p->ops->end(p);
  return CLI_OK;
}

static void show_text(struct printer *p, const char *name, const uint8_t *text, size_t bytes) {
  char line[40] = "";
  memcpy(line, text, bytes < sizeof(line) ? bytes : sizeof(line) - 1);
  p->ops->text(p, name, line);
}

static const char *crash_cause(uint8_t cause) {
  switch (cause) {
    case ORM_CRASH_WATCHDOG:
      return "watchdog";
    case ORM_CRASH_FAULT:
      return "fault";
    case ORM_CRASH_MEMORY:
      return "memory";
    default:
      return "assertion";
  }
}

static void show_crash(struct printer *p, const struct orm_crash_log *log) {
  uint8_t revision[8];
  orm_put_le(revision, log->revision, sizeof(revision));
  p->ops->text(p, "cause", crash_cause(log->cause));
  show_text(p, "file", log->file, sizeof(log->file));
  p->ops->number(p, "line", log->line, "");
  show_text(p, "step", log->step, sizeof(log->step));
  show_text(p, "firmware", revision, sizeof(revision));
  p->ops->number(p, "uptime_ns", log->uptime_ns, "device time");
  p->ops->number(p, "power_cycles", log->power_cycles, "");
  p->ops->number(p, "gc_flights", log->gc_flights, "collections under way");
  p->ops->number(p, "checkpoint", log->checkpoint, "phase of a trim checkpoint");
  p->ops->number(p, "format", log->format, "phase of a format");
  for (unsigned i = 0; i < ORM_CRASH_COMMANDS; i++) {
    struct orm_crash_command command;
    orm_crash_command_unpack(&command, log->commands + i * ORM_CRASH_COMMAND_BYTES);
    char name[24], words[100];
    snprintf(name, sizeof(name), "command_%u", i);
    snprintf(words, sizeof(words), "opcode 0x%02x queue %u id %u nsid 0x%x cdw10 0x%08x cdw11 0x%08x", command.opcode,
             command.qid, command.cid, command.nsid, command.cdw10, command.cdw11);
    p->ops->text(p, name, words);
  }
}

int cli_cmd_crash(struct cli *cli, int argc, char **argv) {
  static const struct option none[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, none) != -1) return CLI_USAGE;
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;

  uint8_t page[ORM_CRASH_LOG_BYTES];
  const int rc = openremap_get_log_page(cli->dev, ORM_VENDOR_LOG_PAGES_CRASH_LOG, 0, page, sizeof(page));
  if (rc != 0) return cli_device_error(cli, rc);
  struct orm_crash_log log;
  orm_crash_log_unpack(&log, page);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->number(p, "crashes", log.count, "of the firmware; the last one:");
  if (log.count != 0) show_crash(p, &log);
  p->ops->end(p);
  return CLI_OK;
}

struct log_name {
  const char *name;
  uint8_t id;
};

static const struct log_name log_names[] = {
    {"error", NVME_LOG_PAGE_ERROR_INFORMATION},   {"smart", NVME_LOG_PAGE_SMART},
    {"endurance", NVME_LOG_PAGE_ENDURANCE_GROUP}, {"ocp", ORM_VENDOR_LOG_PAGES_OCP_SMART},
    {"remap", ORM_VENDOR_LOG_PAGES_REMAP_LOG},    {"crash", ORM_VENDOR_LOG_PAGES_CRASH_LOG},
};

static int parse_log_id(struct cli *cli, const char *text, uint8_t *id) {
  for (size_t i = 0; i < sizeof(log_names) / sizeof(log_names[0]); i++) {
    if (strcmp(text, log_names[i].name) == 0) {
      *id = log_names[i].id;
      return CLI_OK;
    }
  }
  uint64_t value = 0;
  const int code = cli_number(cli, "log page", text, 0, 255, &value);
  *id = (uint8_t)value;
  return code;
}

int cli_cmd_log(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {
      {"bytes", required_argument, NULL, 'b'}, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
  uint64_t bytes = 512;
  const char *output = NULL;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (chosen == 'o') output = optarg;
    if (chosen == 'b') {
      if (cli_number(cli, "--bytes", optarg, 4, 1u << 20, &bytes) != CLI_OK) return CLI_USAGE;
      if (bytes % 4 != 0) return cli_usage_error(cli, "--bytes: %" PRIu64 " is not a multiple of 4", bytes);
    }
  }
  int code =
      cli_expect_operands(cli, argc, argv, 1, "a log page: smart, error, endurance, ocp, remap, crash or a number");
  uint8_t id = 0;
  if (code == CLI_OK) code = parse_log_id(cli, argv[optind], &id);
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;

  uint8_t *data = calloc(1, bytes);
  if (data == NULL) return cli_device_error(cli, -ENOMEM);
  const int rc = openremap_get_log_page(cli->dev, id, 0, data, bytes);
  struct printer *p = &cli->printer;
  if (rc != 0) {
    code = cli_device_error(cli, rc);
  } else if (output != NULL) {
    FILE *file = fopen(output, "wb");
    const bool good = file != NULL && fwrite(data, 1, bytes, file) == bytes;
    if ((file != NULL && fclose(file) != 0) || !good) code = cli_file_error(cli, "%s: %s", output, strerror(errno));
  } else {
    p->ops->begin(p);
    p->ops->number(p, "log_page", id, "");
    p->ops->bytes(p, "data", 0, data, bytes);
    p->ops->end(p);
  }
  free(data);
  return code;
}
