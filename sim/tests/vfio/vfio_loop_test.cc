// SPDX-License-Identifier: Apache-2.0
#include "vfio_loop.h"

#include <gtest/gtest.h>
#include <sys/un.h>

#include <chrono>
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
  std::vector<uint8_t> version;
  append(&version, Version{0, 0});
  c.client->send(kVersion, version);
  shutdown(c.client->fd(), SHUT_WR);
  // The connection's end comes with the first look: the work of before is not lost, and no more is done.
  EXPECT_TRUE(serve_and_run(&*c.server, &c.function.base, c.guest, stop.get()));
  EXPECT_TRUE(c.client->receive());
}

TEST(VfioLoop, StopsWhenItIsTold) {
  Connection c;
  c.function.host = c.guest.host();
  c.function.work_ns = 5'000'000;
  const UniqueFd stop(eventfd(1, EFD_NONBLOCK));
  EXPECT_FALSE(serve_and_run(&*c.server, &c.function.base, c.guest, stop.get()));
  EXPECT_EQ(c.function.work_ns, 0u) << "an idle device is what waits";
  c.function.work_ns = UINT64_MAX / 2;
  EXPECT_FALSE(serve_and_run(&*c.server, &c.function.base, c.guest, stop.get())) << "one that is never idle, too";
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
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    Client other(std::move(fd));
    std::vector<uint8_t> version;
    append(&version, Version{0, 0});
    other.send(kVersion, version);
    std::optional<Reply> reply;
    while (!(reply = other.receive())) std::this_thread::yield();
    EXPECT_EQ(reply->header.error, uint32_t(EBUSY));
    c.client->close();
  });
  EXPECT_TRUE(serve_and_run(&*c.server, &c.function.base, c.guest, stop.get(), &listener));
  client.join();
  EXPECT_EQ(c.function.registers[0x1008], 3u);
  munmap(place, 4096);
}

}  // namespace
}  // namespace orm::vfio
