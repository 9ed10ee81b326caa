// SPDX-License-Identifier: Apache-2.0
//
// What a server can tell of its client's memory. The client is this process.
#include "client_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vfio/vfio_client.h"

namespace orm::vfio {
namespace {

constexpr uint64_t kPage = 4096;

TEST(ClientMemory, TheClientIsTheProcessAtTheOtherEnd) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  const UniqueFd one(pair[0]), other(pair[1]);
  EXPECT_EQ(client_of(one.get()), getpid());
  EXPECT_EQ(client_of(-1), 0);
  EXPECT_EQ(client_of(memory_file(kPage).get()), 0) << "no socket";
}

TEST(ClientMemory, PrivateIsAFileWithoutASharedMapping) {
  const UniqueFd file = memory_file(4 * kPage), other = memory_file(4 * kPage);
  const auto map = [&](int flags) { return mmap(nullptr, kPage, PROT_READ | PROT_WRITE, flags, file.get(), 0); };
  EXPECT_FALSE(maps_privately(getpid(), file.get())) << "not mapped";
  void *copy = map(MAP_PRIVATE);
  ASSERT_NE(copy, MAP_FAILED);
  EXPECT_TRUE(maps_privately(getpid(), file.get()));
  EXPECT_FALSE(maps_privately(getpid(), other.get())) << "another file";
  EXPECT_FALSE(maps_privately(0, file.get())) << "an unknown process";
  EXPECT_FALSE(maps_privately(getpid(), -1)) << "no file";
  void *shared = map(MAP_SHARED);
  ASSERT_NE(shared, MAP_FAILED);
  EXPECT_FALSE(maps_privately(getpid(), file.get())) << "shared, too";
  munmap(copy, kPage);
  EXPECT_FALSE(maps_privately(getpid(), file.get())) << "shared only";
  munmap(shared, kPage);
}

}  // namespace
}  // namespace orm::vfio
