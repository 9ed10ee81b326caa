/* SPDX-License-Identifier: Apache-2.0 */
/* placement, placement-update */
#include "cli/cmd.h"
#include "cli/options.h"

#define MOST_HANDLES 128u /* that NVMe allows in a namespace */

int cli_cmd_placement(struct cli *cli, int argc, char **argv) {
  static const struct option none[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, none) != -1) return CLI_USAGE;
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  struct openremap_placement handles[MOST_HANDLES];
  size_t count = 0;
  const int rc = openremap_get_placement(cli->dev, handles, MOST_HANDLES, &count);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->number(p, "handles", count, "placement handles");
  for (size_t i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof(name), "pages_left_%u", (unsigned)handles[i].handle);
    p->ops->number(p, name, handles[i].pages_left, "that the handle's reclaim unit still takes");
  }
  p->ops->end(p);
  return CLI_OK;
}

int cli_cmd_placement_update(struct cli *cli, int argc, char **argv) {
  static const struct option none[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, none) != -1) return CLI_USAGE;
  uint64_t handle = 0;
  int code = cli_expect_operands(cli, argc, argv, 1, "HANDLE");
  if (code == CLI_OK) code = cli_number(cli, "HANDLE", argv[optind], 0, UINT16_MAX, &handle);
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  const uint16_t one = (uint16_t)handle;
  const int rc = openremap_placement_update(cli->dev, &one, 1);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", "placement-update");
  p->ops->number(p, "handle", handle, "");
  p->ops->end(p);
  return CLI_OK;
}
