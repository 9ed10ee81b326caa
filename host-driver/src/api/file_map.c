/* SPDX-License-Identifier: Apache-2.0 */
#include "api/file_map.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "kernel/kernel_linux.h"

#define SECTOR_BYTES 512u /* of sysfs, whatever the device has */

/* Reads one number from a small file of sysfs. -ENOENT: there is no such file. */
static int read_number(const char *folder, const char *name, uint64_t *out) {
  char path[PATH_MAX];
  if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path)) return -ENAMETOOLONG;
  FILE *file = fopen(path, "r");
  if (file == NULL) return -errno;
  const int found = fscanf(file, "%" SCNu64, out);
  fclose(file);
  return found == 1 ? 0 : -EIO;
}

/* Cuts the last component off and returns it. */
static const char *pop_component(char *path) {
  char *slash = strrchr(path, '/');
  if (slash == NULL) return path;
  *slash = '\0';
  return slash + 1;
}

static bool is_namespace(const char *name) {
  unsigned controller, number;
  int used = 0;
  return sscanf(name, "nvme%un%u%n", &controller, &number, &used) == 2 && name[used] == '\0';
}

int file_map_volume(const struct kernel_os *os, int fd, struct openremap_volume *out) {
  struct stat file;
  int rc = os->fstat(os->ctx, fd, &file);
  if (rc != 0) return rc;
  char link[PATH_MAX], path[PATH_MAX];
  if ((size_t)snprintf(link, sizeof(link), "%s/%u:%u", os->block_devices, major(file.st_dev), minor(file.st_dev)) >=
      sizeof(link))
    return -ENAMETOOLONG;
  /* No such link: a file system of no device (tmpfs, overlay), or of several (btrfs). */
  if (realpath(link, path) == NULL) return errno == ENOENT ? -ENODEV : -errno;
  uint64_t partition = 0, start = 0;
  rc = read_number(path, "partition", &partition);
  const bool whole = rc == -ENOENT;
  if (rc != 0 && !whole) return rc;
  if (!whole) {
    rc = read_number(path, "start", &start);
    if (rc != 0) return rc;
    (void)pop_component(path);
  }
  const char *name = pop_component(path);
  if (!is_namespace(name) || strlen(name) >= sizeof(out->name)) return -ENODEV;
  *out = (struct openremap_volume){.first_bytes = start * SECTOR_BYTES};
  strcpy(out->name, name);
  return 0;
}

/* Whether the extent holds the file's bytes as they are read. */
static int judge(uint32_t flags) {
  if (flags & FIEMAP_EXTENT_UNWRITTEN) return -ENODATA;
  if (flags & FIEMAP_EXTENT_DELALLOC) return -EAGAIN;
  const uint32_t harmless = FIEMAP_EXTENT_LAST | FIEMAP_EXTENT_MERGED | FIEMAP_EXTENT_SHARED;
  return (flags & ~harmless) == 0 ? 0 : -ENOTSUP;
}

int file_map_getlpn(const struct kernel_os *os, int fd, const struct openremap_volume *volume, uint64_t offset,
                    uint64_t pages, struct openremap_file_run *out) {
  if (offset % OPENREMAP_PAGE_BYTES != 0 || pages == 0 || pages > (UINT64_MAX - offset) / OPENREMAP_PAGE_BYTES) {
    return -EINVAL;
  }
  /* One extent is enough: the next one begins another run, unless the file system has cut it for no reason. */
  uint64_t memory[(sizeof(struct fiemap) + sizeof(struct fiemap_extent)) / sizeof(uint64_t)] = {0};
  struct fiemap *map = (struct fiemap *)memory;
  map->fm_start = offset;
  map->fm_length = pages * OPENREMAP_PAGE_BYTES;
  map->fm_flags = FIEMAP_FLAG_SYNC;
  map->fm_extent_count = 1;
  const int rc = os->ioctl(os->ctx, fd, FS_IOC_FIEMAP, map);
  if (rc == -EOPNOTSUPP || rc == -ENOTTY || rc == -EBADR) return -ENOTSUP;
  if (rc < 0) return rc;
  const struct fiemap_extent *extent = map->fm_extents;
  if (map->fm_mapped_extents == 0 || extent->fe_logical > offset) return -ENODATA;
  const uint64_t inside = offset - extent->fe_logical;
  if (inside >= extent->fe_length) return -EIO; /* not what was asked for */
  const int good = judge(extent->fe_flags);
  if (good != 0) return good;
  const uint64_t at = volume->first_bytes + extent->fe_physical + inside;
  if (at % OPENREMAP_PAGE_BYTES != 0) return -ENOTSUP;
  /* A file's last page may be an extent of less: the rest of the page is the file system's. */
  const uint64_t whole = (extent->fe_length - inside) / OPENREMAP_PAGE_BYTES;
  if (whole == 0) return -ENOTSUP;
  *out = (struct openremap_file_run){.lpn = at / OPENREMAP_PAGE_BYTES, .pages = whole < pages ? whole : pages};
  return 0;
}

int openremap_volume_of(int fd, struct openremap_volume *out) { return file_map_volume(&kernel_os_linux, fd, out); }

int openremap_getlpn(int fd, const struct openremap_volume *volume, uint64_t offset, uint64_t pages,
                     struct openremap_file_run *out) {
  return file_map_getlpn(&kernel_os_linux, fd, volume, offset, pages, out);
}
