/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openremap_file.h - where the pages of a file lie on the namespace: what a remap of a file's contents needs to name.
 *
 * For file systems of the kernel that tell it (FIEMAP: ext4, xfs) and lie on the namespace or on one partition of it.
 * What cannot be told for certain is an error, never a number. A file system may move a file at any time but while it
 * is open for writing by the caller alone and not defragmented; the caller sees to that.
 */
#ifndef OPENREMAP_FILE_H
#define OPENREMAP_FILE_H

#include "openremap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The namespace that a file's file system lies on. */
struct openremap_volume {
  char name[32];        /* of the namespace's block device, e.g. nvme0n1 */
  uint64_t first_bytes; /* where the file system's device begins in it: 0, or the start of its partition */
};

/* `fd`: any open file of the file system. -ENODEV: it does not lie on an NVMe namespace, or on more than one device. */
OPENREMAP_MUST_USE int openremap_volume_of(int fd, struct openremap_volume *out);

/* Pages in a row. */
struct openremap_file_run {
  uint64_t lpn;
  uint64_t pages;
};

/*
 * Where the page at byte `offset` of the file lies, and how many of the `pages` from there on lie behind it in a row.
 * What the file system has not written yet is written first.
 *
 * -EINVAL: `offset` is not a multiple of 4096, or no pages. -ENODATA: a hole, or space that is reserved and not
 * written: it reads zeroes whatever the namespace holds. -EAGAIN: the place is not chosen yet (delayed allocation).
 * -ENOTSUP: the file system cannot tell, or data is not there as it is read (compressed, encrypted, inside metadata,
 * not on a page boundary of the namespace).
 */
OPENREMAP_MUST_USE int openremap_getlpn(int fd, const struct openremap_volume *volume, uint64_t offset, uint64_t pages,
                                        struct openremap_file_run *out);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_FILE_H */
