// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace orm {
namespace {

TEST(FiberTest, GoesOnWhereItStopped) {
  std::string said;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>([&] {
    for (int i = 0;; ++i) {
      said += std::to_string(i);
      fiber->suspend();
    }
  });
  EXPECT_EQ(said, "") << "it begins at the first resume";
  for (int i = 0; i < 3; ++i) {
    said += "<";
    fiber->resume();
    said += ">";
  }
  EXPECT_EQ(said, "<0><1><2>");
}

TEST(FiberTest, TwoDoNotShareAStack) {
  std::vector<std::unique_ptr<Fiber>> fibers(2);
  std::vector<int> sums(2);
  for (size_t f = 0; f < fibers.size(); ++f) {
    fibers[f] = std::make_unique<Fiber>([&, f] {
      volatile char room[20'000];
      for (;;) {
        for (volatile char &c : room) c = char(f + 1);
        fibers[f]->suspend();
        sums[f] = 0;
        for (const volatile char &c : room) sums[f] += c;
      }
    });
  }
  for (int round = 0; round < 3; ++round)
    for (const auto &fiber : fibers) fiber->resume();
  EXPECT_EQ(sums[0], 20'000);
  EXPECT_EQ(sums[1], 40'000);
}

// What happens on it stays on it: exceptions, and jumps that skip frames.
TEST(FiberTest, ExceptionsAndJumpsWorkOnIt) {
  int caught = 0, jumped = 0;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>([&] {
    for (;;) {
      try {
        throw std::runtime_error("here");
      } catch (const std::runtime_error &) {
        ++caught;
      }
      fiber->suspend();
      std::jmp_buf out;
      if (setjmp(out) == 0) std::longjmp(out, 1);
      ++jumped;
      fiber->suspend();
    }
  });
  for (int i = 0; i < 4; ++i) {
    fiber->resume();
    EXPECT_THROW(throw std::runtime_error("there"), std::runtime_error);
  }
  EXPECT_EQ(caught, 2);
  EXPECT_EQ(jumped, 2);
}

#ifdef __SANITIZE_ADDRESS__
// What AddressSanitizer knows of the frames of a fiber that waits, it still knows when the fiber goes on.
TEST(FiberTest, MarksOfItsFramesStay) {
  const void *kept = nullptr;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>([&] {
    char *room = static_cast<char *>(__builtin_alloca(64));  // on the fiber's stack, whatever the options
    __asan_poison_memory_region(room, 32);
    fiber->suspend();
    kept = __asan_region_is_poisoned(room, 64);
    __asan_unpoison_memory_region(room, 32);
    EXPECT_EQ(kept, room);
    fiber->suspend();
  });
  fiber->resume();
  fiber->resume();
  EXPECT_NE(kept, nullptr);
}
#endif

// Power cuts drop the firmware's stack as it is. Where it was others come to lie.
TEST(FiberTest, AStackThatIsInUseCanBeDropped) {
  for (int i = 0; i < 200; ++i) {
    std::unique_ptr<Fiber> fiber;
    fiber = std::make_unique<Fiber>([&] {
      char room[4096];
      std::memset(room, i, sizeof room);
      fiber->suspend();
    });
    fiber->resume();
    fiber.reset();
    const std::vector<char> same_place(1 << 20, char(i));
    EXPECT_EQ(same_place.back(), char(i));
  }
}

}  // namespace
}  // namespace orm
