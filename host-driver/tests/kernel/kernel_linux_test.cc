// SPDX-License-Identifier: Apache-2.0
//
// Claims, on files in the place of nodes. Block devices, whose claims mounted file systems make, are the guest's
// (testing/guest/node.sh), as all other calls are.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "temp_dir.h"

extern "C" {
#include "kernel/kernel_linux.h"
}

namespace openremap {
namespace {

class KernelLinuxTest : public ::testing::Test {
 protected:
  std::string Node(const std::string &name) {
    const std::string path = folder_.path + "/" + name;
    const int fd = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    EXPECT_GE(fd, 0);
    close(fd);
    return path;
  }
  static int Claim(const std::string &path, bool alone) { return kernel_os_linux.claim(nullptr, path.c_str(), alone); }
  static void Release(int claim) { EXPECT_EQ(kernel_os_linux.close(nullptr, claim), 0); }

  orm::TempDir folder_;
};

TEST_F(KernelLinuxTest, OneMayHaveANodeAloneOrManyReadIt) {
  const std::string node = Node("ng0n1");
  const int alone = Claim(node, true);
  ASSERT_GE(alone, 0);
  EXPECT_EQ(Claim(node, true), -EBUSY);
  EXPECT_EQ(Claim(node, false), -EBUSY);
  Release(alone);
  const int reader = Claim(node, false);
  ASSERT_GE(reader, 0);
  const int other = Claim(node, false);
  EXPECT_GE(other, 0);
  EXPECT_EQ(Claim(node, true), -EBUSY);
  Release(reader);
  Release(other);
  const int again = Claim(node, true);
  EXPECT_GE(again, 0) << "a claim ends with its file";
  Release(again);
}

TEST_F(KernelLinuxTest, BothNodesOfANamespaceAreOne) {
  const std::string character = Node("ng3n12"), block = Node("nvme3n12"), other = Node("ng3n1");
  const int alone = Claim(character, true);
  ASSERT_GE(alone, 0);
  EXPECT_EQ(Claim(block, true), -EBUSY);
  EXPECT_EQ(Claim(character, false), -EBUSY);
  const int elsewhere = Claim(other, true);
  EXPECT_GE(elsewhere, 0) << "another namespace";
  Release(elsewhere);
  Release(alone);
}

TEST_F(KernelLinuxTest, ALinkIsTheNodeThatItLeadsTo) {
  const std::string character = Node("ng3n12"), block = Node("nvme3n12"), link = folder_.path + "/ssd";
  ASSERT_EQ(symlink(character.c_str(), link.c_str()), 0);
  const int alone = Claim(link, true);
  ASSERT_GE(alone, 0);
  EXPECT_EQ(Claim(block, true), -EBUSY);
  Release(alone);
}

TEST_F(KernelLinuxTest, AClaimWaitsForAShortLock) {
  const std::string node = Node("nvme0n1");
  const int brief = open(node.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(brief, LOCK_SH), 0);
  std::thread ends([brief] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    close(brief);
  });
  const int alone = Claim(node, true);
  ends.join();
  ASSERT_GE(alone, 0);
  Release(alone);
}

TEST_F(KernelLinuxTest, NoNodeIsAnError) { EXPECT_EQ(Claim(folder_.path + "/ng0n1", true), -ENOENT); }

}  // namespace
}  // namespace openremap
