/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session.h"

#include <errno.h>
#include <stdarg.h>

static void say(const struct cli *cli, const char *format, va_list args) {
  fprintf(cli->env->err, CLI_PROGRAM ": ");
  if (cli->command != NULL) fprintf(cli->env->err, "%s: ", cli->command);
  vfprintf(cli->env->err, format, args);
}

int cli_usage_error(const struct cli *cli, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(cli, format, args);
  va_end(args);
  fputs(" (try --help)\n", cli->env->err);
  return CLI_USAGE;
}

int cli_file_error(const struct cli *cli, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(cli, format, args);
  va_end(args);
  fputc('\n', cli->env->err);
  return CLI_FAILED;
}

int cli_device_error(struct cli *cli, int rc) {
  char words[160];
  openremap_describe(rc, words, sizeof(words));
  const bool refused = cli->options.node != NULL && (rc == -EACCES || rc == -EPERM);
  const char *why = NULL;
  if (cli->dev != NULL && rc == -ENOTSUP) why = openremap_refusal(cli->dev);
  if (cli->dev != NULL && (rc == -ETIMEDOUT || rc == -EIO)) why = openremap_why_lost(cli->dev);
  fprintf(cli->env->err, CLI_PROGRAM ": %s: %s%s%s%s\n", cli->command, words,
          refused ? ": Linux passes this command for root only (CAP_SYS_ADMIN)" : "", why != NULL ? ": " : "",
          why != NULL ? why : "");
  if (cli->printer.ops == &print_json_ops) {
    cli->printer.ops->begin(&cli->printer);
    cli->printer.ops->text(&cli->printer, "command", cli->command);
    cli->printer.ops->text(&cli->printer, "error", words);
    if (rc > 0) cli->printer.ops->number(&cli->printer, "nvme_status", (uint64_t)rc, "");
    cli->printer.ops->end(&cli->printer);
  }
  return CLI_FAILED;
}

int cli_open(struct cli *cli) {
  if (cli->options.node == NULL && cli->options.create == NULL) {
    return cli_usage_error(cli,
                           "--device: this program has no simulated devices; give a device node such as /dev/ng0n1");
  }
  char error[200];
  const int rc = openremap_open(&cli->options, &cli->dev, error, sizeof(error));
  if (rc == 0) return CLI_OK;
  if (rc == -EINVAL && error[0] != '\0') return cli_usage_error(cli, "%s", error);
  char words[160];
  return cli_file_error(cli, "cannot open the device: %s",
                        error[0] != '\0' ? error : openremap_describe(rc, words, sizeof(words)));
}
