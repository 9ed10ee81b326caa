/* SPDX-License-Identifier: Apache-2.0 */
/* Identify (5.15): controller, namespace, lists. */
#include <string.h>

#include "copy_limits.h"
#include "fw.h"
#include "identity.h"

#define IDENTIFY_BYTES 4096u
#define NAMESPACE 1u

static void put_ascii(uint8_t *out, size_t n, const char *text) {
  size_t len = strlen(text);
  memset(out, ' ', n);
  memcpy(out, text, len < n ? len : n);
}

static uint8_t log2_of(uint32_t v) {
  uint8_t n = 0;
  while (v > 1) {
    v >>= 1;
    n++;
  }
  return n;
}

static void controller(const struct fw *fw, uint8_t *out) {
  struct nvme_identify_controller c = {
      .vid = FW_PCI_VENDOR,
      .ssvid = FW_PCI_VENDOR,
      .rab = 4,
      .mdts = log2_of(fw->dev.mdts_bytes / ORM_SLOT_BYTES),
      .cntlid = 1,
      .ver = ORM_BAR0_VS_RESET,
      .ctratt = 1u << 4, /* endurance groups */
      .cntrltype = 1,
      .oacs = 0, /* no Format NVM, firmware download, namespace management */
      .acl = FW_ABORT_LIMIT - 1u,
      .aerl = FW_AER_LIMIT - 1u,
      .frmw = 1u << 1 | 1u, /* one slot, read only */
      .lpa = 1u << 1 | 1u << 2,
      .elpe = FW_ERROR_ENTRIES - 1u,
      .npss = 0,
      .wctemp = 343,
      .cctemp = 353,
      .endgidmax = 1,
      .sqes = 6u << 4 | 6u,
      .cqes = 4u << 4 | 4u,
      .maxcmd = 0,
      .nn = 1,
      .oncs = 1u << 2 | 1u << 3 | 1u << 8, /* Dataset Management, Write Zeroes, Copy */
      .vwc = 1u | 3u << 1,                 /* present; Flush of all namespaces allowed */
      .awun = 0,
      .awupf = 0,
      .ocfs = 1, /* Copy descriptor format 0 */
      .sgls = 0,
      .psd0_mp = 1000,
  };
  put_ascii(c.sn, sizeof c.sn, fw->p->options.serial != NULL ? fw->p->options.serial : FW_SERIAL);
  put_ascii(c.mn, sizeof c.mn, FW_MODEL);
  uint8_t revision[8];
  put_ascii(revision, sizeof revision, FW_REVISION);
  c.fr = orm_get_le(revision, sizeof revision);
  orm_put_le(c.tnvmcap, (uint64_t)fw->nsze * ORM_SLOT_BYTES, 8);
  memset(c.subnqn, 0, sizeof c.subnqn);
  memcpy(c.subnqn, FW_NQN, sizeof FW_NQN - 1u);
  memcpy(c.subnqn + sizeof FW_NQN - 1u, c.sn, sizeof c.sn);
  for (size_t i = sizeof FW_NQN - 1u; i < sizeof FW_NQN - 1u + sizeof c.sn; i++) {
    if (c.subnqn[i] == ' ') c.subnqn[i] = 0;
  }
  nvme_identify_controller_pack(&c, out);
}

static void namespace(const struct fw *fw, uint8_t *out) {
  uint16_t limit = copy_limit_pages(&fw->dev);
  struct nvme_identify_namespace n = {
      .nsze = fw->nsze,
      .ncap = fw->nsze,
      .nuse = fw->nsze,
      .nsfeat = 1u << 4,
      .dlfeat = 1u | 1u << 3,
      .npwg = 0,
      .npwa = 0,
      .npdg = 0,
      .npda = 0,
      .nows = 0,
      .mssrl = limit,
      .mcl = limit,
      .msrc = FW_COPY_RANGES - 1u,
      .endgid = 1,
      .lbaf0 = 12u << 16, /* 4096 bytes, best performance */
  };
  memcpy(n.nguid, FW_NGUID, sizeof n.nguid);
  nvme_identify_namespace_pack(&n, out);
}

static fw_result_t build(struct fw *fw, const struct command *cmd, uint8_t *out) {
  uint32_t nsid = cmd->sqe.nsid;
  switch (cmd->sqe.cdw10 & 0xFFu) {
    case NVME_CNS_CONTROLLER:
      controller(fw, out);
      return FW_OK;
    case NVME_CNS_NAMESPACE:
      if (nsid != NAMESPACE) return FW_INVALID_NAMESPACE;
      namespace(fw, out);
      return FW_OK;
    case NVME_CNS_ACTIVE_NAMESPACES:
      if (nsid >= 0xFFFFFFFEu) return FW_INVALID_NAMESPACE;
      if (nsid < NAMESPACE) orm_put_le(out, NAMESPACE, 4);
      return FW_OK;
    case NVME_CNS_DESCRIPTORS:
      if (nsid != NAMESPACE) return FW_INVALID_NAMESPACE;
      out[0] = 2; /* NIDT: NGUID */
      out[1] = 16;
      memcpy(out + 4, FW_NGUID, 16);
      return FW_OK;
    default:
      return FW_INVALID_FIELD;
  }
}

fw_result_t cmd_identify(struct fw *fw, struct command *cmd) {
  if (cmd->step == 0) {
    command_buffer_clear(fw, IDENTIFY_BYTES);
    fw_result_t r = build(fw, cmd, command_buffer(fw));
    if (r != FW_OK) return r;
    cmd->step = 1;
  }
  return command_to_host(fw, cmd, IDENTIFY_BYTES);
}
