// SPDX-License-Identifier: Apache-2.0
//
// The space budget of modes fill, skip and blend for keeping blocks. The price of space, in saved writes, rises with
// the share of the budget that is spent, so that the rest goes to the blocks that save most.
#ifndef OPENREMAP_LEVELDB_HOST_SPACE_BUDGET_H_
#define OPENREMAP_LEVELDB_HOST_SPACE_BUDGET_H_

#include <cstdint>

namespace openremap {

class SpaceBudget {
 public:
  // The budget is `percent` of the output.
  explicit SpaceBudget(double percent) : share_(percent / 100.0) {}

  // Whether saving `saved` pages of writes is worth `space` more pages of output, with `output` pages written so far.
  bool Worth(double saved, double space, double output) const;

  // Charges `space` pages to the budget; negative if a kept block is fuller than written ones.
  void Spend(double space) { spent_ += space; }

  double spent() const { return spent_; }

 private:
  const double share_;
  double spent_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SPACE_BUDGET_H_
