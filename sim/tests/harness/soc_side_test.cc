// SPDX-License-Identifier: Apache-2.0
// SocSide at a top that is a mere record of pins: the ROM's load, the UART, waiting, the debugger's bus, stalls.
#include "soc_side.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dram_model.h"
#include "harness/standin.h"
#include "nand_model.h"
#include "nvram_model.h"
#include "sim_error.h"

namespace orm {
namespace {

#define ORM_AXI_PORT(p)                                                                           \
  uint64_t p##_araddr = 0, p##_awaddr = 0;                                                        \
  uint32_t p##_rdata[4] = {}, p##_wdata[4] = {};                                                  \
  uint16_t p##_wstrb = 0;                                                                         \
  uint8_t p##_arvalid = 0, p##_arlen = 0, p##_arsize = 4, p##_arburst = 1, p##_arready = 0;       \
  uint8_t p##_awvalid = 0, p##_awlen = 0, p##_awsize = 4, p##_awburst = 1, p##_awready = 0;       \
  uint8_t p##_rready = 0, p##_rvalid = 0, p##_rresp = 0, p##_rlast = 0, p##_rid = 0, p##_bid = 0; \
  uint8_t p##_wvalid = 0, p##_wlast = 0, p##_wready = 0, p##_bready = 0, p##_bvalid = 0, p##_bresp = 0;

/// The SoC's ports that SocSide uses, as Verilator names them.
struct Pins {
  ORM_AXI_PORT(m_axi_cpu_dram)
  ORM_AXI_PORT(m_axi_cpu_nvram)
  uint8_t load_we = 9, uart_source_valid = 0, uart_source_data = 0, uart_source_ready = 0, uart_sink_valid = 9,
          uart_sink_data = 9, debug_cyc = 9, debug_stb = 9, debug_we = 9, debug_ack = 0, debug_err = 0, cpu_waiting = 0,
          cpu_idle = 0, fw_state = 0, trial_poll = 9, trial_log = 9;
  uint16_t load_adr = 9, temperature = 9;
  uint32_t load_data = 9, debug_adr = 9, debug_dat_w = 9, debug_dat_r = 0, cpu_left = 0;
};
#undef ORM_AXI_PORT

/// What moves the pins in place of a model: `turn` runs at each clock edge.
struct Core {
  std::function<void(uint64_t edges)> turn;
  uint64_t edges = 0;
  void settle() {}
  void edge() {
    ++edges;
    if (turn) turn(edges);
  }
};

struct Bench {
  explicit Bench(CoreOptions options = {}, bool cpu = true) {
    if (cpu) {
      link.rom = {11, 22, 33};
      link.board = {44, 55};
      options.cpu = &link;
    }
    side.emplace_back(std::make_unique<SocSide<Pins, Core>>(pins, options, board, core));
  }
  SocSide<Pins, Core> &operator*() { return *side.front(); }
  SocSide<Pins, Core> *operator->() { return side.front().get(); }

  FakeHost host;
  DramModel dram{4096};
  NvramModel nvram{4096, "", 1};
  NandModel nand{{1, 1, 2, 2, 4096, 32, 1}, {}, std::string(), 1};
  MemoryTiming timing;
  HostMemory host_memory{host.host, timing, kPeriodNs};
  DramMemory dram_memory{dram, timing, kPeriodNs};
  NvramMemory nvram_memory{nvram, timing, kPeriodNs}, cpu_nvram_memory{nvram, timing, kPeriodNs, 1};
  Board board{host_memory, dram_memory, nvram_memory, nand, cpu_nvram_memory, dram_memory, dram_memory};
  CpuLink link;
  Pins pins;
  Core core;
  std::vector<std::unique_ptr<SocSide<Pins, Core>>> side;
};

TEST(SocSide, LoadsTheImageAndTheBoardsRecord) {
  Bench b;
  const uint32_t record = (ORM_SOC_BOARD_BASE - ORM_SOC_ROM_BASE) / 4;
  const std::vector<std::pair<uint32_t, uint32_t>> expected{{0, 11}, {1, 22}, {2, 33}, {record, 44}, {record + 1, 55}};
  ASSERT_EQ(b->load_cycles(), expected.size() + 1);
  for (unsigned i = 0; i < expected.size(); ++i) {
    b->load(i);
    EXPECT_EQ(b.pins.load_we, 1);
    EXPECT_EQ(b.pins.load_adr, expected[i].first) << i;
    EXPECT_EQ(b.pins.load_data, expected[i].second) << i;
  }
  b->load(unsigned(expected.size()));
  EXPECT_EQ(b.pins.load_we, 0) << "the last cycle ends the load";
}

TEST(SocSide, WithoutAnImageTheCpuJumpsToItself) {
  Bench b({}, false);
  ASSERT_EQ(b->load_cycles(), 2u);
  b->load(0);
  EXPECT_EQ(b.pins.load_we, 1);
  EXPECT_EQ(b.pins.load_adr, 0);
  EXPECT_EQ(b.pins.load_data, 0x0000006Fu) << "jal x0, 0";
  b->load(1);
  EXPECT_EQ(b.pins.load_we, 0);
}

TEST(SocSide, PassesOnTheUartAndTheState) {
  Bench b;
  std::string text;
  b.link.console = [&](char c) { text += c; };
  EXPECT_EQ(b.link.state, uint32_t(ORM_SOC_STATE_NONE));
  EXPECT_EQ(b.pins.uart_source_ready, 1) << "no character waits";
  b.pins.fw_state = ORM_SOC_STATE_RUNNING;
  for (const char c : std::string("a\nb")) {
    b.pins.uart_source_valid = 1;
    b.pins.uart_source_data = uint8_t(c);
    b->sample(0);
    b.pins.uart_source_valid = 0;
    b->sample(0);
  }
  EXPECT_EQ(text, "a\nb");
  EXPECT_EQ(b.link.state, uint32_t(ORM_SOC_STATE_RUNNING));
}

TEST(SocSide, IsStillOnlyWhileTheCpuWaitsAndKnowsAll) {
  Bench b;
  b.link.kelvin = 300;
  b->drive();
  EXPECT_EQ(b.pins.temperature, 300);
  EXPECT_EQ(b.pins.trial_poll, 0);
  EXPECT_EQ(b.pins.trial_log, 0);
  EXPECT_FALSE(b->still()) << "it runs";
  b.pins.cpu_waiting = 1;
  EXPECT_TRUE(b->still());
  EXPECT_FALSE(b->idle()) << "it waits for a deadline";
  b.pins.cpu_left = 70;
  EXPECT_EQ(b->next_cycle(1000), 1070u);
  b.pins.cpu_idle = 1;
  EXPECT_TRUE(b->idle());
  EXPECT_FALSE(b->interrupt());
  b.pins.uart_source_valid = 1;
  EXPECT_FALSE(b->still()) << "a character is on its way";
  b.pins.uart_source_valid = 0;
  b.link.kelvin = 310;
  EXPECT_FALSE(b->still()) << "the sensor shows something new, for which the CPU waits, too";
  b->drive();
  EXPECT_TRUE(b->still());
}

TEST(SocSide, LooksAtRegistersWhileTheFirmwareWaits) {
  Bench b;
  b.core.turn = [&](uint64_t edges) {
    EXPECT_EQ(b.pins.debug_cyc, edges > 7) << "only while the CPU waits";
    if (edges == 7) b.pins.cpu_waiting = 1;
    if (edges == 12) b.pins.debug_ack = 1;  // seen at the next edge
    if (edges == 13) b.pins.debug_ack = 0;
    b.pins.debug_dat_r = uint32_t(100 + edges);
  };
  uint32_t value = 0;
  EXPECT_TRUE(b->read(0x24, &value));
  EXPECT_EQ(value, 112u) << "with the answer";
  EXPECT_EQ(b.core.edges, 13u);
  EXPECT_EQ(b.pins.debug_adr, (ORM_SOC_FW_BASE + 0x24) / 4);
  EXPECT_EQ(b.pins.debug_we, 0);
  EXPECT_EQ(b.pins.debug_cyc, 0) << "the bus is free again";
  EXPECT_EQ(b.pins.debug_stb, 0);

  b.core.turn = nullptr;
  b.pins.debug_ack = 1;
  EXPECT_TRUE(b->write(0x28, 77));
  EXPECT_EQ(b.pins.debug_we, 1);
  EXPECT_EQ(b.pins.debug_dat_w, 77u);
  b.pins.debug_ack = 0;
  b.pins.debug_err = 1;
  EXPECT_FALSE(b->read(0x2C, &value)) << "there is no such register";
}

TEST(SocSide, SaysThatTheFirmwareNeverWaits) {
  Bench b;
  uint32_t value = 0;
  b.pins.debug_ack = 1;
  try {
    (void)b->read(0x24, &value);
    FAIL() << "between two accesses of the firmware";
  } catch (const RtlStopped &e) {
    EXPECT_NE(std::string(e.what()).find("does not come to wait"), std::string::npos) << e.what();
  }
  EXPECT_EQ(b.pins.debug_cyc, 0);
  // A firmware that has stopped makes no accesses any more.
  b.pins.fw_state = ORM_SOC_STATE_FAILED;
  EXPECT_TRUE(b->read(0x24, &value));
}

TEST(SocSide, SaysThatARegisterDoesNotAnswer) {
  Bench b;
  b.pins.cpu_waiting = 1;
  uint32_t value = 0;
  EXPECT_THROW((void)b->read(0x24, &value), RtlStopped);
}

/// When each of the four channels' ready signals of a run of 3000 cycles is low, as text. `skip`: cycles that are left
/// out before the last 1000.
std::string held(uint64_t seed, bool stalls, uint64_t skip = 0) {
  CoreOptions options;
  options.seed = seed;
  options.bus_stalls = stalls;
  Bench b(options);
  b->each_port([](auto &port) { port.reset(); });
  std::string text;
  for (uint64_t cycle = 0; cycle < 3000; ++cycle) {
    if (cycle >= 2000 - skip && cycle < 2000) continue;
    b->each_port([cycle](auto &port) { port.sample(cycle); });
    b->each_port([](auto &port) { port.drive(); });
    for (const uint8_t ready : {b.pins.m_axi_cpu_dram_arready, b.pins.m_axi_cpu_dram_awready,
                                b.pins.m_axi_cpu_nvram_arready, b.pins.m_axi_cpu_nvram_awready}) {
      text += char('0' + ready);
    }
  }
  return text;
}

TEST(SocSide, PortsStallByTheSeed) {
  EXPECT_EQ(held(1, false), std::string(4 * 3000, '1'));
  const std::string one = held(1, true);
  EXPECT_EQ(one, held(1, true));
  EXPECT_NE(one, held(2, true));
  std::string ports[4];
  for (size_t i = 0; i < one.size(); ++i) ports[i % 4] += one[i];
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NE(ports[i].find('0'), std::string::npos) << "port " << i << " never holds back";
    EXPECT_NE(ports[i].find('1'), std::string::npos) << "port " << i << " always holds back";
    for (size_t j = 0; j < i; ++j) EXPECT_NE(ports[i], ports[j]) << "ports " << i << " and " << j << " move together";
  }
  // Cycles that are left out change nothing behind them.
  EXPECT_EQ(one.substr(4 * 2000), held(1, true, 500).substr(4 * 1500));
}

}  // namespace
}  // namespace orm
