/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kernel/kernel_ring.h"

static int os_open(void *ctx, const char *path) {
  (void)ctx;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

/* Longest that a claim waits for another one, and how often it looks. udev locks a block device for a moment when one
 * that was open for writing is closed, as the program before may just have done. */
#define CLAIM_TRIES 50
#define CLAIM_PAUSE_NS 20000000

/* A namespace has two nodes, ng0n1 and nvme0n1, and is claimed by the latter, which mounted file systems claim, too. */
static void path_of_claim(const char *path, char *out, size_t len) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  unsigned controller, number;
  int used = 0;
  if (sscanf(name, "ng%un%u%n", &controller, &number, &used) == 2 && name[used] == '\0' &&
      (size_t)snprintf(out, len, "%.*snvme%un%u", (int)(name - path), path, controller, number) < len &&
      access(out, R_OK) == 0)
    return;
  snprintf(out, len, "%s", path);
}

static int try_claim(const char *path, bool alone) {
  struct stat found;
  const bool block = stat(path, &found) == 0 && S_ISBLK(found.st_mode);
  const int fd = open(path, O_RDONLY | O_CLOEXEC | (block && alone ? O_EXCL : 0));
  if (fd < 0) return -errno;
  if (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return fd;
  const int error = errno;
  close(fd);
  return error == EWOULDBLOCK ? -EBUSY : -error;
}

static int os_claim(void *ctx, const char *path, bool alone) {
  (void)ctx;
  char node[PATH_MAX], claimed[PATH_MAX];
  if (realpath(path, node) == NULL) return -errno; /* the name of a link says nothing of the node's kind */
  path_of_claim(node, claimed, sizeof(claimed));
  int fd = try_claim(claimed, alone);
  for (int tries = 1; fd == -EBUSY && tries < CLAIM_TRIES; tries++) {
    nanosleep(&(struct timespec){.tv_nsec = CLAIM_PAUSE_NS}, NULL);
    fd = try_claim(claimed, alone);
  }
  return fd;
}

static int os_ioctl(void *ctx, int fd, unsigned long request, void *arg) {
  (void)ctx;
  const int rc = ioctl(fd, request, arg);
  return rc < 0 ? -errno : rc;
}

static int os_fstat(void *ctx, int fd, struct stat *out) {
  (void)ctx;
  return fstat(fd, out) < 0 ? -errno : 0;
}

static int os_close(void *ctx, int fd) {
  (void)ctx;
  return close(fd) < 0 ? -errno : 0;
}

static uint64_t os_now_ns(void *ctx) {
  (void)ctx;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const struct kernel_os kernel_os_linux = {.ctx = NULL,
                                          .open = os_open,
                                          .claim = os_claim,
                                          .ioctl = os_ioctl,
                                          .fstat = os_fstat,
                                          .close = os_close,
                                          .now_ns = os_now_ns,
                                          .ring_open = kernel_ring_open,
                                          .ring_submit = kernel_ring_submit,
                                          .ring_wait = kernel_ring_wait,
                                          .ring_close = kernel_ring_close,
                                          .block_devices = "/sys/dev/block"};
