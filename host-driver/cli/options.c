/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int cli_number(const struct cli *cli, const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out) {
  char *end = NULL;
  errno = 0;
  /* strtoull takes "-1" and blanks; a page number has neither. */
  const unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 0) : 0;
  if (end == NULL || *end != '\0' || errno != 0 || value < min || value > max) {
    if (max == UINT64_MAX) {
      return cli_usage_error(cli, "%s: '%s' is not a number of at least %" PRIu64, name, text, min);
    }
    return cli_usage_error(cli, "%s: '%s' is not a number from %" PRIu64 " to %" PRIu64, name, text, min, max);
  }
  *out = value;
  return CLI_OK;
}

int cli_next_option(const struct cli *cli, int argc, char **argv, const struct option *options) {
  const int chosen = getopt_long(argc, argv, ":h", options, NULL);
  if (chosen == ':') {
    cli_usage_error(cli, "%s needs a value", argv[optind - 1]);
    return '?';
  }
  if (chosen == '?') cli_usage_error(cli, "unknown option %s", argv[optind - 1]);
  return chosen;
}

int cli_expect_operands(const struct cli *cli, int argc, char **argv, int count, const char *names) {
  if (argc - optind == count) return CLI_OK;
  if (argc - optind > count) return cli_usage_error(cli, "unexpected '%s'", argv[optind + count]);
  return cli_usage_error(cli, "expected %s", names);
}
