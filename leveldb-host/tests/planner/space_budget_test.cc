// SPDX-License-Identifier: Apache-2.0
#include "planner/space_budget.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

TEST(SpaceBudgetTest, NothingSavedIsWorthNothing) {
  const SpaceBudget budget(100);
  EXPECT_FALSE(budget.Worth(0, -1, 1000));
  EXPECT_FALSE(budget.Worth(-0.5, 0, 1000));
}

TEST(SpaceBudgetTest, WhatTakesNoSpaceIsAlwaysWorthIt) {
  SpaceBudget budget(0);
  EXPECT_TRUE(budget.Worth(0.01, 0, 0));
  EXPECT_TRUE(budget.Worth(0.01, -0.5, 0));
  EXPECT_FALSE(budget.Worth(100, 0.01, 1000)) << "an allowance of nothing";
}

TEST(SpaceBudgetTest, ThePriceRisesAsTheAllowanceGoes) {
  SpaceBudget budget(10);
  const double output = 936;  // and the advance: 1000 pages, of which 100 may be spent
  EXPECT_TRUE(budget.Worth(0.25, 1, output));
  EXPECT_FALSE(budget.Worth(0.24, 1, output)) << "space is never free";
  budget.Spend(50);
  EXPECT_TRUE(budget.Worth(1.01, 1, output));
  EXPECT_FALSE(budget.Worth(0.99, 1, output));
  budget.Spend(40);
  EXPECT_TRUE(budget.Worth(9.1, 1, output));
  EXPECT_FALSE(budget.Worth(8.9, 1, output));
  EXPECT_FALSE(budget.Worth(1000, 10.1, output)) << "more than is left";
  EXPECT_TRUE(budget.Worth(9.1, 1, output * 2)) << "more output, more allowance";
  EXPECT_EQ(budget.spent(), 90);
}

TEST(SpaceBudgetTest, SpendingNeverPassesTheAllowance) {
  SpaceBudget budget(8);
  double output = 0;
  for (int i = 0; i < 10000; i++, output += 2) {
    if (budget.Worth(0.9, 0.6, output)) budget.Spend(0.6);
    EXPECT_LE(budget.spent(), 0.08 * (output + 64));
  }
  EXPECT_GT(budget.spent(), 0.04 * output) << "and comes near it";
}

}  // namespace
}  // namespace openremap
