// SPDX-License-Identifier: Apache-2.0
// Each field of the entry that an error makes in the Error Information log (NVM Express Base Specification 2.0,
// 5.16.1.2), and the More bit of the completion, which says that there is one.
extern "C" {
#include "fw.h"
}

#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kAll = UINT32_MAX;
constexpr uint64_t kNoLba = UINT64_MAX;
constexpr uint16_t kNoField = UINT16_MAX;
constexpr uint8_t kAdmin = 0, kIo = 3;

constexpr uint16_t at(uint32_t dword, uint32_t bit) {
  return static_cast<uint16_t>(dword * 4 + bit / 8 + ((bit % 8) << 8));
}
constexpr uint16_t kOpcode = at(0, 0), kNsid = at(1, 0), kPrp1 = at(6, 0);

constexpr uint16_t vendor(uint32_t code) { return static_cast<uint16_t>(NVME_STATUS_TYPE_VENDOR << 8 | code); }

nvme_submission_entry with(uint8_t opcode, uint32_t nsid, std::array<uint32_t, 6> cdw10_15, uint8_t flags = 0,
                           uint64_t prp1 = MockDevice::kHost) {
  nvme_submission_entry e = command(opcode, nsid, cdw10_15[0], cdw10_15[1], prp1);
  e.cdw12 = cdw10_15[2];
  e.cdw13 = cdw10_15[3];
  e.cdw14 = cdw10_15[4];
  e.cdw15 = cdw10_15[5];
  e.flags = flags;
  return e;
}

class ErrorlogFieldsTest : public FwTest {
 protected:
  void SetUp() override {
    boot_enabled();
    nsze_ = dev.reg[ORM_FW_NVME_NSZE];
  }

  // The newest entry, as the host reads it. Bytes that the specification reserves must be zero.
  nvme_error_log_entry newest() {
    EXPECT_EQ(admin(with(NVME_ADMIN_OPCODE_GET_LOG_PAGE, kAll, {NVME_LOG_PAGE_ERROR_INFORMATION | 15u << 16})).status,
              0);
    EXPECT_EQ(std::count(&dev.host[30], &dev.host[32], 0), 2) << "31:30";
    EXPECT_EQ(std::count(&dev.host[40], &dev.host[64], 0), 24) << "63:40";
    nvme_error_log_entry e{};
    nvme_error_log_entry_unpack(&e, dev.host.data());
    return e;
  }

  // What is the same for all entries: no vendor page tells more, no transport is at fault, no command has its own.
  void expect_rest(const nvme_error_log_entry &e) {
    EXPECT_EQ(e.error_count, fw_->state.errors);
    EXPECT_EQ(e.vs, 0);
    EXPECT_EQ(e.trtype, 0);
    EXPECT_EQ(e.csi, 0u);
  }

  struct Wanted {
    uint16_t status, location;
    uint64_t lba = kNoLba;
  };

  // Runs a command that must fail; `c` is its completion.
  void expect_entry(uint8_t qid, const nvme_submission_entry &sent, const Wanted &w) {
    const uint64_t before = fw_->state.errors;
    const Completion c = run(qid, sent);
    EXPECT_EQ(fw_->state.errors, before + 1);
    EXPECT_EQ(sct_sc(c), w.status);
    EXPECT_TRUE(c.status & NVME_STATUS_FLAG_MORE);
    const nvme_error_log_entry e = newest();
    EXPECT_EQ(e.sqid, qid);
    EXPECT_EQ(e.cid, sent.cid);
    EXPECT_EQ(e.status, static_cast<uint16_t>(c.status << 1)) << "as in the completion; the phase is left out";
    EXPECT_EQ(e.location, w.location);
    EXPECT_EQ(e.lba, w.lba);
    EXPECT_EQ(e.nsid, sent.nsid);
    expect_rest(e);
  }

  // Puts ranges where `vector` says that they are.
  nvme_submission_entry vector(const std::vector<orm_remap_range> &ranges) {
    for (size_t i = 0; i < ranges.size(); i++)
      orm_remap_range_pack(&ranges[i], &dev.host[0x4000 + i * ORM_REMAP_RANGE_BYTES]);
    return with(ORM_VENDOR_OPCODES_REMAP_VECTOR, 1, {static_cast<uint32_t>(ranges.size())}, 0,
                MockDevice::kHost + 0x4000);
  }
  static nvme_submission_entry remap(uint64_t src, uint64_t dst, uint32_t nlb, uint32_t flags = 0) {
    return with(ORM_VENDOR_OPCODES_REMAP, 1,
                {static_cast<uint32_t>(src), static_cast<uint32_t>(src >> 32), static_cast<uint32_t>(dst),
                 static_cast<uint32_t>(dst >> 32), nlb, flags});
  }
  void map(uint32_t lpn, uint32_t slot, uint8_t sharers) {
    orm_put_le(&dev.dram[MockDevice::kL2p + 4 * lpn], slot, 4);
    dev.dram[MockDevice::kRef + slot] = sharers;
  }
  void refuse(orm_remap_result r, uint32_t range) {
    dev.remap_results = {ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, r) | ORM_PUT(ORM_FW_REMAP_STATUS_RANGE, range)};
  }

  uint32_t nsze_ = 0;
};

TEST_F(ErrorlogFieldsTest, AdminCommands) {
  const uint32_t queues = MockDevice::kQueues;
  const struct {
    const char *what;
    nvme_submission_entry sent;
    Wanted wanted;
  } cases[] = {
      {"opcode", with(0x77, 5, {0xABCD}), {NVME_STATUS_INVALID_OPCODE, kOpcode}},
      {"FUSE", with(NVME_ADMIN_OPCODE_IDENTIFY, 0, {1}, 0x02), {NVME_STATUS_INVALID_FIELD, at(0, 9)}},
      {"PSDT", with(NVME_ADMIN_OPCODE_IDENTIFY, 0, {1}, 0x40), {NVME_STATUS_INVALID_FIELD, at(0, 14)}},
      {"log page",
       with(NVME_ADMIN_OPCODE_GET_LOG_PAGE, kAll, {0x77 | 15u << 16}),
       {NVME_STATUS_LOG_PAGE_INVALID, at(10, 0)}},
      {"endurance group",
       with(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, {9 | 127u << 16, 2u << 16}),
       {NVME_STATUS_INVALID_FIELD, at(11, 16)}},
      {"CNS", with(NVME_ADMIN_OPCODE_IDENTIFY, 1, {0xFF}), {NVME_STATUS_INVALID_FIELD, at(10, 0)}},
      {"NSID", with(NVME_ADMIN_OPCODE_IDENTIFY, 9, {0}), {NVME_STATUS_INVALID_NAMESPACE, kNsid}},
      {"feature", with(NVME_ADMIN_OPCODE_GET_FEATURES, 0, {0x0C}), {NVME_STATUS_INVALID_FIELD, at(10, 0)}},
      {"select", with(NVME_ADMIN_OPCODE_GET_FEATURES, 0, {1 | 5u << 8}), {NVME_STATUS_INVALID_FIELD, at(10, 8)}},
      {"save", with(NVME_ADMIN_OPCODE_SET_FEATURES, 0, {1 | 1u << 31}), {NVME_STATUS_FEATURE_NOT_SAVEABLE, at(10, 31)}},
      {"SQ of an Abort", with(NVME_ADMIN_OPCODE_ABORT, 0, {99}), {NVME_STATUS_INVALID_FIELD, at(10, 0)}},
      {"queue",
       with(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, {(queues + 1) | 15u << 16, 1}),
       {NVME_STATUS_QID_INVALID, at(10, 0)}},
      {"queue size", with(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, {1, 1}), {NVME_STATUS_QUEUE_SIZE_INVALID, at(10, 16)}},
      {"PC", with(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, {1 | 15u << 16, 0}), {NVME_STATUS_INVALID_FIELD, at(11, 0)}},
      {"PRP1 of a queue",
       with(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, {1 | 15u << 16, 1}, 0, 0x1004),
       {NVME_STATUS_INVALID_PRP_OFFSET, kPrp1}},
      {"vector",
       with(NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0, {1 | 15u << 16, 3 | 99u << 16}, 0, 0x1000),
       {NVME_STATUS_VECTOR_INVALID, at(11, 16)}},
      {"CQ of an SQ",
       with(NVME_ADMIN_OPCODE_CREATE_IO_SQ, 0, {1 | 15u << 16, 1 | 1u << 16}),
       {NVME_STATUS_CQ_INVALID, at(11, 16)}},
      {"CQ of no number",
       with(NVME_ADMIN_OPCODE_CREATE_IO_SQ, 0, {1 | 15u << 16, 1 | (queues + 1) << 16}),
       {NVME_STATUS_QID_INVALID, at(11, 16)}},
      {"format", with(NVME_ADMIN_OPCODE_FORMAT_NVM, 1, {3}), {NVME_STATUS_FORMAT_INVALID, at(10, 0)}},
      {"metadata", with(NVME_ADMIN_OPCODE_FORMAT_NVM, 1, {1u << 4}), {NVME_STATUS_FORMAT_INVALID, at(10, 4)}},
      {"protection", with(NVME_ADMIN_OPCODE_FORMAT_NVM, 1, {1u << 5}), {NVME_STATUS_FORMAT_INVALID, at(10, 5)}},
      {"secure erase", with(NVME_ADMIN_OPCODE_FORMAT_NVM, kAll, {2u << 9}), {NVME_STATUS_INVALID_FIELD, at(10, 9)}},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    expect_entry(kAdmin, c.sent, c.wanted);
  }
}

TEST_F(ErrorlogFieldsTest, IoCommands) {
  const uint64_t end = nsze_, far = uint64_t{1} << 40;
  const uint8_t send = NVME_IO_OPCODE_IO_MGMT_SEND, receive = NVME_IO_OPCODE_IO_MGMT_RECEIVE;
  const struct {
    const char *what;
    nvme_submission_entry sent;
    Wanted wanted;
  } cases[] = {
      {"opcode", with(0x7F, 1, {}), {NVME_STATUS_INVALID_OPCODE, kOpcode}},
      {"vendor opcode", with(0xFE, 1, {77, 0, 88}), {NVME_STATUS_INVALID_OPCODE, kOpcode}},
      {"NSID", with(ORM_VENDOR_OPCODES_REMAP, 2, {0, 0, 10, 0, 1}), {NVME_STATUS_INVALID_NAMESPACE, kNsid}},
      {"flag", remap(0, 10, 1, 1u << 9), {NVME_STATUS_INVALID_FIELD, at(15, 9)}},
      {"no pages", remap(0, 10, 0), {vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), at(14, 0)}},
      {"source over the end", remap(end - 2, 0, 5), {NVME_STATUS_LBA_OUT_OF_RANGE, at(10, 0), end}},
      {"source past the end", remap(far, 0, 1), {NVME_STATUS_LBA_OUT_OF_RANGE, at(10, 0), far}},
      {"target over the end", remap(0, end - 1, 3), {NVME_STATUS_LBA_OUT_OF_RANGE, at(12, 0), end}},
      {"target past the end", remap(0, end + 7, 1), {NVME_STATUS_LBA_OUT_OF_RANGE, at(12, 0), end + 7}},
      {"overlap", remap(0, 2, 5), {vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP), kNoField, 2}},
      {"no ranges",
       with(ORM_VENDOR_OPCODES_REMAP_VECTOR, 1, {0}),
       {vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), at(10, 0)}},
      {"too many ranges",
       with(ORM_VENDOR_OPCODES_REMAP_VECTOR, 1, {ORM_REMAP_RANGES_MAX + 1}),
       {NVME_STATUS_INVALID_FIELD, at(10, 0)}},
      {"Copy format", with(NVME_IO_OPCODE_COPY, 1, {0, 0, 4u << 8}), {NVME_STATUS_INVALID_FIELD, at(12, 8)}},
      {"Copy PRINFOR", with(NVME_IO_OPCODE_COPY, 1, {0, 0, 1u << 12}), {NVME_STATUS_INVALID_FIELD, at(12, 12)}},
      {"Copy PRINFOW", with(NVME_IO_OPCODE_COPY, 1, {0, 0, 1u << 26}), {NVME_STATUS_INVALID_FIELD, at(12, 26)}},
      {"Copy ranges", with(NVME_IO_OPCODE_COPY, 1, {0, 0, 255}), {NVME_STATUS_COPY_SIZE_LIMIT, at(12, 0)}},
      {"operation of Receive", with(receive, 1, {9}), {NVME_STATUS_INVALID_FIELD, at(10, 0)}},
      {"NUMD of Receive", with(receive, 1, {1, kAll}), {NVME_STATUS_INVALID_FIELD, at(11, 0)}},
      {"operation of Send", with(send, 1, {9}), {NVME_STATUS_INVALID_FIELD, at(10, 0)}},
      {"handles of Send", with(send, 1, {1 | 500u << 16}), {NVME_STATUS_INVALID_FIELD, at(10, 16)}},
      {"PRP1 of Send", with(send, 1, {1}, 0, MockDevice::kHost + 2), {NVME_STATUS_INVALID_PRP_OFFSET, kPrp1}},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    expect_entry(kIo, c.sent, c.wanted);
  }
}

// The wrong field is in the data: no location in the command.
TEST_F(ErrorlogFieldsTest, RangesOfAVector) {
  const uint64_t end = nsze_;
  expect_entry(kIo, vector({{0, 10, 2, 0, 0}, {end - 1, 20, 2, 0, 0}}), {NVME_STATUS_LBA_OUT_OF_RANGE, kNoField, end});
  expect_entry(kIo, vector({{0, 10, 2, 0, 0}, {4, end + 3, 2, 0, 0}}),
               {NVME_STATUS_LBA_OUT_OF_RANGE, kNoField, end + 3});
  expect_entry(kIo, vector({{0, 10, 2, 0, 0}, {4, 0, 2, 0, 0}}),
               {vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP), kNoField, 0});
  expect_entry(kIo, vector({{0, 10, 2, 0, 0}, {4, 20, 0, 0, 0}}),
               {vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), kNoField});
}

// The engine tells the range, the mapping tells the page.
TEST_F(ErrorlogFieldsTest, SourcesThatTheEngineRefuses) {
  for (uint32_t lpn = 0; lpn < 8; lpn++) map(lpn, lpn, 1);
  orm_put_le(&dev.dram[MockDevice::kL2p + 4 * 6], ORM_UNMAPPED, 4);
  refuse(ORM_REMAP_RESULT_UNMAPPED, 1);
  expect_entry(kIo, vector({{0, 20, 2, 0, 0}, {4, 30, 4, 0, 0}}),
               {vendor(ORM_VENDOR_STATUS_REMAP_UNMAPPED), kNoField, 6});
  map(6, 6, 1);
  map(5, 5, MockDevice::kSharers);
  refuse(ORM_REMAP_RESULT_SHARER_LIMIT, 0);
  expect_entry(kIo, remap(4, 30, 4), {vendor(ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT), kNoField, 5});
  map(5, 5, 1);
  refuse(ORM_REMAP_RESULT_UNMAPPED, 0);
  expect_entry(kIo, remap(4, 30, 4), {vendor(ORM_VENDOR_STATUS_REMAP_UNMAPPED), kNoField, kNoLba});
  refuse(ORM_REMAP_RESULT_ENGINE_ERROR, 0);
  expect_entry(kIo, remap(4, 30, 4), {NVME_STATUS_INTERNAL_ERROR, kNoField, kNoLba});
}

TEST_F(ErrorlogFieldsTest, TransfersThatFail) {
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  nvme_submission_entry sent = with(NVME_ADMIN_OPCODE_IDENTIFY, 0, {1});
  const Completion c = run(kAdmin, sent);
  dev.dma_status = 0;
  const nvme_error_log_entry e = newest();
  EXPECT_EQ(e.cid, sent.cid);
  EXPECT_EQ(e.status, static_cast<uint16_t>(c.status << 1));
  EXPECT_EQ(e.status >> 1 & 0x7FF, NVME_STATUS_DATA_TRANSFER_ERROR);
  EXPECT_EQ(e.location, kNoField);
  EXPECT_EQ(e.lba, kNoLba);
  expect_rest(e);
}

// Figure 206: an error that is of no command has FFFFh for its queue and its identifier.
TEST_F(ErrorlogFieldsTest, BadDoorbells) {
  for (uint32_t event : {ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK, ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK}) {
    const uint64_t before = fw_->state.errors;
    dev.irq_events |= event;
    settle();
    EXPECT_EQ(fw_->state.errors, before + 1);
    const nvme_error_log_entry e = newest();
    EXPECT_EQ(e.sqid, UINT16_MAX);
    EXPECT_EQ(e.cid, UINT16_MAX);
    EXPECT_EQ(e.status, NVME_STATUS_INVALID_FIELD << 1) << "the most applicable status";
    EXPECT_EQ(e.location, kNoField);
    EXPECT_EQ(e.lba, kNoLba);
    EXPECT_EQ(e.nsid, kAll);
    expect_rest(e);
  }
}

// A host that aborts knows why: no entry, and the completion does not say that there is one.
TEST_F(ErrorlogFieldsTest, AbortedCommands) {
  const nvme_submission_entry request = command(NVME_ADMIN_OPCODE_ASYNC_EVENT);
  dev.mailbox.emplace_back(uint8_t{0}, request);
  settle();
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_ABORT, 0, uint32_t{request.cid} << 16));
  settle();
  ASSERT_EQ(dev.completions.size(), 2u);
  EXPECT_EQ(dev.completions[0].status, NVME_STATUS_ABORT_REQUESTED);
  EXPECT_EQ(fw_->state.errors, 0u);
}

// A shutdown gives up a format that has not begun: the entry names the command that was held.
TEST_F(ErrorlogFieldsTest, CommandsThatAreHeld) {
  for (uint32_t nsid : {1u, kAll}) {
    dev.io_quiet = false;
    const nvme_submission_entry format = command(NVME_ADMIN_OPCODE_FORMAT_NVM, nsid);
    dev.mailbox.emplace_back(uint8_t{0}, format);
    settle();
    dev.reg[ORM_FW_NVME_CC] = ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, 1);
    dev.irq_events |= ORM_FW_IRQ_STATUS_CC_CHANGED_MASK;
    for (int i = 0; i < 20; i++) fw_poll(fw_);
    ASSERT_FALSE(dev.completions.empty());
    const Completion c = dev.completions.back();
    dev.io_quiet = true;
    settle();
    EXPECT_EQ(c.cid, format.cid);
    EXPECT_EQ(c.status, NVME_STATUS_ABORT_REQUESTED | NVME_STATUS_FLAG_MORE);
    const nvme_error_log_entry e = newest();
    EXPECT_EQ(e.sqid, 0);
    EXPECT_EQ(e.cid, format.cid);
    EXPECT_EQ(e.status, static_cast<uint16_t>(c.status << 1));
    EXPECT_EQ(e.location, kNoField);
    EXPECT_EQ(e.lba, kNoLba);
    EXPECT_EQ(e.nsid, nsid);
    expect_rest(e);
    set_cc(0);
    enable();
  }
}

// More is said exactly where there is an entry.
TEST_F(ErrorlogFieldsTest, SuccessAndMore) {
  EXPECT_EQ(run(kAdmin, with(NVME_ADMIN_OPCODE_IDENTIFY, 0, {1})).status, 0);
  EXPECT_EQ(run(kIo, remap(0, 10, 1)).status, 0);
  EXPECT_EQ(fw_->state.errors, 0u);
}

}  // namespace
}  // namespace orm_test
