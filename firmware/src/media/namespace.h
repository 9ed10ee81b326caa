/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace.h - tells the hardware whether it may accept I/O commands.
 */
#ifndef OPENREMAP_FW_NAMESPACE_H
#define OPENREMAP_FW_NAMESPACE_H

struct fw;

/* Writes NVME_STATE: ready unless a shutdown or a format forbids it, the reason of the refusal, and whether the
 * namespace is write protected. To be called after each change of one of these (quiesce.h, spare.h). */
void namespace_show(const struct fw *fw);

#endif /* OPENREMAP_FW_NAMESPACE_H */
