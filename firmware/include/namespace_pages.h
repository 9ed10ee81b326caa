/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace_pages.h - the size of the namespace that the firmware gives a device. A port can so tell before power-on
 * whether an image was formatted with the options that are asked for.
 */
#ifndef OPENREMAP_NAMESPACE_PAGES_H
#define OPENREMAP_NAMESPACE_PAGES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Slots of a superblock that surely hold data, of `data_slots` without its summary. A collection may end inside a page
 * of `slots_per_page`, whose other slots are padding. */
static inline uint32_t fw_sure_slots(uint32_t data_slots, uint32_t slots_per_page) {
  return data_slots - (slots_per_page - 1u);
}

/* What the size depends on besides options. */
struct fw_namespace_room {
  uint32_t superblocks; /* good ones */
  uint32_t sure_slots;  /* of each */
  uint32_t handles;     /* placement handles, at least 1 */
  uint32_t most_pages;  /* where LPNs begin that no namespace has */
};

/* Size in pages of a namespace with `op_pct` percent over-provisioning (0: default). 0: there is no room for one. Each
 * handle but one may keep another superblock open. These come out of the over-provisioning, as long as half of it is
 * left; beyond that they make the namespace smaller. */
uint32_t fw_namespace_pages(const struct fw_namespace_room *room, uint32_t op_pct);

#ifdef __cplusplus
}
#endif

#endif /* OPENREMAP_NAMESPACE_PAGES_H */
