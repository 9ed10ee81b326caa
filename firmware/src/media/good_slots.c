/* SPDX-License-Identifier: Apache-2.0 */
#include "media/good_slots.h"

#include "fw.h"

void good_slots_set(struct fw *fw, uint32_t sb, uint32_t slots) { fw->good_slots.slots[sb] = (uint16_t)slots; }

uint16_t good_slots_of(const struct fw *fw, uint32_t sb) { return fw->good_slots.slots[sb]; }
