/* SPDX-License-Identifier: Apache-2.0 */
/* precondition */
#include <inttypes.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "openremap_precondition.h"

/* For a program that reads them; a person gets the figures of each round at the end. */
static void tell(void *arg, uint32_t round, uint64_t done, uint64_t pages) {
  FILE *err = arg;
  const bool fill = round <= OPENREMAP_FILL_ROUNDS;
  fprintf(err, "progress %" PRIu64 " %" PRIu64 " %s %" PRIu32 "\n", done, pages, fill ? "fill" : "random",
          fill ? round : round - OPENREMAP_FILL_ROUNDS);
  fflush(err);
}

int cli_cmd_precondition(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {{"yes", no_argument, NULL, 'y'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"progress", no_argument, NULL, 'p'},
                                          {NULL, 0, NULL, 0}};
  bool yes = false, progress = false;
  uint64_t seed = 1;
  for (int chosen; (chosen = cli_next_option(cli, argc, argv, options)) != -1;) {
    if (chosen == '?') return CLI_USAGE;
    if (chosen == 'y') yes = true;
    if (chosen == 'p') progress = true;
    if (chosen == 's' && cli_number(cli, "--seed", optarg, 0, UINT64_MAX, &seed) != CLI_OK) return CLI_USAGE;
  }
  int code = cli_expect_operands(cli, argc, argv, 0, "nothing");
  if (code == CLI_OK && !yes) code = cli_usage_error(cli, "all data on the device would be lost; confirm with --yes");
  if (code == CLI_OK) code = cli_open(cli);
  if (code != CLI_OK) return code;
  struct openremap_precondition_result result;
  const int rc = openremap_precondition(cli->dev, seed, progress ? tell : NULL, cli->env->err, &result);
  if (rc != 0) return cli_device_error(cli, rc);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", "precondition");
  p->ops->number(p, "pages", openremap_get_info(cli->dev)->pages, "of each round");
  for (uint32_t i = 0; i < result.rounds; i++) {
    char name[32];
    snprintf(name, sizeof(name), "wa_round_%" PRIu32, i + 1);
    p->ops->real(p, name, result.write_amplification[i], "write amplification");
  }
  p->ops->flag(p, "steady", result.steady);
  p->ops->end(p);
  if (result.steady) return CLI_OK;
  return cli_file_error(cli, "no steady state in %" PRIu32 " rounds", result.rounds);
}
