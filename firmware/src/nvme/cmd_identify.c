/* SPDX-License-Identifier: Apache-2.0 */
/* Identify (5.15): controller, namespace, lists. */
#include <string.h>

#include "core/identity.h"
#include "fw.h"

#define IDENTIFY_BYTES 4096u
#define ARBITRATION_BURST 4u /* 2^4 commands: what waits in front of the engines */
#define POWER_CENTIWATTS 1000u
#define CONTROLLER_ID 1u
#define DESCRIPTOR_HEADER_BYTES 4u

enum step { SURVEY, BUILD, SEND };

static uint8_t log2_of(uint32_t v) {
  uint8_t n = 0;
  while (v > 1) {
    v >>= 1;
    n++;
  }
  return n;
}

/* Required and maximum size are the same. */
static uint8_t entry_size(uint32_t bytes) { return (uint8_t)(log2_of(bytes) << 4 | log2_of(bytes)); }

static void controller(const struct fw *fw, uint8_t *out) {
  struct nvme_identify_controller c = {
      .vid = ORM_PCI_VENDOR,
      .ssvid = ORM_PCI_VENDOR,
      .rab = ARBITRATION_BURST,
      .mdts = log2_of(fw->dev.mdts_bytes / ORM_SLOT_BYTES),
      .cntlid = CONTROLLER_ID,
      .ver = ORM_BAR0_VS_RESET,
      .oaes = async_events_optional(),
      .ctratt = NVME_CTRATT_ENDURANCE_GROUPS | NVME_CTRATT_PLACEMENT,
      .cntrltype = NVME_CONTROLLER_TYPE_IO,
      .oacs = NVME_OACS_FORMAT, /* no firmware download, no namespace management */
      .acl = FW_ABORT_LIMIT - 1u,
      .aerl = FW_AER_LIMIT - 1u,
      .frmw = NVME_FRMW_SLOTS | NVME_FRMW_SLOT1_READ_ONLY,
      .lpa = NVME_LPA_EFFECTS_LOG | NVME_LPA_EXTENDED_DATA,
      .elpe = FW_ERROR_ENTRIES - 1u,
      .npss = 0,
      .wctemp = FW_WARNING_KELVIN,
      .cctemp = FW_CRITICAL_KELVIN,
      .endgidmax = FW_ENDURANCE_GROUP,
      .sqes = entry_size(NVME_SUBMISSION_ENTRY_BYTES),
      .cqes = entry_size(NVME_COMPLETION_ENTRY_BYTES),
      .maxcmd = 0,
      .nn = FW_NSID,
      .fna = NVME_FNA_FORMAT_ALL | NVME_FNA_ERASE_ALL, /* no cryptographic erase */
      .oncs = NVME_ONCS_DATASET_MANAGEMENT | NVME_ONCS_WRITE_ZEROES | NVME_ONCS_SAVE_SELECT | NVME_ONCS_COPY,
      .vwc = NVME_VWC_PRESENT | NVME_VWC_FLUSH_ALL,
      .awun = 0,
      .awupf = 0,
      .ocfs = NVME_OCFS_FORMAT0 | NVME_OCFS_FORMAT1,
      .sgls = 0,
      .psd0_mp = POWER_CENTIWATTS,
      .board = fw->p->board,
  };
  identity_put_ascii(c.sn, sizeof c.sn, fw->p->identity.serial);
  identity_put_ascii(c.mn, sizeof c.mn, ORM_MODEL);
  uint8_t revision[8];
  identity_put_ascii(revision, sizeof revision, FW_REVISION);
  c.fr = orm_get_le(revision, sizeof revision);
  orm_put_le(c.tnvmcap, (uint64_t)fw->geometry.nsze * ORM_SLOT_BYTES, 8);
  identity_put_nqn(&fw->p->identity, c.subnqn, sizeof c.subnqn);
  fw_work(fw->p, FW_WORK_BYTES, IDENTIFY_BYTES / 16u);
  nvme_identify_controller_pack(&c, out);
}

static void namespace(const struct fw *fw, uint8_t *out) {
  uint16_t pages = (uint16_t)fw->dev.copy_pages;
  struct nvme_identify_namespace n = {
      .nsze = fw->geometry.nsze,
      .ncap = fw->geometry.nsze,
      .nuse = health_used(fw),
      .nsfeat = NVME_NSFEAT_OPTIMAL_SIZES,
      .fpi = (uint8_t)(NVME_FPI_SUPPORTED | format_nvm_remaining(fw)),
      .dlfeat = NVME_DLFEAT_READS_ZEROES | NVME_DLFEAT_WRITE_ZEROES,
      .npwg = 0,
      .npwa = 0,
      .npdg = 0,
      .npda = 0,
      .nows = 0,
      .mssrl = pages,
      .mcl = pages,
      .msrc = (uint8_t)(fw->dev.copy_ranges - 1u),
      .nsattr = spare_write_protected(fw) != 0 ? NVME_NSATTR_WRITE_PROTECTED : 0,
      .endgid = FW_ENDURANCE_GROUP,
      .lbaf0 = log2_of(ORM_SLOT_BYTES) * NVME_LBAF_DATA_SIZE, /* relative performance 0: best */
  };
  identity_put_nguid(&fw->p->identity, FW_NSID, n.nguid);
  n.eui64 = orm_get_le(fw->p->identity.eui64, PLATFORM_EUI64_BYTES);
  fw_work(fw->p, FW_WORK_BYTES, IDENTIFY_BYTES / 16u);
  nvme_identify_namespace_pack(&n, out);
}

/* Namespace Identification Descriptor list (5.15.2.3): each has its type, its length, two reserved bytes and its value.
 * The list ends with a length of 0. */
static void descriptors(const struct platform_identity *identity, uint8_t *out) {
  out[0] = NVME_DESCRIPTOR_EUI64;
  out[1] = PLATFORM_EUI64_BYTES;
  memcpy(out + DESCRIPTOR_HEADER_BYTES, identity->eui64, PLATFORM_EUI64_BYTES);
  out += DESCRIPTOR_HEADER_BYTES + PLATFORM_EUI64_BYTES;
  out[0] = NVME_DESCRIPTOR_NGUID;
  out[1] = IDENTITY_NGUID_BYTES;
  identity_put_nguid(identity, FW_NSID, out + DESCRIPTOR_HEADER_BYTES);
}

/* The data are few fields, or none. Those of a controller and of a namespace are packed, which clears all of them. */
static uint8_t *cleared(const struct fw *fw) {
  mailbox_buffer_clear(fw, IDENTIFY_BYTES);
  return mailbox_buffer(fw);
}

/* For the NVM command set, the only one: no field that is not 0. No limits beside MDTS, no formats with more
 * metadata. */
static fw_result_t command_set(const struct fw *fw, struct command *cmd) {
  (void)cleared(fw);
  if (cmd->sqe.cdw11 >> 24 == COMMAND_SET_NVM) return FW_OK;
  return command_refuse(cmd, COMMAND_FIELD(11u, 24u), FW_INVALID_FIELD);
}

/* The NSID is not looked at where the data are no namespace's: the specification only says that it should be. */
static fw_result_t build(struct fw *fw, struct command *cmd) {
  uint32_t nsid = cmd->sqe.nsid;
  uint8_t *out;
  switch (cmd->sqe.cdw10 & 0xFFu) {
    case NVME_CNS_CONTROLLER:
      controller(fw, mailbox_buffer(fw));
      return FW_OK;
    case NVME_CNS_NAMESPACE:
      if (nsid != FW_NSID) return FW_INVALID_NAMESPACE;
      namespace(fw, mailbox_buffer(fw));
      return FW_OK;
    case NVME_CNS_ACTIVE_NAMESPACES:
      if (nsid >= 0xFFFFFFFEu) return FW_INVALID_NAMESPACE;
      out = cleared(fw);
      if (nsid < FW_NSID) orm_put_le(out, FW_NSID, 4);
      return FW_OK;
    case NVME_CNS_DESCRIPTORS:
      if (nsid != FW_NSID) return FW_INVALID_NAMESPACE;
      descriptors(&fw->p->identity, cleared(fw));
      return FW_OK;
    case NVME_CNS_SET_NAMESPACE:
      if (nsid != FW_NSID) return FW_INVALID_NAMESPACE;
      return command_set(fw, cmd);
    case NVME_CNS_SET_CONTROLLER:
      return command_set(fw, cmd);
    case NVME_CNS_CONTROLLERS:
      out = cleared(fw);
      if (cmd->sqe.cdw10 >> 16 <= CONTROLLER_ID) {
        orm_put_le(out, 1, 2);
        orm_put_le(out + 2, CONTROLLER_ID, 2);
      }
      return FW_OK;
    default:
      return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
  }
}

fw_result_t cmd_identify(struct fw *fw, struct command *cmd) {
  if (cmd->step == SURVEY) {
    if (command_uuid(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(14u, 0u), FW_INVALID_FIELD);
    health_begin(fw);
    cmd->step = BUILD;
  }
  if (cmd->step == BUILD) {
    bool asks_for_use = (cmd->sqe.cdw10 & 0xFFu) == NVME_CNS_NAMESPACE;
    if (asks_for_use && health_poll(fw) == FW_PENDING) return FW_PENDING;
    fw_result_t r = build(fw, cmd);
    if (r != FW_OK) return r;
    cmd->step = SEND;
  }
  return mailbox_to_host(fw, cmd, IDENTIFY_BYTES);
}
