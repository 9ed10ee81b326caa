/* SPDX-License-Identifier: Apache-2.0 */
/* precondition, steady */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "openremap_precondition.h"

static void tell(void *arg, uint32_t round, uint64_t done, uint64_t pages) {
  char what[40];
  const bool fill = round <= OPENREMAP_FILL_ROUNDS;
  snprintf(what, sizeof(what), "%s %" PRIu32, fill ? "fill" : "random", fill ? round : round - OPENREMAP_FILL_ROUNDS);
  cli_progress_show(arg, cli_progress_now(), what, done, pages);
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
  struct cli_progress shown;
  cli_progress_begin(&shown, cli->env->err, cli_progress_style_of(cli->env->err, progress), cli_progress_now());
  const int rc = openremap_precondition(cli->dev, seed, tell, &shown, &result);
  cli_progress_end(&shown);
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

int cli_cmd_steady(struct cli *cli, int argc, char **argv) {
  static const struct option options[] = {{NULL, 0, NULL, 0}};
  if (cli_next_option(cli, argc, argv, options) != -1) return CLI_USAGE;
  const int given = argc - optind;
  if (given == 0) return cli_usage_error(cli, "expected FIGURE...");
  double figures[OPENREMAP_STEADY_ROUNDS]; /* the last ones */
  size_t kept = 0;
  for (int i = 0; i < given; i++) {
    char *end = NULL;
    const char *text = argv[optind + i];
    const double figure = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(figure) || figure < 0) {
      return cli_usage_error(cli, "'%s' is not a number from 0 on", text);
    }
    if (i < given - (int)OPENREMAP_STEADY_ROUNDS) continue;
    figures[kept++] = figure;
  }
  const bool steady = openremap_is_steady(figures, kept);
  struct printer *p = &cli->printer;
  p->ops->begin(p);
  p->ops->text(p, "command", "steady");
  p->ops->number(p, "figures", (uint64_t)given, "");
  p->ops->flag(p, "steady", steady);
  p->ops->end(p);
  return steady ? CLI_OK : CLI_FAILED;
}
