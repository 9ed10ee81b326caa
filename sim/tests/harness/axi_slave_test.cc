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
#include "test_seed.h"

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
  unsigned refusal = kAxiSlverr;

  unsigned error() const { return refusal; }
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

TEST_F(AxiSlave, TheErrorIsTheMemorys) {
  memory.refusal = kAxiDecerr;
  wires.ar_valid = true;
  wires.ar = burst(64 * 1024, 1);
  wires.r_ready = true;
  tick();
  wires.ar_valid = false;
  while (!wires.r_valid) tick();
  EXPECT_EQ(wires.r_resp, kAxiDecerr);
  wires.aw_valid = true;
  wires.aw = burst(64 * 1024, 1);
  tick();
  wires.aw_valid = false;
  wires.w_valid = true;
  wires.w_last = true;
  tick();
  wires.w_valid = false;
  while (!wires.b_valid) tick();
  EXPECT_EQ(wires.b_resp, kAxiDecerr);
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

/// Bursts written and read back at once over a bus that stalls, by a master that is always ready. Counts what it met.
class StalledBus {
 public:
  explicit StalledBus(uint64_t seed)
      : random_(seed),
        reader_("bus", Pins(wires_), memory_, BusStalls(seed, 0)),
        writer_("bus", Pins(wires_), memory_, BusStalls(seed, 1)),
        expected_(memory_.bytes) {
    reader_.reset();
    writer_.reset();
    wires_.r_ready = wires_.b_ready = true;
  }

  /// One burst, then the same bytes read.
  void round() {
    const uint32_t beats = uint32_t(1 + random_.below(16));
    const uint64_t addr = random_.below(16) * 4096 + random_.below(256 - beats + 1) * kBeatBytes;
    const uint64_t answers = answers_;
    wires_.aw = {addr, beats, kBeatSizeLog2, kAxiIncr};
    wires_.aw_valid = true;
    uint32_t sent = 0;
    prepare(sent, beats, addr);
    while (answers_ == answers) {
      const bool aw = wires_.aw_valid && wires_.aw_ready, w = wires_.w_valid && wires_.w_ready;
      early += w && !aw && wires_.aw_valid && sent + 1 == beats;
      aw_stalls += wires_.aw_valid && !wires_.aw_ready;
      w_stalls += wires_.w_valid && !wires_.w_ready && !wires_.aw_valid;
      tick();
      if (aw) wires_.aw_valid = false;
      if (w) prepare(++sent, beats, addr);
    }
    ASSERT_EQ(memory_.bytes, expected_) << "at " << addr;
    read(addr, beats);
    EXPECT_TRUE(writer_.idle());
    EXPECT_TRUE(reader_.idle());
  }

  unsigned early = 0;  // bursts whose data was taken before their address
  unsigned ar_stalls = 0, aw_stalls = 0, w_stalls = 0, r_gaps = 0;
  uint64_t cycle = 0;

 private:
  void tick() {
    reader_.sample(cycle);
    writer_.sample(cycle);
    answers_ += wires_.b_valid;
    reader_.drive();
    writer_.drive();
    ++cycle;
  }

  void prepare(uint32_t beat, uint32_t beats, uint64_t addr) {
    wires_.w_valid = beat < beats;
    if (!wires_.w_valid) return;
    for (uint8_t &byte : wires_.w_data) byte = uint8_t(random_.next());
    wires_.w_last = beat + 1 == beats;
    std::memcpy(expected_.data() + addr + beat * kBeatBytes, wires_.w_data, kBeatBytes);
  }

  void read(uint64_t addr, uint32_t beats) {
    wires_.ar = {addr, beats, kBeatSizeLog2, kAxiIncr};
    wires_.ar_valid = true;
    for (uint32_t beat = 0; beat < beats;) {
      const bool ar = wires_.ar_valid && wires_.ar_ready;
      ar_stalls += wires_.ar_valid && !wires_.ar_ready;
      r_gaps += beat != 0 && !wires_.r_valid;
      if (wires_.r_valid) {
        ASSERT_EQ(std::memcmp(wires_.r_data, expected_.data() + addr + beat * kBeatBytes, kBeatBytes), 0) << beat;
        ASSERT_EQ(wires_.r_last, beat + 1 == beats);
        ++beat;
      }
      tick();
      if (ar) wires_.ar_valid = false;
    }
  }

  SeededRandom random_;
  Wires wires_;
  Memory memory_;
  AxiReadSlave<Pins, Memory> reader_;
  AxiWriteSlave<Pins, Memory> writer_;
  std::vector<uint8_t> expected_;
  uint64_t answers_ = 0;
};

TEST(StalledAxiSlave, KeepsEveryBeatAndStallsEveryChannel) {
  const uint64_t seed = openremap::TestSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  StalledBus bus(seed);
  for (int i = 0; i < 500 && !::testing::Test::HasFatalFailure(); ++i) bus.round();
  EXPECT_GT(bus.early, 10u);
  EXPECT_GT(bus.ar_stalls, 50u);
  EXPECT_GT(bus.aw_stalls, 50u);
  EXPECT_GT(bus.w_stalls, 50u);
  EXPECT_GT(bus.r_gaps, 50u);
  StalledBus again(seed);
  for (int i = 0; i < 500 && !::testing::Test::HasFatalFailure(); ++i) again.round();
  EXPECT_EQ(again.cycle, bus.cycle) << "the same seed, the same stalls";
}

TEST(StalledAxiSlave, DataBeforeItsAddressHasTheLengthOfThatAddress) {
  const uint64_t seed = openremap::TestSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Wires w;
  Memory memory;
  AxiWriteSlave<Pins, Memory> writer("bus", Pins(w), memory, BusStalls(seed, 1));
  writer.reset();
  w.w_valid = w.w_last = true;
  uint64_t cycle = 0;
  for (bool taken = false; !taken; ++cycle) {
    taken = w.w_ready;
    writer.sample(cycle);
    writer.drive();
  }
  EXPECT_FALSE(writer.idle());
  w.w_valid = false;
  w.aw = {0, 2, kBeatSizeLog2, kAxiIncr};
  w.aw_valid = true;
  const auto until_taken = [&] {
    for (int i = 0; i < 10'000; ++i, ++cycle) {
      writer.sample(cycle);
      writer.drive();
    }
  };
  EXPECT_THROW(until_taken(), PortViolation);
}

}  // namespace
}  // namespace orm
