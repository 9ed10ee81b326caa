// SPDX-License-Identifier: Apache-2.0
//
// The ring itself on this machine's kernel: /dev/null takes any command of io_uring (Linux 6.13 and later), or refuses it.
// What NVMe makes of one is seen in the guest (testing/guest/node.sh).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <set>

extern "C" {
#include "kernel_ring.h"
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
