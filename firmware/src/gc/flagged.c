/* SPDX-License-Identifier: Apache-2.0 */
#include "marked.h"

#include "fw.h"
#include "superblock.h"

#define LOOKS_PER_POLL 64u

/* Those that are out of use keep their mark: nobody erases them. */
bool marked_add(struct fw *fw, struct marked *m, uint32_t sb, const char *why) {
  if (sb_set_has(&m->set, sb) || bad_has(fw, sb)) return false;
  sb_set_put(&m->set, sb, true);
  m->count++;
  m->try_from = 0;
  m->in_vain = 0;
  hal_log(fw->p, PLATFORM_LOG_INFO, "superblock %u: %s", (unsigned)sb, why);
  return true;
}

static bool look(struct fw *fw, struct marked *m, uint32_t sb, uint32_t mark, const char *why) {
  return (superblock_word(fw->p, sb) & mark) != 0 && marked_add(fw, m, sb, why);
}

bool marked_poll(struct fw *fw, struct marked *m, bool told, uint32_t mark, const char *why) {
  m->told = m->told || told;
  if (!m->looks) {
    if (!m->told || fw_waits_until(fw, m->look_from)) return false;
    m->told = false;
    m->looks = true;
    m->at = 0;
  }
  bool found = false;
  for (uint32_t n = 0; n < LOOKS_PER_POLL && m->at < fw->superblocks; n++)
    found = look(fw, m, m->at++, mark, why) || found;
  m->looks = m->at < fw->superblocks;
  if (!m->looks) m->look_from = hal_time(fw->p) + FW_MARKED_NS;
  fw_again_in(fw, 0);
  return found;
}

bool marked_may_search(struct fw *fw, const struct marked *m) {
  return m->count != 0 && !fw_waits_until(fw, m->try_from);
}

void marked_in_vain(struct fw *fw, struct marked *m) {
  m->try_from = hal_time(fw->p) + ((uint64_t)FW_MARKED_NS << m->in_vain);
  if (m->in_vain < FW_MARKED_DOUBLINGS) m->in_vain++;
}

void marked_gone(struct marked *m, uint32_t sb) {
  if (!sb_set_has(&m->set, sb)) return;
  sb_set_put(&m->set, sb, false);
  m->count--;
  m->try_from = 0;
  m->in_vain = 0;
}
