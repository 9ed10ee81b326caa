// SPDX-License-Identifier: Apache-2.0
#include "cpu_costs.h"

#include <gtest/gtest.h>

#include <string>

#include "sim_error.h"

namespace orm {
namespace {

TEST(CpuCostsTest, EachCpuTakesTimeForAPollAndNoneTakesNone) {
  EXPECT_EQ(cpu_costs(""), nullptr);
  EXPECT_EQ(cpu_costs("none"), nullptr);
  for (const char *name : {"vexriscv", "cortex-a9"}) {
    const CpuCosts *costs = cpu_costs(name);
    ASSERT_NE(costs, nullptr) << name;
    EXPECT_GT((*costs)[FW_WORK_POLL], 0u) << name;
    EXPECT_GT((*costs)[FW_WORK_START], (*costs)[FW_WORK_POLL]) << name;
  }
  EXPECT_GT((*cpu_costs("vexriscv"))[FW_WORK_POLL], (*cpu_costs("cortex-a9"))[FW_WORK_POLL]);
}

TEST(CpuCostsTest, AnotherNameIsRefusedWithThoseThatThereAre) {
  try {
    (void)cpu_costs("z80");
    FAIL() << "taken";
  } catch (const OptionError &e) {
    const std::string text = e.what();
    for (const char *word : {"z80", "none", "vexriscv", "cortex-a9"})
      EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace orm
