// SPDX-License-Identifier: Apache-2.0
#include "fw.h"
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint8_t kQid = 1;

uint32_t outcome(orm_remap_result r, uint32_t range = 0) {
  return ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, r) | ORM_PUT(ORM_FW_REMAP_STATUS_RANGE, range);
}

uint16_t vendor(uint32_t code) { return static_cast<uint16_t>(NVME_STATUS_TYPE_VENDOR << 8 | code); }

class RemapTest : public FwTest {
 protected:
  uint32_t nsze = 0;

  void SetUp() override {
    boot_enabled();
    nsze = dev.reg[ORM_FW_NVME_NSZE];
  }

  static nvme_submission_entry remap(uint64_t src, uint64_t dst, uint32_t nlb, uint32_t flags = 0) {
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1);
    e.cdw10 = static_cast<uint32_t>(src);
    e.cdw11 = static_cast<uint32_t>(src >> 32);
    e.cdw12 = static_cast<uint32_t>(dst);
    e.cdw13 = static_cast<uint32_t>(dst >> 32);
    e.cdw14 = nlb;
    e.cdw15 = flags;
    return e;
  }

  nvme_submission_entry vector(const std::vector<orm_remap_range> &ranges, uint32_t flags = 0) {
    for (size_t i = 0; i < ranges.size(); i++)
      orm_remap_range_pack(&ranges[i], &dev.host[0x4000 + i * ORM_REMAP_RANGE_BYTES]);
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP_VECTOR, 1, static_cast<uint32_t>(ranges.size()), 0,
                                      MockDevice::kHost + 0x4000);
    e.cdw15 = flags;
    return e;
  }

  struct Source {
    uint64_t slba;
    uint32_t nlb;
  };
  static constexpr uint32_t kList = 0x4000;

  // `format` is the Descriptor Format. Tags are ones: nothing may depend on them.
  nvme_submission_entry copy(uint64_t dst, const std::vector<Source> &sources, uint32_t format = 0) {
    for (size_t i = 0; i < sources.size(); i++) {
      const auto nlb = static_cast<uint16_t>(sources[i].nlb - 1);
      if (format == 0) {
        const nvme_copy_range r{sources[i].slba, nlb, UINT32_MAX, UINT16_MAX, UINT16_MAX};
        nvme_copy_range_pack(&r, &dev.host[kList + i * NVME_COPY_RANGE_BYTES]);
      } else {
        nvme_copy_range1 r{sources[i].slba, nlb, {}, UINT16_MAX, UINT16_MAX};
        std::fill(std::begin(r.elbt), std::end(r.elbt), uint8_t{0xFF});
        nvme_copy_range1_pack(&r, &dev.host[kList + i * NVME_COPY_RANGE1_BYTES]);
      }
    }
    nvme_submission_entry e = command(NVME_IO_OPCODE_COPY, 1, static_cast<uint32_t>(dst),
                                      static_cast<uint32_t>(dst >> 32), MockDevice::kHost + kList);
    e.cdw12 = static_cast<uint32_t>(sources.size() - 1) | format << 8;
    return e;
  }

  orm_remap_log log() {
    admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16));
    orm_remap_log l;
    orm_remap_log_unpack(&l, dev.host.data());
    return l;
  }
};

TEST_F(RemapTest, OneRange) {
  Completion c = run(kQid, remap(3, 20, 5));
  EXPECT_EQ(c.status, 0);
  EXPECT_EQ(c.dw0, 5u) << "pages";
  ASSERT_EQ(dev.remaps.size(), 1u);
  const RemapRequest &r = dev.remaps[0];
  EXPECT_FALSE(r.move);
  EXPECT_FALSE(r.copy);
  ASSERT_EQ(r.ranges.size(), 1u);
  EXPECT_EQ(r.ranges[0].src, 3u);
  EXPECT_EQ(r.ranges[0].dst, 20u);
  EXPECT_EQ(r.ranges[0].nlb, 5u);
  EXPECT_EQ(log().remap_commands, 1u);
}

TEST_F(RemapTest, Move) {
  EXPECT_EQ(run(kQid, remap(0, nsze - 1, 1, ORM_VENDOR_FLAGS_MOVE)).status, 0);
  EXPECT_TRUE(dev.remaps.at(0).move);
}

TEST_F(RemapTest, VectorKeepsOrderAndAllRanges) {
  std::vector<orm_remap_range> ranges;
  for (uint32_t i = 0; i < 40; i++) ranges.push_back({0, 50 + i, 1, 0, 0});  // sources may repeat
  EXPECT_EQ(run(kQid, vector(ranges, ORM_VENDOR_FLAGS_MOVE)).dw0, 40u);
  ASSERT_EQ(dev.remaps.at(0).ranges.size(), 40u);
  EXPECT_EQ(dev.remaps[0].ranges[39].dst, 89u);
  EXPECT_TRUE(dev.remaps[0].move);
}

TEST_F(RemapTest, LargestVector) {
  // Every range names pages of its own as target: as many as the namespace has.
  std::vector<orm_remap_range> ranges(ORM_REMAP_RANGES_MAX, orm_remap_range{0, 1, 1, 0, 0});
  EXPECT_EQ(sct_sc(run(kQid, vector(ranges))), vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP));
  ranges.resize(64);
  for (uint32_t i = 0; i < ranges.size(); i++) ranges[i].dst = 1 + i;
  EXPECT_EQ(run(kQid, vector(ranges)).status, 0);
}

TEST_F(RemapTest, MorePagesThanTheEngineKeeps) {
  constexpr uint32_t kMost = ORM_REMAP_PAGES_MAX;
  fw_->geometry.nsze = 4 * kMost;  // the engine of the mock has no mapping, so any number will do
  EXPECT_EQ(run(kQid, remap(0, 2 * kMost, kMost)).status, 0);
  EXPECT_EQ(sct_sc(run(kQid, remap(0, 2 * kMost, kMost + 1))), NVME_STATUS_COPY_SIZE_LIMIT);
  EXPECT_EQ(run(kQid, vector({{0, kMost, kMost - 7, 0, 0}, {0, 3 * kMost, 7, 0, 0}})).status, 0);
  Completion c = run(kQid, vector({{0, kMost, kMost - 7, 0, 0}, {0, 3 * kMost, 8, 0, 0}}));
  EXPECT_EQ(sct_sc(c), NVME_STATUS_COPY_SIZE_LIMIT);
  EXPECT_EQ(c.dw0, 1u) << "the range";
  EXPECT_EQ(dev.remaps.size(), 2u) << "nothing went to the engine";
}

TEST_F(RemapTest, ZeroLength) {
  EXPECT_EQ(sct_sc(run(kQid, remap(0, 10, 0))), vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH));
  EXPECT_EQ(sct_sc(run(kQid, vector({}))), vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH));
  Completion c = run(kQid, vector({{0, 10, 1, 0, 0}, {1, 11, 0, 0, 0}}));
  EXPECT_EQ(sct_sc(c), vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH));
  EXPECT_EQ(c.dw0, 1u) << "the second range";
  EXPECT_TRUE(dev.remaps.empty());
}

TEST_F(RemapTest, Bounds) {
  struct {
    uint64_t src, dst;
    uint32_t nlb;
  } bad[] = {
      {nsze, 0, 1},       {0, nsze, 1},       {nsze - 1, 0, 2},       {0, nsze - 1, 2},
      {UINT64_MAX, 0, 1}, {0, UINT64_MAX, 1}, {UINT64_MAX - 1, 0, 3}, {0, UINT64_MAX - 1, 4},
      {1ull << 32, 0, 1}, {0, 1ull << 32, 1}, {0, 1, UINT32_MAX},     {0, nsze / 2, nsze},
  };
  for (const auto &b : bad)
    EXPECT_EQ(sct_sc(run(kQid, remap(b.src, b.dst, b.nlb))), NVME_STATUS_LBA_OUT_OF_RANGE)
        << b.src << " " << b.dst << " " << b.nlb;
  EXPECT_TRUE(dev.remaps.empty());
  EXPECT_EQ(run(kQid, remap(nsze - 1, 0, 1)).status, 0) << "the last page is inside";
}

TEST_F(RemapTest, Overlap) {
  uint16_t status = vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP);
  EXPECT_EQ(sct_sc(run(kQid, remap(5, 5, 1))), status);
  EXPECT_EQ(sct_sc(run(kQid, remap(5, 7, 3))), status);
  EXPECT_EQ(sct_sc(run(kQid, remap(7, 5, 3))), status);
  EXPECT_EQ(run(kQid, remap(5, 8, 3)).status, 0) << "they only touch";
  EXPECT_EQ(sct_sc(run(kQid, vector({{0, 10, 4, 0, 0}, {20, 13, 4, 0, 0}}))), status) << "targets";
  EXPECT_EQ(sct_sc(run(kQid, vector({{0, 10, 4, 0, 0}, {12, 40, 1, 0, 0}}))), status) << "a later source";
  EXPECT_EQ(sct_sc(run(kQid, vector({{30, 10, 4, 0, 0}, {0, 31, 1, 0, 0}}))), status) << "an earlier source";
  EXPECT_EQ(dev.remaps.size(), 1u);
}

TEST_F(RemapTest, ReservedFields) {
  EXPECT_EQ(sct_sc(run(kQid, remap(0, 10, 1, 2))), NVME_STATUS_INVALID_FIELD) << "unknown flag";
  EXPECT_EQ(sct_sc(run(kQid, vector({{0, 10, 1, 1, 0}}))), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(sct_sc(run(kQid, vector({{0, 10, 1, 0, 1}}))), NVME_STATUS_INVALID_FIELD);
  nvme_submission_entry e = vector({{0, 10, 1, 0, 0}});
  e.cdw10 = ORM_REMAP_RANGES_MAX + 1;
  EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_INVALID_FIELD);
  e.cdw10 = UINT32_MAX;
  EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_INVALID_FIELD);
  EXPECT_TRUE(dev.remaps.empty());
}

TEST_F(RemapTest, OtherNamespace) {
  for (uint32_t nsid : {0u, 2u, UINT32_MAX}) {
    nvme_submission_entry e = remap(0, 10, 1);
    e.nsid = nsid;
    EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_INVALID_NAMESPACE);
  }
}

TEST_F(RemapTest, ListThatCannotBeFetched) {
  dev.dma_status = NVME_STATUS_DATA_TRANSFER_ERROR;
  EXPECT_EQ(sct_sc(run(kQid, vector({{0, 10, 1, 0, 0}}))), NVME_STATUS_DATA_TRANSFER_ERROR);
  EXPECT_TRUE(dev.remaps.empty());
}

TEST_F(RemapTest, RefusalsOfTheEngine) {
  dev.remap_results = {outcome(ORM_REMAP_RESULT_UNMAPPED, 2), outcome(ORM_REMAP_RESULT_SHARER_LIMIT, 1),
                       outcome(ORM_REMAP_RESULT_NVRAM_FULL), outcome(ORM_REMAP_RESULT_ENGINE_ERROR)};
  auto e = [this] { return vector({{0, 10, 1, 0, 0}, {1, 11, 1, 0, 0}, {2, 12, 1, 0, 0}}); };
  Completion c = run(kQid, e());
  EXPECT_EQ(c.status, vendor(ORM_VENDOR_STATUS_REMAP_UNMAPPED) | NVME_STATUS_FLAG_DO_NOT_RETRY | NVME_STATUS_FLAG_MORE);
  EXPECT_EQ(c.dw0, 2u);
  c = run(kQid, e());
  EXPECT_EQ(sct_sc(c), vendor(ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT));
  EXPECT_EQ(c.dw0, 1u);
  c = run(kQid, e());
  EXPECT_EQ(c.status, vendor(ORM_VENDOR_STATUS_REMAP_NVRAM_FULL) | NVME_STATUS_FLAG_MORE) << "may be tried again later";
  EXPECT_EQ(sct_sc(run(kQid, e())), NVME_STATUS_INTERNAL_ERROR);
  orm_remap_log l = log();
  EXPECT_EQ(l.remap_commands, 0u);
  EXPECT_EQ(l.remap_refused_other, 2u);
  EXPECT_EQ(l.remap_refused_sharers, 1u);
  EXPECT_EQ(l.remap_refused_nvram, 1u);
}

TEST_F(RemapTest, FullJournalIsEmptiedAndTheRemapTriedAgain) {
  dev.remap_results = {outcome(ORM_REMAP_RESULT_NVRAM_FULL)};
  for (uint32_t i = 0; i < 5; i++) dev.write_journal(i, i, 1, 10 + i);
  dev.journal_head = dev.journal_used = 5;
  dev.seq = 20;
  Completion c = run(kQid, remap(0, 10, 1));
  EXPECT_EQ(c.status, 0);
  EXPECT_EQ(dev.remaps.size(), 2u);
  EXPECT_EQ(dev.journal_used, 1u) << "all but the newest record";
  EXPECT_EQ(log().trim_checkpoints, 1u);
}

TEST_F(RemapTest, LongestChainIsCollectedWhenSegmentsRunOut) {
  dev.sb[3] = {1, 5, ORM_SB_STATE_CLOSED};
  dev.sb[4] = {1, 9, ORM_SB_STATE_CLOSED};
  dev.chains[3] = {1, 0, 1};
  dev.chains[4] = {2, 2, 1};
  dev.remap_results = {outcome(ORM_REMAP_RESULT_NVRAM_FULL)};
  EXPECT_EQ(run(kQid, remap(0, 10, 1)).status, 0);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
  EXPECT_EQ(dev.remaps.size(), 2u);
}

TEST_F(RemapTest, MakingRoomHasAnEnd) {
  dev.sb[4] = {1, 9, ORM_SB_STATE_CLOSED};
  dev.chains[4] = {2, 2, 1};
  for (int i = 0; i < 50; i++) dev.remap_results.push_back(outcome(ORM_REMAP_RESULT_NVRAM_FULL));
  dev.on_gc = dev.on_destage = [this] {  // whatever is collected, the next chain is as long
    dev.sb[4].state = ORM_SB_STATE_CLOSED;
    dev.chains[4] = {2, 2, 1};
  };
  EXPECT_EQ(sct_sc(run(kQid, remap(0, 10, 1))), vendor(ORM_VENDOR_STATUS_REMAP_NVRAM_FULL));
  EXPECT_EQ(dev.remaps.size(), 5u);
  EXPECT_EQ(dev.victims.size() + dev.destagings.size(), 4u);
  EXPECT_GE(dev.victims.size(), 2u) << "what it lacks may be room in one chain, which no destaging makes";
}

TEST_F(RemapTest, NothingToBeHadIsNoReasonToTryAgain) {
  dev.remap_results = {outcome(ORM_REMAP_RESULT_NVRAM_FULL)};
  EXPECT_EQ(sct_sc(run(kQid, remap(0, 10, 1))), vendor(ORM_VENDOR_STATUS_REMAP_NVRAM_FULL));
  EXPECT_EQ(dev.remaps.size(), 1u);
}

TEST_F(RemapTest, TheFirstRangeThatClashesIsNamed) {
  Completion c = run(kQid, vector({{0, 50, 1, 0, 0}, {1, 60, 4, 0, 0}, {20, 63, 4, 0, 0}}));
  EXPECT_EQ(sct_sc(c), vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP));
  EXPECT_EQ(c.dw0, 1u);
  c = run(kQid, vector({{0, 50, 1, 0, 0}, {30, 60, 4, 0, 0}, {0, 31, 1, 0, 0}}));
  EXPECT_EQ(sct_sc(c), vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP));
  EXPECT_EQ(c.dw0, 2u) << "the one whose target is a source";
  EXPECT_TRUE(dev.remaps.empty());
}

TEST_F(RemapTest, OtherCommandsWaitTheirTurn) {
  dev.hold_remap = true;
  dev.mailbox.emplace_back(kQid, remap(0, 10, 1));
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  settle();
  EXPECT_TRUE(dev.completions.empty());
  dev.release_remap();
  settle();
  ASSERT_EQ(dev.completions.size(), 2u);
  EXPECT_EQ(dev.completions[0].qid, kQid);
}

TEST_F(RemapTest, CopyIsARemap) {
  for (const uint32_t format : {0u, 1u}) {
    SCOPED_TRACE(format);
    dev.remaps.clear();
    Completion c = run(kQid, copy(40, {{3, 2}, {9, 1}, {12, 3}}, format));
    EXPECT_EQ(c.status, 0);
    ASSERT_EQ(dev.remaps.size(), 1u);
    EXPECT_TRUE(dev.remaps[0].copy);
    EXPECT_FALSE(dev.remaps[0].move);
    ASSERT_EQ(dev.remaps[0].ranges.size(), 3u);
    EXPECT_EQ(dev.remaps[0].ranges[1].src, 9u);
    EXPECT_EQ(dev.remaps[0].ranges[1].dst, 42u);
    EXPECT_EQ(dev.remaps[0].ranges[1].nlb, 1u);
    EXPECT_EQ(dev.remaps[0].ranges[2].src, 12u);
    EXPECT_EQ(dev.remaps[0].ranges[2].dst, 43u);
    EXPECT_EQ(dev.remaps[0].ranges[2].nlb, 3u);
  }
}

TEST_F(RemapTest, CopyUpToTheLongestList) {
  fw_->dev.copy_pages = ORM_REMAP_RANGES_MAX;  // the mock allows a few only
  fw_->geometry.nsze = 1000;
  for (const uint32_t format : {0u, 1u}) {
    for (const uint32_t ranges : {1u, 2u, 3u, 31u, 64u, 127u, ORM_REMAP_RANGES_MAX}) {
      SCOPED_TRACE(std::to_string(ranges) + " of format " + std::to_string(format));
      dev.remaps.clear();
      std::vector<Source> sources;
      for (uint32_t i = 0; i < ranges; i++) sources.push_back({i % 30, 1});
      EXPECT_EQ(run(kQid, copy(40, sources, format)).status, 0);
      ASSERT_EQ(dev.remaps.size(), 1u);
      ASSERT_EQ(dev.remaps[0].ranges.size(), ranges);
      for (uint32_t i = 0; i < ranges; i++) {
        ASSERT_EQ(dev.remaps[0].ranges[i].src, i % 30) << i;
        ASSERT_EQ(dev.remaps[0].ranges[i].dst, 40u + i) << i;
      }
    }
  }
}

// The last 8 bytes of an odd list of format 1 are tags. Nothing behind the list may be fetched; here there is nothing.
TEST_F(RemapTest, CopyFetchesNothingBehindItsList) {
  nvme_submission_entry e = copy(40, {{3, 2}}, 1);
  const size_t end = dev.host.size() - NVME_COPY_RANGE1_BYTES;
  std::copy_n(&dev.host[kList], NVME_COPY_RANGE1_BYTES, &dev.host[end]);
  e.prp1 = MockDevice::kHost + end;
  EXPECT_EQ(run(kQid, e).status, 0);
  ASSERT_EQ(dev.remaps.size(), 1u);
  EXPECT_EQ(dev.remaps[0].ranges[0].src, 3u);
  EXPECT_EQ(dev.remaps[0].ranges[0].nlb, 2u);
}

TEST_F(RemapTest, CopyLimitsAndBounds) {
  for (const uint32_t format : {0u, 1u}) {
    SCOPED_TRACE(format);
    EXPECT_EQ(sct_sc(run(kQid, copy(40, {{0, MockDevice::kCopyPages + 1}}, format))), NVME_STATUS_COPY_SIZE_LIMIT);
    EXPECT_EQ(sct_sc(run(kQid, copy(nsze - 1, {{0, 2}}, format))), NVME_STATUS_LBA_OUT_OF_RANGE);
    EXPECT_EQ(sct_sc(run(kQid, copy(5, {{5, 1}}, format))), NVME_STATUS_INVALID_FIELD) << "overlap";
    nvme_submission_entry e = copy(40, {{0, 1}}, format);
    e.cdw12 |= 255;
    EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_COPY_SIZE_LIMIT) << "256 ranges";
    e = copy(40, {{0, 1}}, format);
    e.cdw12 |= 128;
    EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_COPY_SIZE_LIMIT) << "129 ranges";
    for (const uint32_t protection : {1u << 12, 1u << 29}) {
      e = copy(40, {{0, 1}}, format);
      e.cdw12 |= protection;
      EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_INVALID_FIELD) << "PRINFO";
    }
  }
  for (uint32_t format = 2; format < 16; format++) {
    nvme_submission_entry e = copy(40, {{0, 1}});
    e.cdw12 |= format << 8;
    EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_INVALID_FIELD) << "descriptor format " << format;
  }
  EXPECT_TRUE(dev.remaps.empty());
}

// Identify names the limits that hardware applies, and Copies that come to firmware have the same limits.
TEST_F(RemapTest, CopyLimitsAreTheHardwares) {
  fw_->dev.copy_ranges = 100;
  fw_->dev.copy_pages = 7;
  admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 1, NVME_CNS_NAMESPACE));
  nvme_identify_namespace n;
  nvme_identify_namespace_unpack(&n, dev.host.data());
  EXPECT_EQ(n.msrc, 99u);
  EXPECT_EQ(n.mssrl, 7u);
  EXPECT_EQ(n.mcl, 7u);
  nvme_submission_entry e = copy(40, {{0, 1}}, 1);
  e.cdw12 |= n.msrc + 1u;
  EXPECT_EQ(sct_sc(run(kQid, e)), NVME_STATUS_COPY_SIZE_LIMIT);
  EXPECT_EQ(run(kQid, copy(40, {{0, 4}, {8, 3}})).status, 0);
  EXPECT_EQ(sct_sc(run(kQid, copy(40, {{0, 4}, {8, 4}}))), NVME_STATUS_COPY_SIZE_LIMIT);
}

TEST_F(RemapTest, TheLogCountsTheHardwaresRemaps) {
  dev.counters[ORM_COUNTER_REMAPS_BY_HARDWARE] = 5;
  dev.counters[ORM_COUNTER_REMAPS_HANDED_OVER] = 2;
  dev.counters[ORM_COUNTER_COPY_REFUSED] = 3;
  EXPECT_EQ(run(kQid, copy(40, {{3, 1}})).status, 0);
  EXPECT_NE(run(kQid, copy(3, {{3, 1}})).status, 0);
  const orm_remap_log l = log();
  EXPECT_EQ(l.remap_commands, 6u);
  EXPECT_EQ(l.remap_refused_sharers, 0u) << "what the hardware hands over has not ended";
  EXPECT_EQ(l.remap_refused_nvram, 0u);
  EXPECT_EQ(l.remap_refused_other, 4u);
}

// All or nothing: range 0 is always the lowest range that was not copied, whichever range failed.
TEST_F(RemapTest, FailedCopyNamesItsFirstRange) {
  for (const uint32_t format : {0u, 1u}) {
    SCOPED_TRACE(format);
    const uint32_t most = MockDevice::kCopyPages;
    for (const auto &sources : std::vector<std::vector<Source>>{
             {{0, 1}, {nsze, 1}},       // out of range
             {{0, 1}, {1, most}},       // too many pages
             {{0, 1}, {1, 1}, {41, 1}}  // a source that is a target
         }) {
      Completion c = run(kQid, copy(40, sources, format));
      EXPECT_NE(c.status, 0);
      EXPECT_EQ(c.dw0, 0u);
    }
    EXPECT_TRUE(dev.remaps.empty());
    dev.remap_results = {outcome(ORM_REMAP_RESULT_SHARER_LIMIT, 1)};
    Completion c = run(kQid, copy(40, {{0, 1}, {1, 1}}, format));
    EXPECT_EQ(sct_sc(c), vendor(ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT));
    EXPECT_EQ(c.dw0, 0u);
    dev.remaps.clear();
  }
}

TEST_F(RemapTest, UnknownIoOpcodes) {
  for (uint8_t opcode : std::array<uint8_t, 5>{0x04, 0x05, 0x0C, 0x82, 0xFF})
    EXPECT_EQ(run(kQid, command(opcode, 1)).status,
              NVME_STATUS_INVALID_OPCODE | NVME_STATUS_FLAG_DO_NOT_RETRY | NVME_STATUS_FLAG_MORE);
}

TEST_F(RemapTest, NoneDuringAShutdown) {
  set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  EXPECT_EQ(sct_sc(run(kQid, remap(0, 10, 1))), NVME_STATUS_NAMESPACE_NOT_READY);
}

}  // namespace
}  // namespace orm_test
