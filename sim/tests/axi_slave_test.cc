// SPDX-License-Identifier: Apache-2.0
//
// The AXI slaves against pins that the test moves by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <vector>

#include "axi_read_slave.h"
#include "axi_write_slave.h"
#include "seeded_random.h"

namespace orm {
namespace {

/// The wires of one bus.
struct Wires {
  bool ar_valid = false, ar_ready = false, r_valid = false, r_ready = false, r_last = false;
  AxiBurst ar, aw;
  uint8_t r_data[kBeatBytes] = {}, w_data[kBeatBytes] = {};
  unsigned r_resp = 0, b_resp = 0;
  bool aw_valid = false, aw_ready = false, w_valid = false, w_ready = false, w_last = false;
  uint32_t w_strobe = 0xFFFF;
  bool b_valid = false, b_ready = false;
};

class Pins {
 public:
  explicit Pins(Wires &wires) : w_(wires) {}
  bool ar_valid() const { return w_.ar_valid; }
  AxiBurst ar() const { return w_.ar; }
  void set_ar_ready(bool v) { w_.ar_ready = v; }
  bool r_ready() const { return w_.r_ready; }
  void drive_r(bool valid, const uint8_t *data, unsigned resp, bool last) {
    w_.r_valid = valid;
    std::memcpy(w_.r_data, data, kBeatBytes);
    w_.r_resp = resp;
    w_.r_last = last;
  }
  bool aw_valid() const { return w_.aw_valid; }
  AxiBurst aw() const { return w_.aw; }
  void set_aw_ready(bool v) { w_.aw_ready = v; }
  bool w_valid() const { return w_.w_valid; }
  void w(uint8_t *data, uint32_t *strobe, bool *last) const {
    std::memcpy(data, w_.w_data, kBeatBytes);
    *strobe = w_.w_strobe;
    *last = w_.w_last;
  }
  void set_w_ready(bool v) { w_.w_ready = v; }
  bool b_ready() const { return w_.b_ready; }
  void drive_b(bool valid, unsigned resp) {
    w_.b_valid = valid;
    w_.b_resp = resp;
  }

 private:
  Wires &w_;
};

struct Memory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(64 * 1024);
  unsigned writes = 0, answers = 0;
  uint64_t latency = 10;

  bool read(uint64_t addr, uint8_t *out, size_t len) {
    if (addr + len > bytes.size()) return false;
    std::memcpy(out, bytes.data() + addr, len);
    return true;
  }
  uint64_t read_cycles(size_t) const { return latency; }
  bool write(uint64_t addr, const uint8_t *data, const uint8_t *strobe, size_t len) {
    if (addr + len > bytes.size()) return false;
    for (size_t i = 0; i < len; ++i) {
      if (strobe == nullptr || strobe[i] != 0) bytes[addr + i] = data[i];
    }
    ++writes;
    return true;
  }
  void answered() { ++answers; }
  uint64_t write_cycles(size_t) const { return latency; }
};

/// A clock for both slaves; before each edge the test's master has settled its wires.
class AxiSlave : public ::testing::Test {
 protected:
  AxiSlave() : reader("bus", Pins(wires), memory), writer("bus", Pins(wires), memory) {
    for (size_t i = 0; i < memory.bytes.size(); ++i) memory.bytes[i] = uint8_t(i * 13 + i / 256);
    reader.reset();
    writer.reset();
  }
  void tick() {
    reader.sample(cycle);
    writer.sample(cycle);
    reader.drive();
    writer.drive();
    ++cycle;
  }
  static AxiBurst burst(uint64_t addr, uint32_t beats) { return {addr, beats, kBeatSizeLog2, kAxiIncr}; }

  Wires wires;
  Memory memory;
  AxiReadSlave<Pins, Memory> reader;
  AxiWriteSlave<Pins, Memory> writer;
  uint64_t cycle = 0;
};

TEST_F(AxiSlave, ReadsComeAfterTheLatencyOneBeatACycle) {
  wires.ar_valid = true;
  wires.ar = burst(256, 4);
  wires.r_ready = true;
  tick();
  wires.ar_valid = false;
  EXPECT_FALSE(reader.idle());
  while (!wires.r_valid) tick();
  EXPECT_EQ(cycle, 11u);
  for (uint32_t beat = 0; beat < 4; ++beat) {
    ASSERT_TRUE(wires.r_valid);
    EXPECT_EQ(std::memcmp(wires.r_data, memory.bytes.data() + 256 + beat * 16, 16), 0) << beat;
    EXPECT_EQ(wires.r_last, beat == 3);
    EXPECT_EQ(wires.r_resp, kAxiOkay);
    tick();
  }
  EXPECT_FALSE(wires.r_valid);
  EXPECT_TRUE(reader.idle());
}

TEST_F(AxiSlave, ReadBeatsWaitForReady) {
  wires.ar_valid = true;
  wires.ar = burst(0, 2);
  tick();
  wires.ar_valid = false;
  for (int i = 0; i < 50; ++i) tick();
  ASSERT_TRUE(wires.r_valid);
  EXPECT_FALSE(wires.r_last);
  wires.r_ready = true;
  tick();
  wires.r_ready = false;
  tick();
  EXPECT_TRUE(wires.r_valid);
  EXPECT_TRUE(wires.r_last);
}

TEST_F(AxiSlave, ReadsUnderWayAreBounded) {
  wires.ar_valid = true;
  unsigned accepted = 0;
  for (int i = 0; i < 40; ++i) {
    wires.ar = burst(16u * accepted, 1);
    accepted += wires.ar_ready;
    tick();
  }
  EXPECT_EQ(accepted, decltype(reader)::kOutstanding);
  EXPECT_FALSE(wires.ar_ready);
}

TEST_F(AxiSlave, ReadOutsideAnswersWithAnErrorOnEachBeat) {
  wires.ar_valid = true;
  wires.ar = burst(64 * 1024, 2);
  wires.r_ready = true;
  tick();
  wires.ar_valid = false;
  while (!wires.r_valid) tick();
  EXPECT_EQ(wires.r_resp, kAxiSlverr);
  tick();
  ASSERT_TRUE(wires.r_valid);
  EXPECT_EQ(wires.r_resp, kAxiSlverr);
  EXPECT_TRUE(wires.r_last);
}

TEST_F(AxiSlave, WritesGatherAndAnswer) {
  wires.aw_valid = true;
  wires.aw = burst(512, 2);
  tick();
  wires.aw_valid = false;
  ASSERT_TRUE(wires.w_ready);
  wires.w_valid = true;
  std::memset(wires.w_data, 0xAA, 16);
  tick();
  std::memset(wires.w_data, 0xBB, 16);
  wires.w_strobe = 0x8001;
  wires.w_last = true;
  EXPECT_EQ(memory.writes, 0u);
  tick();
  wires.w_valid = false;
  EXPECT_EQ(memory.writes, 1u);
  EXPECT_EQ(memory.bytes[512], 0xAA);
  EXPECT_EQ(memory.bytes[527], 0xAA);
  EXPECT_EQ(memory.bytes[528], 0xBB);
  EXPECT_NE(memory.bytes[529], 0xBB);
  EXPECT_EQ(memory.bytes[543], 0xBB);
  EXPECT_EQ(memory.answers, 0u);
  const uint64_t sent = cycle;
  while (!wires.b_valid) tick();
  EXPECT_EQ(cycle - sent, 10u);
  EXPECT_EQ(memory.answers, 1u);
  EXPECT_EQ(wires.b_resp, kAxiOkay);
  for (int i = 0; i < 5; ++i) tick();
  EXPECT_TRUE(wires.b_valid) << "waits for ready";
  EXPECT_FALSE(writer.idle());
  wires.b_ready = true;
  tick();
  EXPECT_FALSE(wires.b_valid);
  EXPECT_TRUE(writer.idle());
}

TEST_F(AxiSlave, WriteOutsideAnswersWithAnErrorAndIsNotCounted) {
  wires.aw_valid = true;
  wires.aw = burst(64 * 1024, 1);
  tick();
  wires.aw_valid = false;
  wires.w_valid = true;
  wires.w_last = true;
  tick();
  wires.w_valid = false;
  while (!wires.b_valid) tick();
  EXPECT_EQ(wires.b_resp, kAxiSlverr);
  EXPECT_EQ(memory.answers, 0u);
}

TEST_F(AxiSlave, BrokenBurstsAreViolations) {
  const std::vector<std::pair<AxiBurst, std::string>> bad = {{burst(4096 - 16, 2), "4 KiB"},
                                                             {burst(8, 1), "not aligned"},
                                                             {{0, 1, 3, kAxiIncr}, "width"},
                                                             {{0, 1, kBeatSizeLog2, 0}, "INCR"}};
  for (const auto &[b, text] : bad) {
    for (const bool read : {true, false}) {
      Wires w;
      AxiReadSlave<Pins, Memory> r("bus", Pins(w), memory);
      AxiWriteSlave<Pins, Memory> wr("bus", Pins(w), memory);
      (read ? w.ar_valid : w.aw_valid) = true;
      (read ? w.ar : w.aw) = b;
      try {
        r.sample(0);
        wr.sample(0);
        ADD_FAILURE() << text << " accepted";
      } catch (const PortViolation &e) {
        EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
      }
    }
  }
}

TEST_F(AxiSlave, ValidMustHold) {
  wires.w_valid = true;  // no address yet: not ready
  tick();
  wires.w_valid = false;
  EXPECT_THROW(tick(), PortViolation);
}

TEST_F(AxiSlave, PayloadMustHold) {
  wires.w_valid = true;
  tick();
  wires.w_data[3] ^= 1;
  EXPECT_THROW(tick(), PortViolation);
}

TEST_F(AxiSlave, AddressMustHoldWhileStalled) {
  wires.ar_valid = true;
  wires.ar = burst(0, 1);
  while (wires.ar_ready) tick();
  tick();
  wires.ar.addr += 16;
  EXPECT_THROW(tick(), PortViolation);
}

TEST_F(AxiSlave, LastMustAgreeWithTheLength) {
  wires.aw_valid = true;
  wires.aw = burst(0, 2);
  tick();
  wires.aw_valid = false;
  wires.w_valid = true;
  wires.w_last = true;
  EXPECT_THROW(tick(), PortViolation);
}

TEST_F(AxiSlave, RandomTrafficAgainstAMap) {
  constexpr uint64_t kSeed = 42;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  SeededRandom random(kSeed);
  std::vector<uint8_t> expected = memory.bytes;
  for (int round = 0; round < 300; ++round) {
    memory.latency = random.below(6);
    const uint32_t beats = uint32_t(1 + random.below(16));
    const uint64_t addr = random.below(16) * 4096 + random.below(256 - beats + 1) * 16;
    wires.aw = burst(addr, beats);
    wires.aw_valid = true;
    uint32_t sent = 0;
    bool prepared = false;
    for (bool done = false; !done;) {
      if (!prepared && sent < beats && random.below(3) != 0) {
        for (uint8_t &byte : wires.w_data) byte = uint8_t(random.next());
        wires.w_strobe = uint32_t(random.next() & 0xFFFF);
        wires.w_last = sent + 1 == beats;
        wires.w_valid = prepared = true;
      }
      wires.b_ready = random.coin();
      const bool aw = wires.aw_valid && wires.aw_ready, w = wires.w_valid && wires.w_ready;
      done = wires.b_valid && wires.b_ready;
      if (w) {
        for (size_t i = 0; i < 16; ++i) {
          if ((wires.w_strobe >> i & 1) != 0) expected[addr + sent * 16 + i] = wires.w_data[i];
        }
      }
      tick();
      if (aw) wires.aw_valid = false;
      if (w) {
        ++sent;
        wires.w_valid = prepared = false;
      }
    }
    ASSERT_EQ(memory.bytes, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace orm
