// SPDX-License-Identifier: Apache-2.0
//
// The bus rules of hw/checks, by themselves: they let pass what they must, and find each breach.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Vaxi_lite_rules.h"
#include "Vaxi_master_rules.h"
#include "rtl_print.h"
#include "verilated.h"

namespace orm {
namespace {

template <class Model>
class Rules {
 public:
  Rules() {
    (void)take_rtl_text();
    context_.fatalOnError(false);
    pins.reset = 1;
    clock();
    pins.reset = 0;
  }
  ~Rules() { pins.final(); }

  void clock() {
    pins.clock = 0;
    pins.eval();
    pins.clock = 1;
    pins.eval();
  }
  /// What the rules have said so far; empty: nothing.
  std::string said() const { return context_.gotError() ? take_rtl_text() + "." : ""; }

 private:
  VerilatedContext context_;

 public:
  Model pins{&context_};
};

using Master = Rules<Vaxi_master_rules>;
using Lite = Rules<Vaxi_lite_rules>;

/// What the rules must say of something that is not allowed.
template <class RulesOf>
struct Breach {
  const char *says;
  std::function<void(RulesOf &)> how;
};

template <class RulesOf>
void expect_found(const std::vector<Breach<RulesOf>> &breaches) {
  for (const Breach<RulesOf> &breach : breaches) {
    RulesOf rules;
    breach.how(rules);
    rules.clock();
    EXPECT_NE(rules.said().find(breach.says), std::string::npos) << breach.says;
  }
}

void address(Vaxi_master_rules &p, uint32_t addr, unsigned beats) {
  p.awvalid = 1;
  p.awready = 1;
  p.awaddr = addr;
  p.awlen = uint8_t(beats - 1);
  p.awsize = 4;
  p.awburst = 1;
}

void write_beats(Master &m, unsigned beats) {
  for (unsigned i = 0; i < beats; ++i) {
    m.pins.wvalid = 1;
    m.pins.wready = 1;
    m.pins.wlast = i + 1 == beats;
    m.clock();
    m.pins.awvalid = 0;
  }
  m.pins.wvalid = 0;
}

TEST(AxiMasterRules, LetsBurstsPass) {
  Master m;
  for (unsigned beats : {1u, 2u, 256u}) {
    address(m.pins, 0x3000, beats);
    m.clock();
    m.pins.awvalid = 0;
    write_beats(m, beats);
    m.pins.bvalid = m.pins.bready = 1;
    m.clock();
    m.pins.bvalid = 0;
  }
  // Data before its address, and answers to two at the end.
  write_beats(m, 3);
  write_beats(m, 2);
  address(m.pins, 0, 3);
  m.clock();
  address(m.pins, 0x4FE0, 2);
  m.clock();
  m.pins.awvalid = 0;
  m.pins.bvalid = 1;
  m.clock();
  m.clock();
  m.pins.bvalid = 0;
  m.pins.arvalid = m.pins.arready = 1;
  m.pins.arsize = 4;
  m.pins.arburst = 1;
  m.pins.arlen = 1;
  m.pins.araddr = 0xFE0;
  m.clock();
  m.pins.arvalid = 0;
  m.pins.rvalid = m.pins.rready = 1;
  m.clock();
  m.clock();
  EXPECT_EQ(m.said(), "");
}

TEST(AxiMasterRules, FindsBreaches) {
  expect_found<Master>({
      {"AW: address", [](Master &m) { address(m.pins, 0xFF0, 2); }},
      {"AW: address", [](Master &m) { address(m.pins, 8, 1); }},
      {"AW: address",
       [](Master &m) {
         address(m.pins, 0, 1);
         m.pins.awsize = 3;
       }},
      {"AW: address",
       [](Master &m) {
         address(m.pins, 0, 1);
         m.pins.awburst = 0;
       }},
      {"AW: fell",
       [](Master &m) {
         address(m.pins, 0, 1);
         m.pins.awready = 0;
         m.clock();
         m.pins.awaddr = 16;
       }},
      {"W: fell",
       [](Master &m) {
         m.pins.wvalid = 1;
         m.clock();
         m.pins.wvalid = 0;
       }},
      {"W: fell",
       [](Master &m) {
         m.pins.wvalid = 1;
         m.clock();
         m.pins.wstrb = 1;
       }},
      {"W: burst of 3 beats; its address says 2",
       [](Master &m) {
         address(m.pins, 0, 2);
         write_beats(m, 3);
       }},
      {"W: burst of more",
       [](Master &m) {
         for (int i = 0; i < 257; ++i) {
           m.pins.wvalid = m.pins.wready = 1;
           m.clock();
         }
       }},
      {"AR: fell",
       [](Master &m) {
         m.pins.arvalid = 1;
         m.pins.arsize = 4;
         m.pins.arburst = 1;
         m.clock();
         m.pins.arlen = 4;
       }},
      {"AR: address",
       [](Master &m) {
         m.pins.arvalid = m.pins.arready = 1;
         m.pins.arsize = 4;
         m.pins.arburst = 1;
         m.pins.araddr = 0x10;
         m.pins.arlen = 255;
       }},
      {"B: response without a write", [](Master &m) { m.pins.bvalid = m.pins.bready = 1; }},
      {"R: data without a read", [](Master &m) { m.pins.rvalid = m.pins.rready = 1; }},
  });
}

TEST(AxiMasterRules, ResetTakesBackWhatWasOffered) {
  Master m;
  m.pins.wvalid = m.pins.arvalid = 1;
  m.pins.arsize = 4;
  m.pins.arburst = 1;
  m.clock();
  m.pins.reset = 1;
  m.pins.wvalid = m.pins.arvalid = 0;
  m.clock();
  m.pins.reset = 0;
  m.pins.wvalid = 1;
  m.pins.wstrb = 3;
  m.clock();
  EXPECT_EQ(m.said(), "");
}

TEST(AxiMasterRules, FindsAPayloadThatChangesInTheCycleThatTakesIt) {
  Master m;
  m.pins.wvalid = 1;
  m.clock();
  m.pins.wready = 1;
  m.pins.wlast = 1;
  m.clock();
  EXPECT_NE(m.said().find("W: fell or changed"), std::string::npos);
}

TEST(AxiLiteRules, LetsAccessesPass) {
  Lite l;
  l.pins.arvalid = l.pins.arready = 1;
  l.clock();
  l.pins.arvalid = 0;
  l.pins.rvalid = 1;
  l.clock();
  l.pins.rready = 1;
  l.clock();
  l.pins.rvalid = 0;
  l.pins.wvalid = l.pins.wready = 1;
  l.clock();
  l.pins.wvalid = 0;
  l.pins.awvalid = l.pins.awready = 1;
  l.clock();
  l.pins.awvalid = 0;
  l.pins.bvalid = l.pins.bready = 1;
  l.clock();
  EXPECT_EQ(l.said(), "");
}

TEST(AxiLiteRules, FindsBreaches) {
  expect_found<Lite>({
      {"R: response without a read", [](Lite &l) { l.pins.rvalid = 1; }},
      {"B: response without a write",
       [](Lite &l) {
         l.pins.awvalid = l.pins.awready = 1;
         l.clock();
         l.pins.awvalid = 0;
         l.pins.bvalid = 1;
       }},
      {"R: fell",
       [](Lite &l) {
         l.pins.arvalid = l.pins.arready = 1;
         l.clock();
         l.pins.arvalid = 0;
         l.pins.rvalid = 1;
         l.clock();
         l.pins.rdata = 7;
       }},
      {"AR: fell",
       [](Lite &l) {
         l.pins.arvalid = 1;
         l.clock();
         l.pins.arvalid = 0;
       }},
      {"W: fell",
       [](Lite &l) {
         l.pins.wvalid = 1;
         l.clock();
         l.pins.wdata = 1;
       }},
      {"AW: fell",
       [](Lite &l) {
         l.pins.awvalid = 1;
         l.clock();
         l.pins.awaddr = 4;
       }},
  });
}

}  // namespace
}  // namespace orm
