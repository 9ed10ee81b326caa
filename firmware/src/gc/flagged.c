/* SPDX-License-Identifier: Apache-2.0 */
#include "gc/flagged.h"

#include "core/superblock.h"
#include "fw.h"

#define LOOKS_PER_POLL 64u

/* Bad superblocks keep their flag in the hardware, since they are never erased. */
bool flagged_add(struct fw *fw, struct flagged *m, uint32_t sb, const char *why) {
  if (sb_set_has(&m->set, sb) || bad_has(fw, sb)) return false;
  sb_set_put(&m->set, sb, true);
  m->count++;
  m->try_from = 0;
  m->in_vain = 0;
  hal_log(fw->p, PLATFORM_LOG_INFO, "superblock %u: %s", (unsigned)sb, why);
  return true;
}

static bool look(struct fw *fw, struct flagged *m, uint32_t sb, uint32_t mark, const char *why) {
  return (superblock_word(fw->p, sb) & mark) != 0 && flagged_add(fw, m, sb, why);
}

bool flagged_poll(struct fw *fw, struct flagged *m, bool told, uint32_t mark, const char *why) {
  m->told = m->told || told;
  if (!m->looks) {
    if (!m->told || fw_waits_until(fw, m->look_from)) return false;
    m->told = false;
    m->looks = true;
    m->at = 0;
  }
  bool found = false;
  for (uint32_t n = 0; n < LOOKS_PER_POLL && m->at < fw->geometry.superblocks; n++)
    found = look(fw, m, m->at++, mark, why) || found;
  m->looks = m->at < fw->geometry.superblocks;
  if (!m->looks) m->look_from = hal_time(fw->p) + FW_FLAGGED_NS;
  fw_again_in(fw, 0);
  return found;
}

bool flagged_may_search(struct fw *fw, const struct flagged *m) {
  return m->count != 0 && !fw_waits_until(fw, m->try_from);
}

void flagged_in_vain(struct fw *fw, struct flagged *m) {
  m->try_from = hal_time(fw->p) + ((uint64_t)FW_FLAGGED_NS << m->in_vain);
  if (m->in_vain < FW_FLAGGED_DOUBLINGS) m->in_vain++;
}

void flagged_gone(struct flagged *m, uint32_t sb) {
  if (!sb_set_has(&m->set, sb)) return;
  sb_set_put(&m->set, sb, false);
  m->count--;
  m->try_from = 0;
  m->in_vain = 0;
}
