// SPDX-License-Identifier: Apache-2.0
//
// What the modes from `fill` on may pay for keeping blocks: a price of space against writes that rises with the share
// of the allowance that has been spent, so that what is left of it goes where it saves most.
#ifndef OPENREMAP_LEVELDB_HOST_SPACE_BUDGET_H_
#define OPENREMAP_LEVELDB_HOST_SPACE_BUDGET_H_

#include <cstdint>

namespace openremap {

class SpaceBudget {
 public:
  // `percent` of the output is the allowance.
  explicit SpaceBudget(int percent) : share_(percent / 100.0) {}

  // Whether saving `saved` pages of writes is worth `space` pages more of output, when `output` pages are written so far.
  bool Worth(double saved, double space, double output) const;

  // That many pages of space were taken; less than none when a block is fuller than those that are written.
  void Spend(double space) { spent_ += space; }

  double spent() const { return spent_; }

 private:
  const double share_;
  double spent_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SPACE_BUDGET_H_
