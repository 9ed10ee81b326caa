// SPDX-License-Identifier: Apache-2.0
// The calls of kernel_os.h over lists of answers, and what was asked.
#ifndef OPENREMAP_TESTS_MOCK_KERNEL_H
#define OPENREMAP_TESTS_MOCK_KERNEL_H

#include <functional>
#include <string>

extern "C" {
#include "kernel_os.h"
}

namespace openremap {

struct MockKernel {
  int open_result = 3;
  std::function<int(unsigned long request, void *arg)> ioctl = [](unsigned long, void *) { return 0; };
  struct stat file {};
  int fstat_result = 0;
  int open_files = 0;
  uint64_t now = 0;
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
            block_devices.c_str()};
  }
};

}  // namespace openremap

#endif  // OPENREMAP_TESTS_MOCK_KERNEL_H
