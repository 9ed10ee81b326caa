// SPDX-License-Identifier: Apache-2.0
// Implements the calls of kernel_os.h with lists of prepared answers, and records the requests.
#ifndef OPENREMAP_TESTS_MOCK_KERNEL_H
#define OPENREMAP_TESTS_MOCK_KERNEL_H

#include <deque>
#include <functional>
#include <string>

extern "C" {
#include "kernel/kernel_os.h"
}

namespace openremap {

struct MockKernel {
  int open_result = 3;
  int claim_result = 4;
  std::string claimed;  // "alone" or "readers", and the path
  std::function<int(unsigned long request, void *arg)> ioctl = [](unsigned long, void *) { return 0; };
  struct stat file {};
  int fstat_result = 0;
  int open_files = 0;
  uint64_t now = 0;
  // A ring, whose commands end when the test puts them into `ended`.
  bool has_ring = false;
  uint32_t ring_depth = 0;
  int rings = 0;  // open
  std::function<int(const nvme_uring_cmd &command, uint32_t tag)> send = [](const nvme_uring_cmd &, uint32_t) {
    return 0;
  };
  std::deque<kernel_ring_completion> ended;
  int ring_wait_result = 0;  // when none has ended
  std::string opened;
  std::string block_devices = "/nonexistent";

  kernel_os os() {
    return {this,
            [](void *ctx, const char *path) {
              auto *self = static_cast<MockKernel *>(ctx);
              self->opened = path;
              if (self->open_result >= 0) self->open_files++;
              return self->open_result;
            },
            [](void *ctx, const char *path, bool alone) {
              auto *self = static_cast<MockKernel *>(ctx);
              self->claimed = std::string(alone ? "alone " : "readers ") + path;
              if (self->claim_result >= 0) self->open_files++;
              return self->claim_result;
            },
            [](void *ctx, int, unsigned long request, void *arg) {
              return static_cast<MockKernel *>(ctx)->ioctl(request, arg);
            },
            [](void *ctx, int, struct stat *out) {
              *out = static_cast<MockKernel *>(ctx)->file;
              return static_cast<MockKernel *>(ctx)->fstat_result;
            },
            [](void *ctx, int) {
              static_cast<MockKernel *>(ctx)->open_files--;
              return 0;
            },
            [](void *ctx) { return static_cast<MockKernel *>(ctx)->now++; },
            [](void *ctx, int, uint32_t depth) -> kernel_ring * {
              auto *self = static_cast<MockKernel *>(ctx);
              if (!self->has_ring) return nullptr;
              self->rings++;
              self->ring_depth = depth;
              return reinterpret_cast<kernel_ring *>(self);
            },
            [](kernel_ring *ring, const nvme_uring_cmd *command, uint32_t tag) {
              return reinterpret_cast<MockKernel *>(ring)->send(*command, tag);
            },
            [](kernel_ring *ring, uint64_t, kernel_ring_completion *out) {
              auto *self = reinterpret_cast<MockKernel *>(ring);
              if (self->ended.empty()) return self->ring_wait_result;
              *out = self->ended.front();
              self->ended.pop_front();
              return 1;
            },
            [](kernel_ring *ring) { reinterpret_cast<MockKernel *>(ring)->rings--; },
            block_devices.c_str()};
  }
};

}  // namespace openremap

#endif  // OPENREMAP_TESTS_MOCK_KERNEL_H
