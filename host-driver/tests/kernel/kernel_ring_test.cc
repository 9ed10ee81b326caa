// SPDX-License-Identifier: Apache-2.0
//
// The ring on this machine's kernel: /dev/null accepts any io_uring command (Linux 6.13 and later) or refuses it.
// testing/guest/node.sh tests NVMe commands, in the guest.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <set>

extern "C" {
#include "kernel/kernel_ring.h"

struct io_uring;
// The linker replaces the calls of the ring by these (--wrap): the next `fail_calls` calls fail with this errno.
int __real_io_uring_submit(io_uring *ring);
int __wrap_io_uring_submit(io_uring *ring);
static int fail_calls = 0, fail_with = 0;
int __wrap_io_uring_submit(io_uring *ring) {
  if (fail_calls == 0) return __real_io_uring_submit(ring);
  fail_calls--;
  return fail_with;
}
}

namespace openremap {
namespace {

class KernelRingFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fd_ = open("/dev/null", O_RDWR | O_CLOEXEC);
    ASSERT_GE(fd_, 0);
    ring_ = kernel_ring_open(nullptr, fd_, 4);
    if (ring_ == nullptr) GTEST_SKIP() << "this kernel has no io_uring for us";
  }
  void TearDown() override {
    fail_calls = 0;
    if (ring_ != nullptr) kernel_ring_close(ring_);
    close(fd_);
  }

  int fd_ = -1;
  kernel_ring *ring_ = nullptr;
};

TEST_F(KernelRingFileTest, TagsComeBack) {
  const nvme_uring_cmd command{};
  for (int round = 0; round < 3; round++) {
    std::set<uint32_t> tags;
    for (uint32_t tag = 0; tag < 4; tag++) ASSERT_EQ(kernel_ring_submit(ring_, &command, tag), 0);
    for (int i = 0; i < 4; i++) {
      kernel_ring_completion end{};
      ASSERT_EQ(kernel_ring_wait(ring_, 10'000'000'000, &end), 1);
      EXPECT_TRUE(end.status == 0 || end.status == -EOPNOTSUPP) << end.status;
      tags.insert(end.tag);
    }
    EXPECT_EQ(tags, (std::set<uint32_t>{0, 1, 2, 3}));
  }
}

TEST_F(KernelRingFileTest, WaitingForNothingEnds) {
  kernel_ring_completion end{};
  EXPECT_EQ(kernel_ring_wait(ring_, 0, &end), 0);
  EXPECT_EQ(kernel_ring_wait(ring_, 1'000'000, &end), 0);
}

TEST_F(KernelRingFileTest, WhatTheKernelHadNoRoomForIsSentLater) {
  const nvme_uring_cmd command{};
  for (int error : {-EAGAIN, -EBUSY, -EINTR}) {
    fail_with = error;
    fail_calls = 3;
    ASSERT_EQ(kernel_ring_submit(ring_, &command, 1), 0);
    ASSERT_EQ(kernel_ring_submit(ring_, &command, 2), 0);
    kernel_ring_completion end{};
    // Nothing else is under way that would wake a wait.
    int ends = 0;
    for (int tries = 0; tries < 10 && ends < 2; tries++) ends += kernel_ring_wait(ring_, UINT64_MAX, &end);
    EXPECT_EQ(ends, 2);
    EXPECT_EQ(end.tag, 2u);
  }
}

TEST_F(KernelRingFileTest, AFailureIsToldAfterTheLastEnd) {
  const nvme_uring_cmd command{};
  ASSERT_EQ(kernel_ring_submit(ring_, &command, 1), 0);
  fail_with = -ENOMEM;
  fail_calls = 1;
  ASSERT_EQ(kernel_ring_submit(ring_, &command, 2), 0) << "the queue has it";
  kernel_ring_completion end{};
  ASSERT_EQ(kernel_ring_wait(ring_, UINT64_MAX, &end), 1);
  EXPECT_EQ(end.tag, 1u);
  EXPECT_EQ(kernel_ring_wait(ring_, UINT64_MAX, &end), -ENOMEM);
  EXPECT_EQ(kernel_ring_submit(ring_, &command, 3), -ENOMEM) << "nothing is sent any more";
  EXPECT_EQ(kernel_ring_wait(ring_, UINT64_MAX, &end), -ENOMEM);
}

TEST(KernelRingNoFileTest, EndsWithItsErrno) {
  kernel_ring *ring = kernel_ring_open(nullptr, -1, 4);
  if (ring == nullptr) GTEST_SKIP() << "this kernel has no io_uring for us";
  const nvme_uring_cmd command{};
  ASSERT_EQ(kernel_ring_submit(ring, &command, 1), 0);
  kernel_ring_completion end{};
  ASSERT_EQ(kernel_ring_wait(ring, 10'000'000'000, &end), 1);
  EXPECT_EQ(end.status, -EBADF);
  kernel_ring_close(ring);
}

}  // namespace
}  // namespace openremap
