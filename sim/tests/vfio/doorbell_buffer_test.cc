// SPDX-License-Identifier: Apache-2.0
//
// Doorbell Buffer Config: a host of which only the memory is there, and a function of which only the accesses are.
#include "doorbell_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "orm_bytes.h"
#include "orm_nvme.h"
#include "vfio/vfio_client.h"

namespace orm::vfio {
namespace {

constexpr uint64_t kBus = 0x100000, kPage = GuestMemory::kPage;
constexpr uint64_t kSq = kBus, kCq = kBus + kPage, kShadows = kBus + 2 * kPage, kEvents = kBus + 3 * kPage;
constexpr uint64_t kData = kBus + 4 * kPage, kMore = kBus + 6 * kPage, kBytes = 16 * kPage;
constexpr uint32_t kEntries = 16;
// Status words, with the phase of the first lap.
constexpr uint16_t kGood = 1;
constexpr uint16_t refused(nvme_status status) { return uint16_t((status | NVME_STATUS_FLAG_DO_NOT_RETRY) << 1 | 1); }

class DoorbellBufferTest : public ::testing::Test {
 protected:
  DoorbellBufferTest() : file_(memory_file(kBytes)) {
    EXPECT_EQ(guest_.memory().map(kBus, kBytes, file_.get(), 0, true, true), 0);
    const uint8_t master[2] = {0x06, 0};
    guest_.config().write(4, 2, master);
    place_ = static_cast<uint8_t *>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    buffer_.enable(kSq, kEntries, kCq, kEntries);
  }
  ~DoorbellBufferTest() override { munmap(place_, kBytes); }

  uint8_t *at(uint64_t bus) { return place_ + (bus - kBus); }
  uint32_t word(uint64_t base, unsigned doorbell) { return uint32_t(orm_get_le(at(base + 4 * doorbell), 4)); }
  void set(uint64_t base, unsigned doorbell, uint32_t value) { orm_put_le(at(base + 4 * doorbell), value, 4); }

  /// The host puts an entry; what the function fetches of it.
  nvme_submission_entry fetch(nvme_submission_entry e) {
    const uint64_t place = kSq + next_ % kEntries * NVME_SUBMISSION_ENTRY_BYTES;
    e.cid = uint16_t(++cid_);
    nvme_submission_entry_pack(&e, at(place));
    uint8_t got[NVME_SUBMISSION_ENTRY_BYTES];
    const pcie_host *host = buffer_.host();
    EXPECT_EQ(host->dma_read(host->ctx, place, got, sizeof got), 0);
    nvme_submission_entry back;
    nvme_submission_entry_unpack(&back, got);
    EXPECT_EQ(back.cid, e.cid);
    return back;
  }
  /// The function completes the last command; what the host sees of it.
  nvme_completion_entry complete(uint16_t status_word, uint32_t dw0 = 0) {
    const uint64_t place = kCq + next_++ % kEntries * NVME_COMPLETION_ENTRY_BYTES;
    nvme_completion_entry c{};
    c.dw0 = dw0;
    c.cid = uint16_t(cid_);
    c.status = status_word;
    uint8_t bytes[NVME_COMPLETION_ENTRY_BYTES];
    nvme_completion_entry_pack(&c, bytes);
    EXPECT_EQ(write(place, bytes, sizeof bytes), 0);
    nvme_completion_entry_unpack(&c, at(place));
    return c;
  }
  int write(uint64_t address, const void *data, size_t len) {
    const pcie_host *host = buffer_.host();
    return host->dma_write(host->ctx, address, data, len);
  }
  uint16_t execute(const nvme_submission_entry &e, uint16_t status_word = 1) {
    fetch(e);
    return complete(status_word).status;
  }
  static nvme_submission_entry command(uint8_t opcode, uint64_t prp1 = 0, uint64_t prp2 = 0, uint32_t cdw10 = 0) {
    nvme_submission_entry e{};
    e.opcode = opcode;
    e.prp1 = prp1;
    e.prp2 = prp2;
    e.cdw10 = cdw10;
    return e;
  }
  uint16_t config(uint64_t shadows = kShadows, uint64_t events = kEvents) {
    return execute(command(DoorbellBuffer::kOpcode, shadows, events));
  }
  void make_pair(unsigned qid) {
    EXPECT_EQ(execute(command(NVME_ADMIN_OPCODE_CREATE_IO_CQ, kData, 0, qid)), 1);
    EXPECT_EQ(execute(command(NVME_ADMIN_OPCODE_CREATE_IO_SQ, kData, 0, qid)), 1);
  }
  std::map<unsigned, uint32_t> take() {
    std::map<unsigned, uint32_t> rung;
    buffer_.take([&](unsigned doorbell, uint32_t value) { rung[doorbell] = value; });
    return rung;
  }
  using Rung = std::map<unsigned, uint32_t>;

  /// Whether a host that moves a doorbell from `old` to `now` rings the register, as Linux decides it.
  bool rings(unsigned doorbell, uint16_t old, uint16_t now) {
    const auto event = uint16_t(word(kEvents, doorbell));
    return uint16_t(now - event - 1) < uint16_t(now - old);
  }

  Guest guest_;
  DoorbellBuffer buffer_{&guest_};
  const UniqueFd file_;
  uint8_t *place_ = nullptr;
  unsigned next_ = 0, cid_ = 100;
};

TEST_F(DoorbellBufferTest, TheFunctionSeesAnotherCommandAndTheHostItsOwn) {
  const nvme_submission_entry seen = fetch(command(DoorbellBuffer::kOpcode, kShadows, kEvents));
  EXPECT_EQ(seen.opcode, NVME_ADMIN_OPCODE_GET_FEATURES);
  EXPECT_EQ(seen.prp1, 0u);
  EXPECT_FALSE(buffer_.active()) << "not before it is completed";
  EXPECT_EQ(seen.flags, 0u);
  const nvme_completion_entry c = complete(kGood, 0x70007);
  EXPECT_EQ(c.dw0, 0u);
  EXPECT_EQ(c.status, 1);
  EXPECT_TRUE(buffer_.active());
}

/// A page that the device may not write, after the others.
constexpr uint64_t kReadOnly = kBus + kBytes, kNowhere = kReadOnly + kPage;

struct BadBuffers {
  const char *name;
  uint64_t shadows, events;
};

class BadBuffersOf : public DoorbellBufferTest, public ::testing::WithParamInterface<BadBuffers> {
 protected:
  BadBuffersOf() { EXPECT_EQ(guest_.memory().map(kReadOnly, kPage, file_.get(), 0, true, false), 0); }
};

TEST_P(BadBuffersOf, AreRefusedAndChangeNothing) {
  const auto &[name, shadows, events] = GetParam();
  make_pair(1);
  const auto memory = [this](uint64_t from) { return std::vector<uint8_t>(at(from), at(kBus + kBytes)); };
  auto before = memory(kShadows);
  EXPECT_EQ(config(shadows, events), refused(NVME_STATUS_INVALID_FIELD));
  EXPECT_FALSE(buffer_.active());
  EXPECT_TRUE(before == memory(kShadows)) << "the host's memory has changed";

  ASSERT_EQ(config(), kGood);
  buffer_.ask_for_events(false);
  set(kShadows, 2, 5);
  EXPECT_EQ(take(), (Rung{{2, 5}}));
  before = memory(kShadows);
  EXPECT_EQ(config(shadows, events), refused(NVME_STATUS_INVALID_FIELD));
  EXPECT_TRUE(buffer_.active()) << "the buffers of before have gone";
  EXPECT_TRUE(before == memory(kShadows)) << "the host's memory has changed";
  EXPECT_EQ(take(), Rung());
  set(kShadows, 2, 6);
  EXPECT_EQ(take(), (Rung{{2, 6}}));
  make_pair(2);
  EXPECT_EQ(word(kEvents, 4), 0xFFFFu) << "the device is awake, and asks for no events";
}

INSTANTIATE_TEST_SUITE_P(Addresses, BadBuffersOf,
                         ::testing::Values(BadBuffers{"ShadowsNotAligned", kShadows + 4, kEvents},
                                           BadBuffers{"ShadowsInMidPage", kShadows + kPage / 2, kEvents},
                                           BadBuffers{"EventsNotAligned", kShadows, kEvents + 8},
                                           BadBuffers{"NoShadows", 0, kEvents}, BadBuffers{"NoEvents", kShadows, 0},
                                           BadBuffers{"Neither", 0, 0},
                                           BadBuffers{"ShadowsOutOfMemory", kNowhere, kEvents},
                                           BadBuffers{"EventsOutOfMemory", kShadows, kNowhere},
                                           BadBuffers{"ShadowsAtTheEndOfAddresses", 0 - kPage, kEvents},
                                           BadBuffers{"EventsAtTheEndOfAddresses", kShadows, 0 - kPage},
                                           BadBuffers{"EventsThatMayNotBeWritten", kShadows, kReadOnly},
                                           BadBuffers{"OnePageForBoth", kShadows, kShadows}),
                         [](const auto &given) { return std::string(given.param.name); });

TEST_F(DoorbellBufferTest, OtherBuffersTakeThePlaceOfTheFirst) {
  make_pair(1);
  ASSERT_EQ(config(), kGood);
  set(kShadows, 2, 5);
  EXPECT_EQ(take(), (Rung{{2, 5}}));
  set(kData, 2, 6);
  ASSERT_EQ(config(kData, kMore), kGood);
  set(kShadows, 2, 9);
  EXPECT_EQ(take(), (Rung{{2, 6}}));
  EXPECT_EQ(word(kMore, 2), 5u) << "asks for events";
}

TEST_F(DoorbellBufferTest, AnErrorOfTheFunctionStays) {
  EXPECT_EQ(execute(command(DoorbellBuffer::kOpcode, kShadows, kEvents), 0x0E), 0x0E);
  EXPECT_FALSE(buffer_.active());
  ASSERT_EQ(config(), kGood);
}

TEST_F(DoorbellBufferTest, FusedCommandsAndSglsAreRefused) {
  make_pair(1);
  ASSERT_EQ(config(), kGood);
  for (const uint8_t flags : std::vector<uint8_t>{0x01, 0x02, 0x40, 0x80}) {
    nvme_submission_entry e = command(DoorbellBuffer::kOpcode, kData, kMore);
    e.flags = flags;
    EXPECT_EQ(execute(e), refused(NVME_STATUS_INVALID_FIELD)) << int(flags);
  }
  set(kShadows, 2, 5);
  EXPECT_EQ(take(), (Rung{{2, 5}}));
}

TEST_F(DoorbellBufferTest, OtherCommandsPassAsTheyAre) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    if (opcode == DoorbellBuffer::kOpcode) continue;
    EXPECT_EQ(fetch(command(uint8_t(opcode), kData, kMore, 0x30002)).opcode, opcode);
    const nvme_completion_entry c = complete(0x4003, 77);
    EXPECT_EQ(c.dw0, 77u);
    EXPECT_EQ(c.status, 0x4003);
  }
  // Entries of no admin queue, and of one that is over.
  uint8_t got[NVME_SUBMISSION_ENTRY_BYTES];
  const pcie_host *host = buffer_.host();
  *at(kSq + kPage / 2) = *at(kSq) = DoorbellBuffer::kOpcode;
  ASSERT_EQ(host->dma_read(host->ctx, kSq + kPage / 2, got, sizeof got), 0);
  EXPECT_EQ(got[0], DoorbellBuffer::kOpcode);
  buffer_.disable();
  ASSERT_EQ(host->dma_read(host->ctx, kSq, got, sizeof got), 0);
  EXPECT_EQ(got[0], DoorbellBuffer::kOpcode);
}

TEST_F(DoorbellBufferTest, IdentifySaysThatTheCommandExists) {
  const std::vector<uint8_t> data(kPage, 0x40);
  // The data in one page, or in two, of which the second one has the byte.
  for (const uint64_t offset : {uint64_t{0}, uint64_t{2048}, kPage - 256}) {
    fetch(command(NVME_ADMIN_OPCODE_IDENTIFY, kData + offset, kMore, 1));
    ASSERT_EQ(write(kData + offset, data.data(), kPage - offset), 0);
    if (offset != 0) {
      ASSERT_EQ(write(kMore, data.data(), offset), 0);
    }
    complete(1);
    const uint64_t place = offset + 257 < kPage ? kData + offset + 257 : kMore + offset + 257 - kPage;
    EXPECT_EQ(*at(place), 0x41) << offset;
    EXPECT_EQ(*at(place - 1), 0x40) << offset;
    ASSERT_EQ(write(place, data.data(), 1), 0);
    EXPECT_EQ(*at(place), 0x40) << "later writes are other data";
  }
  fetch(command(NVME_ADMIN_OPCODE_IDENTIFY, kData, 0, 0));
  ASSERT_EQ(write(kData, data.data(), kPage), 0);
  EXPECT_EQ(*at(kData + 257), 0x40) << "a namespace's data has no OACS";
}

TEST_F(DoorbellBufferTest, SoDoesTheLogOfSupportedCommands) {
  const std::vector<uint8_t> data(kPage, 0);
  const auto log = [&](uint8_t lid, uint32_t dwords, uint32_t offset) {
    nvme_submission_entry e = command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, kData, 0, (dwords - 1) << 16 | lid);
    e.cdw12 = offset;
    std::memset(at(kData), 0, kPage);
    fetch(e);
    EXPECT_EQ(write(kData, data.data(), kPage), 0);
    complete(1);
    for (uint64_t i = 0; i < kPage; ++i) {
      if (*at(kData + i) != 0) return int(i);
    }
    return -1;
  };
  EXPECT_EQ(log(NVME_LOG_PAGE_COMMANDS_SUPPORTED, 1024, 0), 4 * DoorbellBuffer::kOpcode);
  EXPECT_EQ(log(NVME_LOG_PAGE_COMMANDS_SUPPORTED, 1024, 0x1E0), 4 * DoorbellBuffer::kOpcode - 0x1E0);
  EXPECT_EQ(log(NVME_LOG_PAGE_COMMANDS_SUPPORTED, DoorbellBuffer::kOpcode, 0), -1) << "ends before the entry";
  EXPECT_EQ(log(NVME_LOG_PAGE_COMMANDS_SUPPORTED, 1024, 4 * DoorbellBuffer::kOpcode + 4), -1) << "begins after it";
  EXPECT_EQ(log(NVME_LOG_PAGE_SMART, 1024, 0), -1) << "another log";
}

TEST_F(DoorbellBufferTest, ShadowsThatChangeRing) {
  EXPECT_EQ(take(), Rung()) << "no buffers yet";
  make_pair(1);
  make_pair(2);
  ASSERT_EQ(config(), 1);
  EXPECT_EQ(take(), Rung());
  set(kShadows, 0, 9);  // of the admin queue: it comes by its register
  set(kShadows, 2, 1);
  set(kShadows, 5, 7);
  set(kShadows, 6, 3);  // a queue that is not there
  EXPECT_EQ(take(), (Rung{{2, 1}, {5, 7}}));
  EXPECT_EQ(take(), Rung());
  EXPECT_TRUE(buffer_.rang(2, 1)) << "the register says what the shadow says, or something older";
  EXPECT_FALSE(buffer_.rang(0, 1));
  EXPECT_FALSE(buffer_.rang(6, 3));
  EXPECT_FALSE(buffer_.rang(1000, 3));
  EXPECT_EQ(take(), Rung());
}

TEST_F(DoorbellBufferTest, ValuesOfNoQueueReachTheFunctionAsSuch) {
  make_pair(1);
  ASSERT_EQ(config(), kGood);
  for (const uint32_t value : {0x10005u, 0xFFFFu, 0xFFFFFFFFu}) {
    set(kShadows, 2, value);
    EXPECT_EQ(take(), (Rung{{2, 0xFFFF}})) << value;
    EXPECT_EQ(take(), Rung()) << "once";
  }
  set(kShadows, 2, 5);
  EXPECT_EQ(take(), (Rung{{2, 5}})) << "the host has mended it";
  // Event indices are the device's to write.
  set(kEvents, 2, 0x12345678);
  EXPECT_EQ(take(), Rung());
  buffer_.ask_for_events(true);
  EXPECT_EQ(word(kEvents, 2), 5u);
}

TEST_F(DoorbellBufferTest, QueuesOfBeforeGoOnWhereTheyAre) {
  make_pair(1);
  EXPECT_FALSE(buffer_.rang(2, 5));
  EXPECT_FALSE(buffer_.rang(3, 4));
  set(kShadows, 3, 6);  // this host has written a shadow before the command
  ASSERT_EQ(config(), 1);
  EXPECT_EQ(word(kShadows, 2), 5u);
  EXPECT_EQ(take(), (Rung{{3, 6}}));
}

TEST_F(DoorbellBufferTest, ANewQueueBeginsAtZero) {
  make_pair(1);
  ASSERT_EQ(config(), 1);
  set(kShadows, 2, 5);
  EXPECT_EQ(take(), (Rung{{2, 5}}));
  EXPECT_EQ(execute(command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, 0, 1), 0x0F), 0x0F);
  set(kShadows, 2, 6);
  EXPECT_EQ(take(), (Rung{{2, 6}})) << "it was not deleted";
  EXPECT_EQ(execute(command(NVME_ADMIN_OPCODE_DELETE_IO_SQ, 0, 0, 1)), 1);
  set(kShadows, 2, 7);
  EXPECT_EQ(take(), Rung());
  EXPECT_EQ(execute(command(NVME_ADMIN_OPCODE_CREATE_IO_SQ, kData, 0, 1)), 1);
  EXPECT_EQ(word(kShadows, 2), 0u);
  EXPECT_EQ(take(), Rung());
  set(kShadows, 2, 6);
  EXPECT_EQ(take(), (Rung{{2, 6}})) << "also a value that the old queue ended with";
  EXPECT_EQ(execute(command(NVME_ADMIN_OPCODE_CREATE_IO_SQ, kData, 0, 1), 0x203), 0x203);
  EXPECT_EQ(word(kShadows, 2), 6u) << "that queue was there";
}

TEST_F(DoorbellBufferTest, EventsAreAskedForOnlyWhenTheDeviceSleeps) {
  make_pair(1);
  ASSERT_EQ(config(), 1);
  EXPECT_TRUE(rings(2, 0, 1)) << "who gives the buffers may not count on a device that looks";
  EXPECT_FALSE(rings(3, 0, 1)) << "heads of completion queues wake nobody";
  buffer_.ask_for_events(false);
  uint16_t old = 0;
  for (uint16_t now = 1; now < 256; old = now++) EXPECT_FALSE(rings(2, old, now)) << now;
  set(kShadows, 2, 255);
  EXPECT_EQ(take(), (Rung{{2, 255}}));
  buffer_.ask_for_events(true);
  EXPECT_TRUE(rings(2, 255, 0));
  EXPECT_TRUE(rings(2, 255, 3)) << "several at once, around the end";
  EXPECT_FALSE(rings(2, 3, 4)) << "once is enough";
}

TEST_F(DoorbellBufferTest, DisablingGivesTheBuffersBack) {
  make_pair(1);
  ASSERT_EQ(config(), 1);
  buffer_.disable();
  EXPECT_FALSE(buffer_.active());
  set(kShadows, 2, 5);
  EXPECT_EQ(take(), Rung());
  EXPECT_FALSE(buffer_.rang(2, 5));
  const std::vector<uint8_t> before(at(kEvents), at(kEvents) + kPage);
  buffer_.ask_for_events(true);
  EXPECT_EQ(std::memcmp(at(kEvents), before.data(), kPage), 0);
}

TEST_F(DoorbellBufferTest, AShutdownGivesTheBuffersBack) {
  make_pair(1);
  ASSERT_EQ(config(), kGood);
  fetch(command(DoorbellBuffer::kOpcode, kShadows, kEvents));
  buffer_.shut_down();
  EXPECT_FALSE(buffer_.active());
  const std::vector<uint8_t> before(at(kShadows), at(kEvents) + kPage);
  set(kShadows, 3, 5);
  EXPECT_EQ(take(), Rung());
  EXPECT_FALSE(buffer_.rang(3, 5));
  set(kShadows, 3, 0);
  EXPECT_EQ(complete(kGood).status, refused(NVME_STATUS_SEQUENCE_ERROR)) << "a command that was under way";
  EXPECT_EQ(config(), refused(NVME_STATUS_SEQUENCE_ERROR));
  make_pair(2);
  EXPECT_EQ(std::memcmp(at(kShadows), before.data(), before.size()), 0);
  buffer_.enable(kSq, kEntries, kCq, kEntries);
  EXPECT_EQ(config(), kGood) << "the controller was started again";
}

TEST_F(DoorbellBufferTest, BuffersThatGoAwayAreForgotten) {
  make_pair(1);
  ASSERT_EQ(config(), 1);
  ASSERT_EQ(guest_.memory().unmap(kBus, kBytes), 0);
  EXPECT_EQ(take(), Rung());
  EXPECT_FALSE(buffer_.active());
  EXPECT_FALSE(buffer_.rang(2, 5));
}

}  // namespace
}  // namespace orm::vfio
