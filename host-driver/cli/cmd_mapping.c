/* SPDX-License-Identifier: Apache-2.0 */
/* remap, copy, deallocate, format */
#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "orm_formats.h"

static void show_mapping(struct cli *cli, const struct openremap_remap_range *ranges, size_t count,
                         uint64_t device_ns) {
  struct printer *p = &cli->printer;
  uint64_t pages = 0;
  for (size_t i = 0; i < count; i++) pages += ranges[i].pages;
  p->ops->begin(p);
  p->ops->text(p, "command", cli->command);
  if (count == 1) {
    p->ops->number(p, "src", ranges[0].src, "");
    p->ops->number(p, "dst", ranges[0].dst, "");
  } else {
    p->ops->number(p, "ranges", count, "");
  }
  p->ops->number(p, "pages", pages, "");
  p->ops->number(p, "device_ns", device_ns, "device time");
  p->ops->end(p);
}

/* SRC:DST:COUNT */
static int parse_range(const struct cli *cli, const char *text, struct openremap_remap_range *range) {
  char copy[80];
  if (strlen(text) >= sizeof(copy)) return cli_usage_error(cli, "--range: '%s' is not SRC:DST:COUNT", text);
  memcpy(copy, text, strlen(text) + 1);
  char *dst = strchr(copy, ':');
  char *count = dst != NULL ? strchr(dst + 1, ':') : NULL;
  if (count == NULL) return cli_usage_error(cli, "--range: '%s' is not SRC:DST:COUNT", text);
  *dst = *count = '\0';
  int code = cli_number(cli, "--range SRC", copy, 0, UINT64_MAX, &range->src);
  if (code == CLI_OK) code = cli_number(cli, "--range DST", dst + 1, 0, UINT64_MAX, &range->dst);
  if (code == CLI_OK) code = cli_number(cli, "--range COUNT", count + 1, 1, UINT32_MAX, &range->pages);
  return code;
}

/* The two operands SRC DST. */
static int parse_ends(const struct cli *cli, int argc, char **argv, struct openremap_remap_range *range) {
  int code = cli_expect_operands(cli, argc, argv, 2, "SRC and DST");
  if (code == CLI_OK) code = cli_number(cli, "SRC", argv[optind], 0, UINT64_MAX, &range->src);
  if (code == CLI_OK) code = cli_number(cli, "DST", argv[optind + 1], 0, UINT64_MAX, &range->dst);
  return code;
}

int cli_cmd_remap(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {{"count", required_argument, NULL, 'c'},
                                          {"move", no_argument, NULL, 'm'},
                                          {"range", required_argument, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
  struct openremap_remap_range ranges[ORM_REMAP_RANGES_MAX];
  size_t count = 0;
  uint64_t pages = 0;
  unsigned flags = OPENREMAP_SHARE;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (chosen == 'm') flags = OPENREMAP_MOVE;
    if (chosen == 'c' && cli_number(cli, "--count", optarg, 1, UINT32_MAX, &pages) != CLI_OK) return CLI_USAGE;
    if (chosen == 'r') {
      if (count == ORM_REMAP_RANGES_MAX) {
        return cli_usage_error(cli, "--range: more than %u ranges", (unsigned)ORM_REMAP_RANGES_MAX);
      }
      if (parse_range(cli, optarg, &ranges[count++]) != CLI_OK) return CLI_USAGE;
    }
  }
  int code = CLI_OK;
  if (count == 0) {
    code = parse_ends(cli, argc, argv, &ranges[0]);
    ranges[0].pages = pages != 0 ? pages : 1;
  } else if (pages != 0 || optind != argc) {
    code = cli_usage_error(cli, "--range cannot be combined with SRC, DST or --count");
  }
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;

  const uint64_t start = openremap_now_ns(cli->dev);
  const int rc = count == 0 ? openremap_remap(cli->dev, ranges[0].src, ranges[0].dst, ranges[0].pages, flags)
                            : openremap_remap_vector(cli->dev, ranges, count, flags);
  if (rc != 0) return cli_device_error(cli, rc);
  show_mapping(cli, ranges, count != 0 ? count : 1, openremap_now_ns(cli->dev) - start);
  return CLI_OK;
}

/* --count of a command that has no other option. */
static int parse_count(const struct cli *cli, int argc, char **argv, uint64_t *pages) {
  static const struct option options[] = {{"count", required_argument, NULL, 'c'}, {NULL, 0, NULL, 0}};
  *pages = 1;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (cli_number(cli, "--count", optarg, 1, UINT32_MAX, pages) != CLI_OK) return CLI_USAGE;
  }
  return CLI_OK;
}

int cli_cmd_copy(struct cli *cli, int argc, char **argv) {
  struct openremap_remap_range range = {0};
  int code = parse_count(cli, argc, argv, &range.pages);
  if (code == CLI_OK) code = parse_ends(cli, argc, argv, &range);
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  const uint64_t start = openremap_now_ns(cli->dev);
  const int rc = openremap_copy(cli->dev, range.src, range.dst, range.pages);
  if (rc != 0) return cli_device_error(cli, rc);
  show_mapping(cli, &range, 1, openremap_now_ns(cli->dev) - start);
  return CLI_OK;
}

int cli_cmd_deallocate(struct cli *cli, int argc, char **argv) {
  struct openremap_range range = {0};
  int code = parse_count(cli, argc, argv, &range.pages);
  if (code == CLI_OK) code = cli_expect_operands(cli, argc, argv, 1, "LPN");
  if (code == CLI_OK) code = cli_number(cli, "LPN", argv[optind], 0, UINT64_MAX, &range.lpn);
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  const uint64_t start = openremap_now_ns(cli->dev);
  const int rc = openremap_deallocate(cli->dev, &range, 1);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", "deallocate");
  p->ops->number(p, "lpn", range.lpn, "");
  p->ops->number(p, "pages", range.pages, "");
  p->ops->number(p, "device_ns", openremap_now_ns(cli->dev) - start, "device time");
  p->ops->end(p);
  return CLI_OK;
}

int cli_cmd_format(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {
      {"yes", no_argument, NULL, 'y'}, {"erase", no_argument, NULL, 'e'}, {NULL, 0, NULL, 0}};
  bool sure = false, erase = false;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (chosen == 'y') sure = true;
    if (chosen == 'e') erase = true;
  }
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK && !sure) code = cli_usage_error(cli, "all data on the device would be lost; confirm with --yes");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  const uint64_t start = openremap_now_ns(cli->dev);
  const int rc = openremap_format(cli->dev, erase);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", "format");
  p->ops->number(p, "pages", openremap_get_info(cli->dev)->pages, "");
  p->ops->flag(p, "erased", erase);
  p->ops->number(p, "device_ns", openremap_now_ns(cli->dev) - start, "device time");
  p->ops->end(p);
  return CLI_OK;
}
