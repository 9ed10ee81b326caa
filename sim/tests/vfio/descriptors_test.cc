// SPDX-License-Identifier: Apache-2.0
#include "descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <vector>

#include "vfio_message.h"

namespace orm::vfio {
namespace {

class DescriptorsTest : public ::testing::Test {
 protected:
  DescriptorsTest() {
    int pair[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    in_ = UniqueFd(pair[0]);
    out_ = UniqueFd(pair[1]);
  }
  static bool same_file(int a, int b) {
    struct stat of_a {
    }, of_b{};
    return fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 && of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev;
  }

  UniqueFd in_, out_;
  const UniqueFd null_{open("/dev/null", O_RDONLY | O_CLOEXEC)}, zero_{open("/dev/zero", O_RDONLY | O_CLOEXEC)};
  char got_[8] = {};
  std::vector<UniqueFd> fds_;
};

TEST_F(DescriptorsTest, ArriveWithTheFirstByteInTheirOrder) {
  ASSERT_EQ(send_some(out_.get(), "hello", 5, {null_.get(), zero_.get()}), 5);
  const Received first = receive_some(in_.get(), got_, 1, &fds_);
  EXPECT_EQ(first.bytes, 1);
  EXPECT_FALSE(first.lost);
  ASSERT_EQ(fds_.size(), 2u);
  EXPECT_TRUE(same_file(fds_[0].get(), null_.get()));
  EXPECT_TRUE(same_file(fds_[1].get(), zero_.get()));
  EXPECT_NE(fcntl(fds_[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(receive_some(in_.get(), got_ + 1, sizeof got_ - 1, &fds_).bytes, 4);
  EXPECT_EQ(std::string(got_), "hello");
  EXPECT_EQ(fds_.size(), 2u) << "they came once";
}

TEST_F(DescriptorsTest, TooManyAreLostAndNotLeft) {
  ASSERT_EQ(send_some(out_.get(), "x", 1, std::vector<int>(kMostDescriptors + 1, null_.get())), 1);
  const Received all = receive_some(in_.get(), got_, 1, &fds_);
  EXPECT_EQ(all.bytes, 1);
  EXPECT_TRUE(all.lost);
  EXPECT_EQ(fds_.size(), size_t(kMostDescriptors));
}

TEST_F(DescriptorsTest, ErrorsAreThoseOfTheSystem) {
  EXPECT_EQ(receive_some(in_.get(), got_, 1, &fds_, MSG_DONTWAIT).bytes, -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(send_some(out_.get(), "x", 1, {-1}), -1);
  EXPECT_EQ(errno, EBADF);
  in_.reset();
  EXPECT_EQ(send_some(out_.get(), "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  EXPECT_TRUE(fds_.empty());
}

TEST_F(DescriptorsTest, TheEndIsNoByte) {
  out_.reset();
  EXPECT_EQ(receive_some(in_.get(), got_, 1, &fds_).bytes, 0);
}

}  // namespace
}  // namespace orm::vfio
