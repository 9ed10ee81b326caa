/* SPDX-License-Identifier: Apache-2.0 */
/* map */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "openremap_file.h"

/* Words for what openremap_getlpn returned. */
static const char *why(int rc) {
  switch (rc) {
    case -ENODATA:
      return "a hole, or space without data";
    case -EAGAIN:
      return "the file system has not allocated it yet: fsync the file";
    case -ENOTSUP:
      return "the file system transforms the data, or does not tell where it lies";
    default:
      return strerror(-rc);
  }
}

static int show_run(struct cli *cli, int fd, const char *path, uint64_t page) {
  struct openremap_volume volume;
  int rc = openremap_volume_of(fd, &volume);
  if (rc == -ENODEV) return cli_file_error(cli, "%s: its file system does not lie on one NVMe namespace", path);
  if (rc != 0) return cli_file_error(cli, "%s: %s", path, strerror(-rc));
  struct openremap_file_run run;
  rc = openremap_getlpn(fd, &volume, page * OPENREMAP_PAGE_BYTES, UINT64_MAX / OPENREMAP_PAGE_BYTES - page, &run);
  if (rc != 0) return cli_file_error(cli, "%s, page %llu: %s", path, (unsigned long long)page, why(rc));
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "namespace", volume.name);
  p->ops->number(p, "page", page, "of the file");
  p->ops->number(p, "lpn", run.lpn, "of the namespace");
  p->ops->number(p, "pages", run.pages, "in a row from there on");
  p->ops->end(p);
  return CLI_OK;
}

int cli_cmd_map(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {{"page", required_argument, NULL, 'p'}, {NULL, 0, NULL, 0}};
  uint64_t page = 0;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (cli_number(cli, "--page", optarg, 0, UINT32_MAX, &page) != CLI_OK) return CLI_USAGE;
  }
  const int code = cli_expect_operands(cli, argc, argv, 1, "FILE");
  if (code != CLI_OK) return code;
  const char *path = argv[optind];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return cli_file_error(cli, "%s: %s", path, strerror(errno));
  const int shown = show_run(cli, fd, path, page);
  close(fd);
  return shown;
}
