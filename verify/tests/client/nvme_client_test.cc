// SPDX-License-Identifier: Apache-2.0
//
// A driver without QEMU on a vfio_device process: what it must be able to do, and what it may do wrong without harm to
// the next one.
#include "client/nvme_client.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "client/device_process.h"
#include "client/driver.h"
#include "client/user_client.h"
#include "doorbell_buffer.h"
#include "seeded_random.h"
#include "test_seed.h"

namespace orm::client {
namespace {

constexpr double kEndSeconds = 60;

class ClientOf : public ::testing::TestWithParam<Way> {
 protected:
  static std::vector<std::string> arguments() {
    return {"--device", "model", "--superblocks", "10", "--keep", "--map-doorbells", "--shadow-doorbells"};
  }
  std::unique_ptr<Driver> driver() { return std::make_unique<Driver>(device_, GetParam()); }

  DeviceProcess device_{ORM_VFIO_DEVICE, arguments()};
};

INSTANTIATE_TEST_SUITE_P(Doorbells, ClientOf,
                         ::testing::Values(Way::kMapped, Way::kMessages, Way::kShadows, Way::kMappedAndShadows),
                         [](const auto &given) { return std::string(kNames[int(given.param)]); });

TEST_P(ClientOf, ReadsWhatItWrote) {
  const auto d = driver();
  EXPECT_EQ(d->user.maps_doorbells(), GetParam() == Way::kMapped || GetParam() == Way::kMappedAndShadows);
  EXPECT_TRUE(d->nvme.has_shadows());
  const uint64_t blocks = d->nvme.blocks();
  ASSERT_GT(blocks, 100u);
  for (uint64_t lba = 0; lba < 100; ++lba) ASSERT_EQ(d->write(lba, uint8_t(lba + 1)), 0) << lba;
  for (uint64_t lba = 0; lba < 100; ++lba) ASSERT_EQ(d->read(lba), int(lba + 1)) << lba;
  EXPECT_NE(d->write(blocks, 1), 0) << "past the end";
}

// As many commands as fit, around the rings several times, so that doorbells wrap.
TEST_P(ClientOf, KeepsQueuesFull) {
  const auto d = driver();
  d->nvme.create_pair(2);
  constexpr uint32_t kDepth = NvmeClient::kEntries - 1;
  constexpr unsigned kCommands = 1000;
  std::vector<uint64_t> pages;
  for (uint32_t i = 0; i < 2 * kDepth; ++i) pages.push_back(d->user.take_page());
  for (const unsigned qid : {1u, 2u}) {
    for (uint32_t i = 0; i < 16; ++i) ASSERT_EQ(d->write(16 * qid + i, uint8_t(16 * qid + i), qid), 0);
  }
  unsigned sent[3] = {}, done[3] = {};
  std::vector<unsigned> lba_of(2 * kDepth);
  nvme_submission_entry e;
  const auto submit = [&](unsigned qid, uint16_t slot) {
    const unsigned lba = 16 * qid + sent[qid]++ % 16;
    lba_of[slot] = lba;
    nvme_cmd_read(&e, 1, lba, 1);
    e.cid = slot;
    e.prp1 = pages[slot];
    d->nvme.submit(qid, e);
    d->nvme.ring(qid);
  };
  for (const unsigned qid : {1u, 2u}) {
    for (uint32_t i = 0; i < kDepth; ++i) submit(qid, uint16_t((qid - 1) * kDepth + i));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(UserClient::kPatienceSeconds);
  while (done[1] < kCommands || done[2] < kCommands) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    for (const unsigned qid : {1u, 2u}) {
      NvmeClient::Completion c;
      while (d->nvme.poll(qid, &c)) {
        ASSERT_EQ(c.status, 0);
        ASSERT_EQ(*d->user.at(pages[c.cid]), uint8_t(lba_of[c.cid]));
        d->nvme.ring_taken(qid);
        ++done[qid];
        if (sent[qid] < kCommands) submit(qid, c.cid);
      }
    }
    sched_yield();
  }
}

// A queue that is made anew begins with the doorbell values that the one before it may have ended with.
TEST_P(ClientOf, MakesQueuesAnew) {
  const auto d = driver();
  for (unsigned round = 0; round < 3; ++round) {
    ASSERT_EQ(d->write(5, uint8_t(round + 1)), 0);
    d->nvme.delete_pair(1);
    d->nvme.create_pair(1);
    ASSERT_EQ(d->read(5), int(round + 1));
    d->start();
    ASSERT_EQ(d->read(5), int(round + 1));
    d->user.device_reset();
    d->start();
    ASSERT_EQ(d->read(5), int(round + 1));
  }
}

TEST_P(ClientOf, IsAlone) {
  auto first = driver();
  ASSERT_EQ(first->write(1, 11), 0);
  for (unsigned i = 0; i < 3; ++i) {
    try {
      const UserClient second(device_.socket(), UserClient::Doorbells::kPage);
      FAIL() << "a second client was taken";
    } catch (const Answered &answer) {
      EXPECT_EQ(answer.code, uint32_t(EBUSY));
    }
    ASSERT_EQ(first->read(1), 11) << "the first one goes on";
  }
  EXPECT_NE(device_.said().find("turned away"), std::string::npos) << device_.said();
  first.reset();
  EXPECT_EQ(driver()->read(1), 11) << "and the next one is taken";
}

TEST_P(ClientOf, MayGoWhileItsCommandsRun) {
  for (unsigned round = 0; round < 5; ++round) {
    const auto d = driver();
    ASSERT_EQ(d->write(1, uint8_t(round + 1)), 0);
    nvme_submission_entry e;
    const uint64_t page = d->user.take_page();
    for (uint16_t i = 0; i < 32; ++i) {
      nvme_cmd_write(&e, 1, 10u + i, 1, 0);
      e.cid = i;
      e.prp1 = page;
      d->nvme.submit(1, e);
    }
    d->nvme.ring(1);
    if (round % 2 != 0) std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
  }
  EXPECT_EQ(driver()->read(1), 5);
  EXPECT_TRUE(device_.runs()) << device_.said();
}

// Each is sent by a client that works; the next one finds a device that works.
TEST_P(ClientOf, SendsNonsenseOnlyOnce) {
  const auto bytes = [](const vfio::Header &header, size_t payload) {
    std::vector<uint8_t> all;
    vfio::append(&all, header);
    all.resize(all.size() + payload, 0xFF);
    return all;
  };
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const UniqueFd in(ends[0]), out(ends[1]);
  const struct {
    const char *what;
    std::vector<uint8_t> sent;
    std::vector<int> fds;
  } kNonsense[] = {
      {"no header", std::vector<uint8_t>(16, 0xFF), {}},
      {"a size below the header's", bytes({1, vfio::kGetInfo, 3, 0, 0}, 0), {}},
      {"an unknown command", bytes({1, 77, 16, 0, 0}, 0), {}},
      {"a short request for a region", bytes({1, vfio::kGetRegionInfo, 24, 0, 0}, 8), {}},
      {"a write with another length", bytes({1, vfio::kRegionWrite, 48, 0, 0}, 32), {}},
      {"a pipe with a read", bytes({1, vfio::kRegionRead, 32, 0, 0}, 16), {in.get()}},
  };
  for (const auto &nonsense : kNonsense) {
    const auto d = driver();
    ASSERT_EQ(d->write(3, 33), 0) << nonsense.what;
    d->user.send(nonsense.sent, nonsense.fds);
    EXPECT_THROW(for (unsigned i = 0; i < 1000; ++i) d->user.read32(0), Closed) << nonsense.what;
  }
  const auto d = driver();
  EXPECT_EQ(d->read(3), 33);
  EXPECT_NE(device_.said().find("connection ended"), std::string::npos);
}

TEST_P(ClientOf, MayRingAnything) {
  SeededRandom random(openremap::TestSeed());
  for (unsigned round = 0; round < 3; ++round) {
    const auto d = driver();
    ASSERT_EQ(d->write(4, uint8_t(40 + round)), 0);
    for (unsigned i = 0; i < 200; ++i) {
      d->user.ring(unsigned(random.below(30)), uint32_t(random.coin() ? random.next() : random.below(64)));
      if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  EXPECT_EQ(driver()->read(4), 42);
  EXPECT_TRUE(device_.runs()) << device_.said();
}

// What a host's mistakes make of a doorbell: each is the device's own error, whichever way it came.
TEST_P(ClientOf, IsToldOfWrongDoorbells) {
  constexpr unsigned kTail = 2, kHead = 3, kOfNoQueue = 10;
  struct Wrong {
    unsigned doorbell;
    uint32_t value, event;
  };
  for (const Wrong &wrong : {Wrong{kTail, 0xFFFFFFFF, NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE},
                             Wrong{kTail, NvmeClient::kEntries, NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE},
                             Wrong{kHead, 0xFFFF, NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE},
                             Wrong{kHead, 40, NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE},
                             Wrong{kOfNoQueue, 1, NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER}}) {
    // Where shadows are in use they are what counts (spoiled_buffers_test), but for queues that do not exist.
    const bool shadows = GetParam() == Way::kShadows || GetParam() == Way::kMappedAndShadows;
    if (shadows && wrong.doorbell != kOfNoQueue) continue;
    const auto d = driver();
    ASSERT_EQ(d->write(6, 66), 0);
    d->user.ring(wrong.doorbell, wrong.value);
    try {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(UserClient::kPatienceSeconds);
      NvmeClient::Completion c;
      while (std::chrono::steady_clock::now() < end) EXPECT_FALSE(d->nvme.poll(1, &c));
      FAIL() << "doorbell " << wrong.doorbell << ", value " << wrong.value << ": nothing is reported";
    } catch (const Reported &error) {
      EXPECT_EQ(error.event, wrong.event) << error.what();
    }
    d->start();
    EXPECT_EQ(d->read(6), 66);
  }
}

TEST_P(ClientOf, WakesADeviceThatSleeps) {
  const auto d = driver();
  for (const unsigned ms : {0u, 1u, 5u, 30u}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    ASSERT_EQ(d->write(2, uint8_t(ms + 1)), 0);
    ASSERT_EQ(d->read(2), int(ms + 1));
  }
}

// The device sleeps, and another client comes with the command that is to wake it.
TEST_P(ClientOf, WakesItWhileAnotherOneConnects) {
  const auto d = driver();
  for (unsigned round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::thread other(
        [this] { EXPECT_THROW(UserClient(device_.socket(), UserClient::Doorbells::kMessages), Answered); });
    const int status = d->write(2, uint8_t(round + 1));
    other.join();
    ASSERT_EQ(status, 0);
    ASSERT_EQ(d->read(2), int(round + 1));
  }
}

// A device that has something to do is not told of more by messages.
TEST(Client, ShadowsSaveMessages) {
  DeviceProcess device(ORM_VFIO_DEVICE, {"--device", "model", "--superblocks", "10", "--shadow-doorbells"});
  Driver d(device, Way::kShadows);
  constexpr uint64_t kReads = 300;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (unsigned i = 0; i < kReads; ++i) ASSERT_EQ(d.read(i % 10), 0);
  EXPECT_GT(d.nvme.events(), 0u) << "it slept before the first one";
  EXPECT_LE(d.nvme.events(), kReads + 2 * kReads / NvmeClient::kEntries + 2)
      << "a tail at most for each read, and one of each ring in a lap";
  // One message wakes it for many commands.
  const uint64_t before = d.nvme.events();
  nvme_submission_entry e;
  const uint64_t page = d.user.take_page();
  for (uint16_t i = 0; i < NvmeClient::kEntries - 1; ++i) {
    nvme_cmd_read(&e, 1, 0, 1);
    e.cid = i;
    e.prp1 = page;
    d.nvme.submit(1, e);
    if (i % 9 == 8) d.nvme.ring(1);
  }
  NvmeClient::Completion c;
  while (d.nvme.in_flight(1) != 0) {
    if (d.nvme.poll(1, &c)) {
      ASSERT_EQ(c.status, 0);
    } else {
      sched_yield();
    }
  }
  d.nvme.ring_taken(1);
  EXPECT_LE(d.nvme.events() - before, 7u);
  const nvme_submission_entry again = [] {
    nvme_submission_entry bad;
    nvme_cmd_init(&bad, vfio::DoorbellBuffer::kOpcode, 0);
    bad.prp1 = 4;
    return bad;
  }();
  EXPECT_EQ(d.nvme.admin(again).status, NVME_STATUS_INVALID_FIELD);
  nvme_submission_entry with_sgls;
  nvme_cmd_init(&with_sgls, vfio::DoorbellBuffer::kOpcode, 0);
  with_sgls.prp1 = d.user.take_page();
  with_sgls.prp2 = d.user.take_page();
  with_sgls.flags = 0x40;
  EXPECT_EQ(d.nvme.admin(with_sgls).status, NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(d.read(1), 0) << "the buffers of before are in use";
}

TEST(Client, WithoutTheOptionNothingIsMapped) {
  DeviceProcess device(ORM_VFIO_DEVICE, {"--device", "model", "--superblocks", "10"});
  {
    Driver d(device, Way::kMapped);
    EXPECT_FALSE(d.user.maps_doorbells());
    EXPECT_FALSE(d.nvme.has_shadows());
    nvme_submission_entry e;
    nvme_cmd_init(&e, vfio::DoorbellBuffer::kOpcode, 0);
    EXPECT_EQ(d.nvme.admin(e).status, NVME_STATUS_INVALID_OPCODE) << "the device itself does not have the command";
    ASSERT_EQ(d.write(1, 1), 0);
    EXPECT_EQ(d.read(1), 1);
  }
  EXPECT_EQ(device.wait(kEndSeconds), 0) << "it ends with its client: " << device.said();
}

TEST(Client, AServerThatDoesNotStartIsNamed) {
  try {
    DeviceProcess device(ORM_VFIO_DEVICE, {"--device", "nothing"});
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("--device"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace orm::client
