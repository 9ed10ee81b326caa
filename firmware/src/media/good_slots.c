/* SPDX-License-Identifier: Apache-2.0 */
#include "media/good_slots.h"

#include "fw.h"

void good_slots_set(struct fw *fw, uint32_t sb, uint32_t slots) { fw->good_slots.slots[sb] = (uint16_t)slots; }

static uint32_t open_superblock(const struct fw *fw, uint32_t handle) {
  hal_write(fw->p, ORM_FW_ALLOC_STREAM,
            ORM_PUT(ORM_FW_ALLOC_STREAM_STREAM, ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle));
  return hal_read(fw->p, ORM_FW_ALLOC_OPEN);
}

uint16_t good_slots_of(const struct fw *fw, uint32_t sb) { return fw->good_slots.slots[sb]; }

/* The intent of its erase must say how many slots of the superblock are readable, and a later recovery finds only
 * those handed out by now, and those that complete the last page. Writes may go on meanwhile: if one of them has
 * closed the superblock already, the number is not known. */
void good_slots_end_filling(struct fw *fw, uint32_t handle) {
  uint32_t before = open_superblock(fw, handle);
  if (!ORM_GET(before, ORM_FW_ALLOC_OPEN_OPEN)) return;
  hal_write(fw->p, ORM_FW_ALLOC_CLOSE, ORM_PUT(ORM_FW_ALLOC_CLOSE_HANDLE, handle));
  uint32_t after = open_superblock(fw, handle);
  uint32_t sb = ORM_GET(before, ORM_FW_ALLOC_OPEN_SB);
  bool known = ORM_GET(after, ORM_FW_ALLOC_OPEN_OPEN) && ORM_GET(after, ORM_FW_ALLOC_OPEN_FULL) &&
               ORM_GET(after, ORM_FW_ALLOC_OPEN_SB) == sb;
  uint32_t next = ORM_GET(after, ORM_FW_ALLOC_OPEN_NEXT), in_page = fw->dev.slots_per_page;
  if (!known)
    good_slots_set(fw, sb, GOOD_SLOTS_UNKNOWN);
  else if (next != 0)
    good_slots_set(fw, sb, (next + in_page - 1u) / in_page * in_page); /* 0: its last slot has been handed out */
}
