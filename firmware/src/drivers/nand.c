/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/nand.h"

#include "core/hal.h"

bool nand_start_with(struct nand *n, const struct device *d, const struct platform *p, enum orm_fw_nand_op op,
                     uint32_t slot, uint32_t buffer) {
  uint32_t die = nand_die_of(d, slot);
  if (n->busy[die] || !ORM_GET(hal_read(p, ORM_FW_NAND_STATUS), ORM_FW_NAND_STATUS_READY)) return false;
  if (op == ORM_FW_NAND_OP_READ || op == ORM_FW_NAND_OP_PROGRAM)
    hal_write(p, ORM_FW_NAND_BUFFER, ORM_PUT(ORM_FW_NAND_BUFFER_INDEX, buffer));
  hal_write(p, ORM_FW_NAND_GO, ORM_PUT(ORM_FW_NAND_GO_SLOT, slot) | ORM_PUT(ORM_FW_NAND_GO_OP, op));
  n->busy[die] = true;
  n->outstanding++;
  return true;
}

bool nand_start(struct nand *n, const struct device *d, const struct platform *p, enum orm_fw_nand_op op,
                uint32_t slot) {
  bool reads = op == ORM_FW_NAND_OP_READ;
  if (reads && n->reading) return false;
  if (!nand_start_with(n, d, p, op, slot, 0)) return false;
  n->reading = n->reading || reads;
  return true;
}

bool nand_take(struct nand *n, const struct device *d, const struct platform *p, struct nand_result *out) {
  if (n->outstanding == 0) return false;
  uint32_t status = hal_read(p, ORM_FW_NAND_STATUS);
  if (!ORM_GET(status, ORM_FW_NAND_STATUS_VALID)) return false;
  fw_work(p, FW_WORK_RECORD, 1u);
  out->slot = ORM_GET(status, ORM_FW_NAND_STATUS_SLOT);
  out->status = (enum orm_fw_nand_status)ORM_GET(status, ORM_FW_NAND_STATUS_STATUS);
  bool has_oob = out->status == ORM_FW_NAND_STATUS_OK || out->status == ORM_FW_NAND_STATUS_FAILED;
  for (uint32_t i = 0; i < ORM_OOB_RECORD_BYTES / 4u; i++) {
    uint32_t word = has_oob ? hal_read(p, ORM_FW_NAND_OOB(i)) : 0;
    orm_put_le(out->oob + 4u * i, word, 4);
  }
  hal_write(p, ORM_FW_NAND_POP, ORM_PUT(ORM_FW_NAND_POP_POP, 1));
  n->busy[nand_die_of(d, out->slot)] = false;
  n->outstanding--;
  return true;
}

fw_result_t nand_data(struct nand *n, const struct platform *p, uint32_t at, uint8_t out[FW_NAND_CHUNK]) {
  if (!n->fetching || n->at != at) hal_write(p, ORM_FW_NAND_AT, ORM_PUT(ORM_FW_NAND_AT_AT, at));
  n->fetching = true;
  n->at = at;
  if (!ORM_GET(hal_read(p, ORM_FW_NAND_AT), ORM_FW_NAND_AT_READY)) return FW_PENDING;
  for (uint32_t i = 0; i < FW_NAND_CHUNK / 4u; i++) orm_put_le(out + 4u * i, hal_read(p, ORM_FW_NAND_DATA(i)), 4);
  n->fetching = false;
  return FW_OK;
}

bool nand_marked_bad(const struct nand_result *r) {
  for (uint32_t i = 0; i < sizeof r->oob; i++) {
    if (r->oob[i] != 0) return false;
  }
  return r->status == ORM_FW_NAND_STATUS_FAILED;
}

void nand_read_done(struct nand *n) { n->reading = n->fetching = false; }

void nand_erase_begin(struct nand_eraser *e, uint32_t sb) {
  e->sb = sb;
  e->next_die = 0;
  e->failed = false;
}

fw_result_t nand_erase_poll(struct nand_eraser *e, struct nand *n, const struct device *d, const struct platform *p) {
  struct nand_result r;
  while (nand_take(n, d, p, &r)) {
    if (r.status != ORM_FW_NAND_STATUS_OK) e->failed = true;
  }
  while (e->next_die < d->dies &&
         nand_start(n, d, p, ORM_FW_NAND_OP_ERASE, e->sb * d->slots_per_sb + e->next_die * d->slots_per_page)) {
    e->next_die++;
  }
  if (e->next_die < d->dies || n->outstanding > 0) return FW_PENDING;
  return e->failed ? FW_NAND : FW_OK;
}
