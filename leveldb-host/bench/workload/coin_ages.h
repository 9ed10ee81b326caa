// SPDX-License-Identifier: Apache-2.0
//
// At which age a coin of Bitcoin is spent, in blocks. Of the outputs that had been spent by February 2021, 80 % lived
// for less than a day and another 15 % for up to a month (Liu, Zhang, Zhao, "Deciphering Bitcoin Blockchain Data by
// Cohort Analysis", Scientific Data 2022, figure 3). Between these ages, and beyond them up to ten years, the logarithm
// of the age is uniform here: the probability of being spent falls with a power of the age, nearly with its inverse.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_COIN_AGES_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_COIN_AGES_H_

#include <array>
#include <cstdint>

namespace openremap {

class CoinAges {
 public:
  static constexpr uint64_t kDay = 144;  // blocks: one in ten minutes
  static constexpr uint64_t kMonth = 30 * kDay;
  static constexpr uint64_t kMost = 3650 * kDay;

  // Shares of the coins that are spent within a day, and within a month.
  explicit CoinAges(double in_a_day = 0.80, double in_a_month = 0.95);

  // `u` uniform in [0, 1). From 1 on, as what is spent in its own block is never stored; below kMost.
  uint64_t Of(double u) const;

  // P(age <= x).
  double Share(uint64_t x) const;

  // The number of coins of an age below `age` that are unspent, if one is made in each block.
  double Unspent(double age) const;

 private:
  struct Part {
    double begin, end;     // ages
    double before, share;  // of the coins that are spent before `begin`, and in this part
  };

  static double PartShare(const Part &part, double x);

  std::array<Part, 3> parts_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_COIN_AGES_H_
