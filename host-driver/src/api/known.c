/* SPDX-License-Identifier: Apache-2.0 */
#include "api/known.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "openremap_cmd.h"
#include "openremap_stats.h"
#include "orm_identity.h"

/* Ranges of vendor opcodes (NVMe 1.4, figures 139 and 346). */
#define FIRST_ADMIN_OPCODE 0xC0u
#define FIRST_IO_OPCODE 0x80u

/* Commands Supported and Effects log (section 5.14.1.5): dwords of admin commands, then of I/O commands. */
#define EFFECTS_BYTES 4096u
#define EFFECTS_OF_IO(opcode) (4u * (256u + (opcode)))

static int refuse(struct openremap_device *dev, const char *format, ...) {
  const int used = snprintf(dev->refusal, sizeof(dev->refusal), "not an OpenRemap device: ");
  va_list args;
  va_start(args, format);
  vsnprintf(dev->refusal + used, sizeof(dev->refusal) - (size_t)used, format, args);
  va_end(args);
  dev->refused = -ENOTSUP;
  return 0;
}

/* What a failed Get Log Page says of the device. */
static int refuse_log(struct openremap_device *dev, int rc, const char *log) {
  if (rc == -EACCES || rc == -EPERM) {
    snprintf(dev->refusal, sizeof(dev->refusal),
             "not known to be an OpenRemap device: its %s cannot be read, which Linux allows to root only", log);
    dev->refused = rc;
    return 0;
  }
  if (rc == -EPROTO) return refuse(dev, "its %s has another layout", log);
  if (rc < 0) return rc;
  char words[96];
  return refuse(dev, "its %s cannot be read: %s", log, openremap_describe(rc, words, sizeof(words)));
}

static bool is_model(const char *model) {
  const size_t length = strlen(ORM_MODEL);
  return strncmp(model, ORM_MODEL, length) == 0 && (model[length] == '\0' || model[length] == ' ');
}

int known_ask(struct openremap_device *dev, const struct nvme_identify_controller *ctrl) {
  if (ctrl->vid != ORM_PCI_VENDOR)
    return refuse(dev, "its PCI vendor is 0x%04x and its model \"%s\"", ctrl->vid, dev->info.model);
  if (!is_model(dev->info.model)) return refuse(dev, "its model is \"%s\"", dev->info.model);
  if ((ctrl->lpa & NVME_LPA_EFFECTS_LOG) == 0) return refuse(dev, "it has no log of the commands that it supports");
  uint8_t effects[EFFECTS_BYTES];
  int rc = openremap_get_log_page(dev, NVME_LOG_PAGE_COMMANDS_SUPPORTED, 0, effects, sizeof(effects));
  if (rc != 0) return refuse_log(dev, rc, "log of supported commands");
  static const uint8_t opcodes[] = {ORM_VENDOR_OPCODES_REMAP, ORM_VENDOR_OPCODES_REMAP_VECTOR};
  for (size_t i = 0; i < sizeof(opcodes); i++) {
    if ((effects[EFFECTS_OF_IO(opcodes[i])] & NVME_EFFECT_SUPPORTED) == 0)
      return refuse(dev, "its log of supported commands does not list opcode 0x%02x", opcodes[i]);
  }
  struct orm_remap_log log;
  rc = openremap_get_stats(dev, &log);
  return rc == 0 ? 0 : refuse_log(dev, rc, "remap log page");
}

int known_refuses(const struct openremap_device *dev, bool admin, uint8_t opcode) {
  return opcode >= (admin ? FIRST_ADMIN_OPCODE : FIRST_IO_OPCODE) ? dev->refused : 0;
}

const char *openremap_refusal(const struct openremap_device *dev) { return dev->refused == 0 ? NULL : dev->refusal; }
