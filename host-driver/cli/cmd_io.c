/* SPDX-License-Identifier: Apache-2.0 */
/* read, write, flush */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"

/* More would be a mistake in the command line rather than a wish. */
#define MAX_PAGES (1u << 18)

static void show_transfer(struct cli *cli, const char *verb, uint64_t lpn, uint64_t pages, uint64_t device_ns) {
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", verb);
  p->ops->number(p, "lpn", lpn, "");
  p->ops->number(p, "pages", pages, "");
  p->ops->number(p, "device_ns", device_ns, "device time");
  p->ops->end(p);
}

static int save(const struct cli *cli, const char *path, const uint8_t *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) return cli_file_error(cli, "%s: %s", path, strerror(errno));
  const bool written = fwrite(data, 1, bytes, file) == bytes;
  if (fclose(file) != 0 || !written) return cli_file_error(cli, "%s: %s", path, strerror(errno));
  return CLI_OK;
}

int cli_cmd_read(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {
      {"count", required_argument, NULL, 'c'}, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
  uint64_t lpn = 0;
  uint64_t pages = 1;
  const char *output = NULL;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (chosen == 'o') output = optarg;
    if (chosen == 'c' && cli_number(cli, "--count", optarg, 1, MAX_PAGES, &pages) != CLI_OK) return CLI_USAGE;
  }
  int code = cli_expect_operands(cli, argc, argv, 1, "LPN");
  if (code == CLI_OK) code = cli_number(cli, "LPN", argv[optind], 0, UINT64_MAX, &lpn);
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;

  const size_t bytes = pages * OPENREMAP_PAGE_BYTES;
  uint8_t *data = malloc(bytes);
  if (data == NULL) return cli_device_error(cli, -ENOMEM);
  const uint64_t start = openremap_now_ns(cli->dev);
  const int rc = openremap_read(cli->dev, lpn, pages, data);
  const uint64_t spent = openremap_now_ns(cli->dev) - start;
  struct printer *p = &cli->printer;
  if (rc != 0) {
    code = cli_device_error(cli, rc);
  } else if (output != NULL) {
    code = save(cli, output, data, bytes);
    if (code == CLI_OK) show_transfer(cli, "read", lpn, pages, spent);
  } else {
    p->ops->begin(p);
    p->ops->number(p, "lpn", lpn, "");
    p->ops->bytes(p, "data", 0, data, bytes);
    p->ops->end(p);
  }
  free(data);
  return code;
}

struct write_source {
  const char *input; /* file; NULL: standard input */
  const char *text;
  int fill; /* -1: none */
};

/* Reads all of `file` up to `limit` bytes; *length > limit when there is more. */
static int slurp(const struct cli *cli, FILE *file, const char *name, size_t limit, uint8_t **data, size_t *length) {
  size_t room = 65536;
  *length = 0;
  *data = malloc(room);
  while (*data != NULL && *length <= limit) {
    const size_t got = fread(*data + *length, 1, room - *length, file);
    *length += got;
    if (got == 0) break;
    if (*length == room) {
      room *= 2;
      uint8_t *bigger = realloc(*data, room);
      if (bigger == NULL) free(*data);
      *data = bigger;
    }
  }
  if (*data == NULL) return cli_file_error(cli, "%s: %s", name, strerror(ENOMEM));
  if (ferror(file)) {
    free(*data);
    *data = NULL;
    return cli_file_error(cli, "%s: %s", name, strerror(errno));
  }
  return CLI_OK;
}

/* The bytes to write, padded with zeroes to *pages pages. *pages is 0 on entry: the pages that the bytes fill. */
static int load(const struct cli *cli, const struct write_source *source, uint64_t *pages, uint8_t **out) {
  const uint64_t limit = (*pages != 0 ? *pages : MAX_PAGES) * OPENREMAP_PAGE_BYTES;
  uint8_t *data = NULL;
  size_t length = 0;
  int code = CLI_OK;
  if (source->fill >= 0) {
    if (*pages == 0) *pages = 1;
  } else if (source->text != NULL) {
    length = strlen(source->text);
    data = (uint8_t *)strdup(source->text);
    if (data == NULL) return cli_file_error(cli, "%s", strerror(ENOMEM));
  } else if (source->input != NULL) {
    FILE *file = fopen(source->input, "rb");
    if (file == NULL) return cli_file_error(cli, "%s: %s", source->input, strerror(errno));
    code = slurp(cli, file, source->input, limit, &data, &length);
    fclose(file);
  } else {
    code = slurp(cli, cli->env->in, "standard input", limit, &data, &length);
  }
  if (code != CLI_OK) return code;
  if (length > limit || (length == 0 && source->fill < 0)) {
    free(data);
    if (length == 0) return cli_usage_error(cli, "no data to write");
    return cli_usage_error(cli, "the data is longer than %" PRIu64 " pages", limit / OPENREMAP_PAGE_BYTES);
  }
  if (*pages == 0) *pages = (length + OPENREMAP_PAGE_BYTES - 1) / OPENREMAP_PAGE_BYTES;

  *out = malloc(*pages * OPENREMAP_PAGE_BYTES);
  if (*out != NULL) {
    memset(*out, source->fill >= 0 ? source->fill : 0, *pages * OPENREMAP_PAGE_BYTES);
    if (length != 0) memcpy(*out, data, length);
  } else {
    code = cli_file_error(cli, "%s", strerror(ENOMEM));
  }
  free(data);
  return code;
}

struct write_how {
  bool fua;
  bool placed;
  uint64_t handle;
};

static int write_options(struct cli *cli, int argc, char **argv, struct write_source *source, uint64_t *pages,
                         struct write_how *how) {
  static const struct option options[] = {{"input", required_argument, NULL, 'i'},
                                          {"text", required_argument, NULL, 't'},
                                          {"fill", required_argument, NULL, 'f'},
                                          {"count", required_argument, NULL, 'c'},
                                          {"fua", no_argument, NULL, 'u'},
                                          {"handle", required_argument, NULL, 'p'},
                                          {NULL, 0, NULL, 0}};
  int sources = 0;
  uint64_t byte = 0;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (chosen == 'c' && cli_number(cli, "--count", optarg, 1, MAX_PAGES, pages) != CLI_OK) return CLI_USAGE;
    if (chosen == 'f' && cli_number(cli, "--fill", optarg, 0, 255, &byte) != CLI_OK) return CLI_USAGE;
    if (chosen == 'f') source->fill = (int)byte;
    if (chosen == 'i') source->input = optarg;
    if (chosen == 't') source->text = optarg;
    if (chosen == 'u') how->fua = true;
    if (chosen == 'p' && cli_number(cli, "--handle", optarg, 0, UINT16_MAX, &how->handle) != CLI_OK) return CLI_USAGE;
    if (chosen == 'p') how->placed = true;
    if (chosen == 'f' || chosen == 'i' || chosen == 't') sources++;
  }
  if (sources > 1) return cli_usage_error(cli, "only one of --input, --text and --fill can be given");
  return cli_expect_operands(cli, argc, argv, 1, "LPN");
}

static int write_pages(struct cli *cli, uint64_t lpn, uint64_t pages, const uint8_t *data,
                       const struct write_how *how) {
  if (how->placed) return openremap_write_placed(cli->dev, lpn, pages, data, how->fua, (uint16_t)how->handle);
  return openremap_write(cli->dev, lpn, pages, data, how->fua);
}

int cli_cmd_write(struct cli *cli, int argc, char **argv) {
  struct write_source source = {.fill = -1};
  uint64_t lpn = 0;
  uint64_t pages = 0;
  struct write_how how = {0};
  uint8_t *data = NULL;
  int code = write_options(cli, argc, argv, &source, &pages, &how);
  if (code == CLI_OK) code = cli_number(cli, "LPN", argv[optind], 0, UINT64_MAX, &lpn);
  if (code == CLI_OK) code = load(cli, &source, &pages, &data);
  if (code == CLI_OK) code = cli_open(cli);
  if (code == CLI_OK) {
    const uint64_t start = openremap_now_ns(cli->dev);
    const int rc = write_pages(cli, lpn, pages, data, &how);
    if (rc != 0) {
      code = cli_device_error(cli, rc);
    } else {
      show_transfer(cli, "write", lpn, pages, openremap_now_ns(cli->dev) - start);
    }
  }
  free(data);
  return code;
}

int cli_cmd_flush(struct cli *cli, int argc, char **argv) {
  static const struct option none[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, none) != -1) return CLI_USAGE;
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  const uint64_t start = openremap_now_ns(cli->dev);
  const int rc = openremap_flush(cli->dev);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", "flush");
  p->ops->number(p, "device_ns", openremap_now_ns(cli->dev) - start, "device time");
  p->ops->end(p);
  return CLI_OK;
}
