// SPDX-License-Identifier: Apache-2.0
#include "vfio_loop.h"

#include <gtest/gtest.h>
#include <sys/timerfd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "temp_dir.h"
#include "vfio/vfio_client.h"

namespace orm::vfio {
namespace {

TEST(VfioLoop, RunsTheDeviceUntilTheClientGoes) {
  Connection c;
  c.function.host = c.guest.host();
  c.function.work_ns = 5'000'000;
  const UniqueFd stop(eventfd(0, EFD_NONBLOCK));
  c.client->send_version();
  shutdown(c.client->fd(), SHUT_WR);
  // The connection's end comes with the first look: the work of before is not lost, and no more is done.
  EXPECT_TRUE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get()));
  EXPECT_TRUE(c.client->receive());
}

TEST(VfioLoop, StopsWhenItIsTold) {
  Connection c;
  c.function.host = c.guest.host();
  c.function.work_ns = 5'000'000;
  const UniqueFd stop(eventfd(1, EFD_NONBLOCK));
  EXPECT_FALSE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get()));
  EXPECT_EQ(c.function.work_ns, 0u) << "an idle device is what waits";
  c.function.work_ns = UINT64_MAX / 2;
  EXPECT_FALSE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get())) << "one that is never idle, too";
}

TEST(VfioLoop, StopsWhileAClientSendsWithoutAPause) {
  Connection c;
  c.agree();
  constexpr unsigned kMost = 100'000;
  unsigned sent = 0;
  const auto send = [&] {
    if (++sent < kMost) {
      c.client->post(0x1000, sent);
    } else {
      shutdown(c.client->fd(), SHUT_WR);
    }
  };
  c.function.on_write = send;  // there is another message as soon as one is answered
  send();
  const UniqueFd stop(eventfd(1, EFD_NONBLOCK));
  EXPECT_FALSE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get())) << "it ended with the client";
  EXPECT_LT(sent, kMost);
  c.function.on_write = nullptr;
}

TEST(VfioLoop, StopsWhileAClientTakesNoAnswers) {
  Connection c;
  c.agree();
  std::vector<uint8_t> requests;
  for (int i = 0; i < 1000; ++i) {  // of 4 KiB each in the answer: more than a socket takes
    append(&requests, Header{1, kRegionRead, uint32_t(sizeof(Header) + sizeof(RegionAccess)), 0, 0});
    append(&requests, RegionAccess{0, kRegionConfig, 4096});
  }
  c.client->send_raw(requests);
  const UniqueFd stop(eventfd(1, EFD_NONBLOCK));
  EXPECT_FALSE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get()));
}

TEST(VfioLoop, SlicesFollowTheSpeedOfTheDevice) {
  Slices slices;
  const uint64_t first = slices.next();
  slices.took(first, 100'000'000);
  EXPECT_LT(slices.next(), first);
  for (int i = 0; i < 100; ++i) slices.took(slices.next(), 100'000'000);
  EXPECT_GE(slices.next(), 100u) << "a clock cycle at least";
  for (int i = 0; i < 100; ++i) slices.took(slices.next(), 1000);
  EXPECT_GT(slices.next(), first);
  const uint64_t most = slices.next();
  slices.took(most, 1000);
  EXPECT_EQ(slices.next(), most);
  slices.took(most / 2, 1000);
  EXPECT_EQ(slices.next(), most) << "one that the device ended itself says nothing";
}

TEST(VfioLoop, NapsGetLongerWhileNothingHappens) {
  Naps naps;
  uint64_t now = 1'000'000'000;
  naps.active(now);
  EXPECT_EQ(naps.next(now), 0u);
  EXPECT_EQ(naps.next(now + Naps::kAwakeNs - 1), 0u) << "a client that was active will ring soon";
  now += Naps::kAwakeNs;
  uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const uint64_t nap = naps.next(now);
    EXPECT_GE(nap, last);
    last = nap;
  }
  EXPECT_EQ(last, Naps::kMostNs);
  naps.active(now);
  EXPECT_EQ(naps.next(now), 0u);
  EXPECT_EQ(naps.next(now + Naps::kAwakeNs), Naps::kLeastNs);
}

TEST(VfioLoop, LooksAreLongForAHostThatIsQuick) {
  Looks looks;
  EXPECT_EQ(looks.ns(), Looks::kMostNs);
  for (unsigned i = 1; i < Looks::kMostVain; ++i) looks.active(Looks::kMostNs + 1);
  EXPECT_EQ(looks.ns(), Looks::kMostNs);
  looks.active(UINT64_MAX);
  EXPECT_EQ(looks.ns(), Looks::kLeastNs) << "its commands come too late";
  looks.active(Looks::kLeastNs);
  EXPECT_EQ(looks.ns(), Looks::kLeastNs) << "a short look is enough for these";
  looks.active(Looks::kLeastNs + 1);
  EXPECT_EQ(looks.ns(), Looks::kMostNs);
  looks.active(Looks::kMostNs + 1);
  looks.active(Looks::kMostNs);
  for (unsigned i = 1; i < Looks::kMostVain; ++i) looks.active(Looks::kMostNs + 1);
  EXPECT_EQ(looks.ns(), Looks::kMostNs) << "one after the other";
}

TEST(VfioLoop, AnIdleDeviceSeesStoresAndTurnsOthersAway) {
  Connection c(Server::Doorbells::kPage);
  const TempDir folder;
  const std::string path = folder.path + "/socket";
  Listener listener(path);
  const UniqueFd stop(eventfd(0, EFD_NONBLOCK));
  c.agree();
  const Reply bar0 = c.ask(kGetRegionInfo, RegionInfo{64, 0, kRegionBar0, 0, 0, 0});
  void *place = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, bar0.fd.get(), 0x1000);
  ASSERT_NE(place, MAP_FAILED);
  auto *doorbells = static_cast<volatile uint32_t *>(place);
  std::thread client([&] {
    // Long after the device has begun to sleep. It puts back what it has taken.
    for (uint32_t value = 1; value <= 3; ++value) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      doorbells[2] = value;
      while (doorbells[2] == value) std::this_thread::yield();
    }
    Client other(connect_to(path));
    other.send_version();
    std::optional<Reply> reply;
    while (!(reply = other.receive())) std::this_thread::yield();
    EXPECT_EQ(reply->header.error, uint32_t(EBUSY));
    c.client->close();
  });
  EXPECT_TRUE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get(), &listener));
  client.join();
  EXPECT_EQ(c.function.registers[0x1008], 3u);
  munmap(place, 4096);
}

// Commands that are completed at once, in bursts, by a host that then waits for the last interrupt.
TEST(VfioLoop, NoInterruptIsHeldForGood) {
  Connection c;
  c.guest.hold_interrupts(true);
  const UniqueFd stop(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)), vector(eventfd(0, 0));
  const itimerspec patience = {{0, 0}, {20, 0}};
  ASSERT_EQ(timerfd_settime(stop.get(), 0, &patience, nullptr), 0);
  c.agree();
  c.set_bus_master();
  c.ask(kSetIrqs, IrqSet{20, kIrqEventfd | kIrqTrigger, kIrqMsix, 1, 1}, {}, {vector.get()});
  constexpr uint64_t kDoorbell = ORM_BAR0_DOORBELL(2);
  uint32_t seen = 0;  // by the function
  std::atomic<uint32_t> completed{0};
  c.function.on_run = [&] {
    const uint32_t rung = c.function.registers[kDoorbell];
    if (rung == seen) return;
    completed = seen = rung;
    c.function.work_ns = 1;
    c.guest.host()->msix(c.guest.host()->ctx, 1);
  };
  std::atomic<bool> all{false}, gave_up{false};
  std::thread client([&] {
    uint32_t value = 0;
    for (unsigned round = 0; round < 300; ++round) {
      for (unsigned i = 0; i <= round % 8; ++i) c.client->post(kDoorbell, ++value);
      uint64_t interrupts = 0;
      do {
        if (read(vector.get(), &interrupts, sizeof interrupts) < 0 || gave_up) return;
      } while (completed != value);
    }
    all = true;
    c.client->close();
  });
  EXPECT_TRUE(serve_and_run(&*c.server, &c.function.base, &c.guest, stop.get()));
  gave_up = true;
  const uint64_t end = 1;
  EXPECT_EQ(write(vector.get(), &end, sizeof end), ssize_t(sizeof end));
  client.join();
  EXPECT_TRUE(all) << "the host waits for an interrupt";
}

/// How the client may ring, beside messages, and so what an idle device waits for.
enum class Rings { kMessages, kStores, kShadows };
constexpr const char *kRings[] = {"Messages", "Stores", "Shadows"};

/// A client on an idle device, and others that connect.
class VfioLoopOf : public ::testing::TestWithParam<Rings> {
 protected:
  static constexpr int kPatienceSeconds = 20;
  static constexpr uint64_t kDoorbell = ORM_BAR0_DOORBELL(2);

  VfioLoopOf() {
    c_.function.host = c_.guest.host();
    c_.agree();
    if (GetParam() == Rings::kStores) c_.ask(kGetRegionInfo, RegionInfo{64, 0, kRegionBar0, 0, 0, 0});
    if (GetParam() == Rings::kShadows) {
      host_.emplace(&c_);
      host_->use_shadows();
    }
    const itimerspec patience = {{0, 0}, {kPatienceSeconds, 0}};
    EXPECT_EQ(timerfd_settime(stop_.get(), 0, &patience, nullptr), 0);
  }
  /// False: the device has not been woken.
  bool loop() { return serve_and_run(&*c_.server, &c_.function.base, &c_.guest, stop_.get(), &listener_); }
  /// Another client tries, and this one rings by a message. With shadows it tells of a store.
  void connect_and_ring(uint32_t value) {
    if (host_) host_->store(2, value);
    others_.emplace_back(connect_to(path_));
    others_.back().send_version();
    c_.client->post(kDoorbell, value);
  }

  Connection c_{GetParam() == Rings::kStores ? Server::Doorbells::kPage : Server::Doorbells::kMessages, true};
  std::optional<ShadowHost> host_;
  const TempDir folder_;
  const std::string path_ = folder_.path + "/socket";
  Listener listener_{path_};
  const UniqueFd stop_{timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)};
  std::vector<Client> others_;
};

INSTANTIATE_TEST_SUITE_P(Rung, VfioLoopOf, ::testing::Values(Rings::kMessages, Rings::kStores, Rings::kShadows),
                         [](const auto &given) { return std::string(kRings[int(given.param)]); });

// Both are there when the device looks for other clients, after the run with which it becomes idle.
TEST_P(VfioLoopOf, AMessageThatComesWithAnotherClientWakesTheDevice) {
  uint64_t runs = 0, after = 0;
  c_.function.on_run = [&] {
    if (++runs <= kRunsPerLook - kIdleRuns) c_.function.work_ns = 1;
    if (runs == kRunsPerLook) connect_and_ring(7);
    if (runs > kRunsPerLook && ++after == 1) c_.client->close();
  };
  EXPECT_TRUE(loop()) << "it sleeps, and nothing will wake it";
  EXPECT_EQ(after, 1u);
  EXPECT_EQ(others_.size(), 1u);
}

// The device is asleep when the other one connects, and the message comes just after that.
TEST_P(VfioLoopOf, AMessageJustAfterAnotherClientWakesTheDevice) {
  constexpr uint32_t kRounds = 40;
  std::atomic<uint32_t> seen{0};  // by the function, in a run
  c_.function.on_run = [&] {
    const auto &doorbell = c_.function.registers.find(kDoorbell);
    if (doorbell != c_.function.registers.end()) seen = doorbell->second;
  };
  std::thread client([&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2 * kPatienceSeconds);
    for (uint32_t value = 1; value <= kRounds && std::chrono::steady_clock::now() < end; ++value) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      connect_and_ring(value);
      while (seen != value && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    }
    c_.client->close();
  });
  EXPECT_TRUE(loop()) << "it sleeps, and nothing will wake it";
  client.join();
  EXPECT_EQ(seen, kRounds);
}

}  // namespace
}  // namespace orm::vfio
