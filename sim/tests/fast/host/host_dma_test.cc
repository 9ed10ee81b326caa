// SPDX-License-Identifier: Apache-2.0
//
// PRP walks, and what is read and written along them. The host's memory is what `host_` maps.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "host/host_reader.h"
#include "host/host_writer.h"
#include "host/prp_walker.h"
#include "orm_bytes.h"

namespace orm::fast {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kBase = 0x10000;

class FastHostDma : public ::testing::Test {
 protected:
  FastHostDma() : memory_(64 * kPage) {
    for (size_t i = 0; i < memory_.size(); ++i) memory_[i] = uint8_t(i * 7 + i / kPage);
  }

  uint8_t *at(uint64_t addr) { return memory_.data() + (addr - kBase); }
  uint64_t page(uint64_t n) const { return kBase + n * kPage; }
  void entry(uint64_t addr, uint64_t value) { orm_put_le(at(addr), value, 8); }
  bool mapped(uint64_t addr, size_t len) const {
    return addr >= kBase && addr - kBase <= memory_.size() && len <= memory_.size() - (addr - kBase);
  }
  /// Bytes until the walk's end or error.
  uint32_t walk(const PrpTransfer &t, NvmeStatus *status) {
    PrpWalker walker(host_, t);
    uint32_t bytes = 0;
    *status = kSuccess;
    while (bytes != t.bytes && *status == kSuccess) {
      const PrpSegment s = walker.next();
      *status = s.status;
      bytes += s.bytes;
    }
    return bytes;
  }

  std::vector<uint8_t> memory_;
  const pcie_host host_{this,
                        [](void *ctx, uint64_t addr, void *buf, size_t len) {
                          auto *self = static_cast<FastHostDma *>(ctx);
                          if (!self->mapped(addr, len)) return -EFAULT;
                          std::memcpy(buf, self->at(addr), len);
                          return 0;
                        },
                        [](void *ctx, uint64_t addr, const void *buf, size_t len) {
                          auto *self = static_cast<FastHostDma *>(ctx);
                          if (!self->mapped(addr, len)) return -EFAULT;
                          std::memcpy(self->at(addr), buf, len);
                          return 0;
                        },
                        [](void *, unsigned) {}};
  Simulation sim_{0};
};

TEST_F(FastHostDma, OneAndTwoPages) {
  PrpWalker walker(host_, {page(1) + 0x104, page(5), kPage});
  PrpSegment s = walker.next();
  EXPECT_EQ(s.addr, page(1) + 0x104);
  EXPECT_EQ(s.bytes, kPage - 0x104);
  s = walker.next();
  EXPECT_EQ(s.addr, page(5));
  EXPECT_EQ(s.bytes, 0x104u);
  EXPECT_EQ(walker.fetches(), 0u);
}

TEST_F(FastHostDma, AListMayBeChained) {
  const uint64_t list = page(20) + kPage - 16;  // two entries, the second leads on
  entry(list, page(2));
  entry(list + 8, page(21));
  for (uint64_t i = 0; i < 20; ++i) entry(page(21) + 8 * i, page(30 + i));
  NvmeStatus status = kInternalError;
  EXPECT_EQ(walk({page(1), list, uint32_t(22 * kPage)}, &status), 22 * kPage);
  EXPECT_EQ(status, kSuccess);
  PrpWalker walker(host_, {page(1), list, uint32_t(22 * kPage)});
  walker.next();
  EXPECT_EQ(walker.next().addr, page(2));
  for (uint64_t i = 0; i < 20; ++i) EXPECT_EQ(walker.next().addr, page(30 + i));
}

TEST_F(FastHostDma, BadPrpsHaveTheirStatus) {
  NvmeStatus status = kSuccess;
  EXPECT_EQ(walk({page(1) + 2, 0, 4096}, &status), 0u);
  EXPECT_EQ(status, kInvalidPrpOffset);
  EXPECT_EQ(walk({page(1), page(2) + 4, 8192}, &status), kPage);
  EXPECT_EQ(status, kInvalidPrpOffset) << "a second page has no offset";
  EXPECT_EQ(walk({page(1), page(2) + 4, 12288}, &status), kPage);
  EXPECT_EQ(status, kInvalidPrpOffset) << "a list starts at a qword";
  entry(page(2), page(3));
  entry(page(2) + 8, page(4) + 8);
  EXPECT_EQ(walk({page(1), page(2), 12288}, &status), 2 * kPage);
  EXPECT_EQ(status, kInvalidPrpOffset) << "an entry has no offset";
  EXPECT_EQ(walk({page(1), page(1000), 12288}, &status), kPage);
  EXPECT_EQ(status, kDataTransferError) << "no list there";
}

TEST_F(FastHostDma, ReadsAcrossPiecesAndGivesZeroesAfterAnError) {
  HostReader reader(sim_, host_, MemoryTiming());
  std::vector<uint8_t> data(kPage, 0xEE);
  bool bad = true;
  reader.begin({page(3) + 0x10, page(7), uint32_t(kPage)});
  EXPECT_GE(reader.read(data.data(), uint32_t(kPage), &bad), MemoryTiming().host_read_ns);
  EXPECT_FALSE(bad);
  EXPECT_EQ(std::memcmp(data.data(), at(page(3) + 0x10), kPage - 0x10), 0);
  EXPECT_EQ(std::memcmp(data.data() + kPage - 0x10, at(page(7)), 0x10), 0);
  EXPECT_EQ(reader.end(), kSuccess);

  reader.begin({page(3), page(1000), uint32_t(2 * kPage)});
  reader.read(data.data(), uint32_t(kPage), &bad);
  EXPECT_FALSE(bad);
  reader.read(data.data(), uint32_t(kPage), &bad);
  EXPECT_TRUE(bad);
  EXPECT_EQ(data, std::vector<uint8_t>(kPage));
  EXPECT_EQ(reader.end(), kDataTransferError);
}

TEST_F(FastHostDma, WritesWhatItCanAndSaysWhatItCannot) {
  HostWriter writer(sim_, host_, MemoryTiming());
  const std::vector<uint8_t> data(2 * kPage, 0x5A);
  writer.begin({page(10) + 0x800, page(40), uint32_t(kPage)});
  writer.write(data.data(), uint32_t(kPage));
  EXPECT_EQ(writer.end(), kSuccess);
  EXPECT_EQ(*at(page(10) + 0x800), 0x5A);
  EXPECT_EQ(*at(page(40) + 0x7FF), 0x5A);
  EXPECT_NE(*at(page(40) + 0x800), 0x5A);
  writer.begin({page(11), page(1000), uint32_t(2 * kPage)});
  writer.write(data.data(), uint32_t(2 * kPage));
  EXPECT_EQ(writer.end(), kDataTransferError);
  EXPECT_EQ(*at(page(11)), 0x5A) << "what came before is there";
  writer.begin({page(12), page(13) + 4, uint32_t(2 * kPage)});
  writer.write(data.data(), uint32_t(2 * kPage));
  EXPECT_EQ(writer.end(), kInvalidPrpOffset);
}

}  // namespace
}  // namespace orm::fast
