// SPDX-License-Identifier: Apache-2.0
#include "doorbell_page.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

namespace orm::vfio {
namespace {

/// The page as a client maps it.
class Mapped {
 public:
  explicit Mapped(int fd)
      : place_(mmap(nullptr, DoorbellPage::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, DoorbellPage::kOffset)) {}
  ~Mapped() { munmap(place_, DoorbellPage::kBytes); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  bool there() const { return place_ != MAP_FAILED; }
  void store(unsigned doorbell, uint32_t value) {
    __atomic_store_n(static_cast<uint32_t *>(place_) + doorbell, value, __ATOMIC_RELEASE);
  }

 private:
  void *place_;
};

TEST(DoorbellPage, EachStoreIsTakenOnceEvenOfTheSameValue) {
  DoorbellPage page;
  Mapped client(page.fd());
  ASSERT_TRUE(client.there());
  uint32_t value = 7;
  for (unsigned i = 0; i < DoorbellPage::kDoorbells; ++i) EXPECT_FALSE(page.take(i, &value)) << i;
  for (const uint32_t stored : {1u, 1u, 0u, 0xFFFFu, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
    client.store(3, stored);
    EXPECT_FALSE(page.take(2, &value));
    EXPECT_FALSE(page.take(4, &value));
    ASSERT_TRUE(page.take(3, &value)) << stored;
    EXPECT_EQ(value, stored);
    EXPECT_FALSE(page.take(3, &value));
  }
}

TEST(DoorbellPage, TheLastOfSeveralStoresCounts) {
  DoorbellPage page;
  Mapped client(page.fd());
  ASSERT_TRUE(client.there());
  client.store(0, 1);
  client.store(0, 5);
  uint32_t value = 0;
  ASSERT_TRUE(page.take(0, &value));
  EXPECT_EQ(value, 5u);
}

TEST(DoorbellPage, NoStoreIsLostBetweenTwoLooks) {
  DoorbellPage page;
  Mapped client(page.fd());
  ASSERT_TRUE(client.there());
  constexpr uint32_t kLast = 200'000;
  std::atomic<uint32_t> seen{0};
  std::thread looks([&] {
    uint32_t value = 0;
    while (value != kLast) {
      uint32_t next = 0;
      if (!page.take(1, &next)) continue;
      if (next <= value) break;  // an old value came back
      value = next;
    }
    seen = value;
  });
  for (uint32_t i = 1; i <= kLast; ++i) client.store(1, i);
  looks.join();
  EXPECT_EQ(seen, kLast);
}

TEST(DoorbellPage, AClientCannotChangeItsSize) {
  DoorbellPage page;
  EXPECT_NE(ftruncate(page.fd(), 0), 0);
  EXPECT_NE(ftruncate(page.fd(), 1 << 20), 0);
  EXPECT_NE(fcntl(page.fd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  uint32_t value = 0;
  EXPECT_FALSE(page.take(0, &value));
}

}  // namespace
}  // namespace orm::vfio
