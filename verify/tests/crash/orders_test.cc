// SPDX-License-Identifier: Apache-2.0
//
// Streams of operations in all orders: their number, and that each operation has its effect on the model.
#include "crash/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "crash/crash_run.h"
#include "test_seed.h"

namespace orm::crash {
namespace {

using lockstep::Kind;

struct Whole {
  Order order;
  RunResult result;
  std::vector<uint64_t> did;
  std::vector<std::pair<uint64_t, uint64_t>> events;
};

Whole carried_out(const std::vector<Operation> &operations, uint64_t seed) {
  Whole whole;
  whole.order = make_order(operations, seed);
  Witness witness(whole.order);
  RunOptions options;
  options.device = whole.order.stream.device;
  options.after = [&](size_t command, uint64_t events, openremap_device *dev) { witness.after(command, events, dev); };
  whole.result = run(whole.order.stream.commands, options);
  whole.did = witness.did();
  whole.events = witness.events();
  return whole;
}

uint64_t count(const Order &order, const Order::Part &part, Kind kind) {
  const auto begin = order.stream.commands.begin();
  return uint64_t(std::count_if(begin + ptrdiff_t(part.begin), begin + ptrdiff_t(part.end),
                                [kind](const lockstep::Command &c) { return c.kind == kind; }));
}

TEST(OrdersTest, AreAllOrdersOfDifferentOperations) {
  const size_t counts[] = {1, 8, 56, 336, 1680};
  for (size_t n = 0; n < std::size(counts); ++n) {
    const std::vector<std::vector<Operation>> all = all_orders(n);
    EXPECT_EQ(all.size(), counts[n]);
    EXPECT_EQ(std::set<std::vector<Operation>>(all.begin(), all.end()).size(), counts[n]) << "some come twice";
    for (const std::vector<Operation> &order : all) {
      EXPECT_EQ(order.size(), n);
      EXPECT_EQ(std::set<Operation>(order.begin(), order.end()).size(), n);
    }
  }
}

TEST(OrdersTest, EachOperationByItselfDoesWhatItIsFor) {
  for (const std::vector<Operation> &operations : all_orders(1)) {
    const Whole whole = carried_out(operations, openremap::TestSeed());
    SCOPED_TRACE(whole.order.name);
    EXPECT_EQ(whole.result.wrong, "");
    const orm_remap_log &log = whole.result.log;
    const Order::Part &part = whole.order.parts.at(0);
    const uint64_t did = whole.did.at(0);
    EXPECT_EQ(whole.order.name, name(operations[0]));
    EXPECT_GT(part.begin, 0u) << "nothing was prepared";
    EXPECT_EQ(part.end, whole.order.stream.commands.size());
    EXPECT_EQ(whole.order.stream.commands.back().kind, Kind::kRest);
    EXPECT_LE(whole.events.at(0).first, whole.events.at(0).second) << "nothing to cut";
    EXPECT_EQ(whole.events.at(0).second, whole.result.events);
    // Nothing of what is looked for has happened while the device was prepared.
    EXPECT_EQ(log.gc_victims > 0, operations[0] == Operation::kCollection || log.chains_destaged > 0);
    EXPECT_EQ(log.chains_destaged > 0, operations[0] == Operation::kDestaging);
    switch (operations[0]) {
      case Operation::kWrite:
        EXPECT_EQ(did, 6u);
        break;
      case Operation::kVector:
        EXPECT_EQ(did, 4u);
        EXPECT_EQ(count(whole.order, part, Kind::kRemapVector), 1u);
        break;
      case Operation::kTrim:
        EXPECT_EQ(did, log.host_trim_pages);
        EXPECT_EQ(did, 6u);
        break;
      case Operation::kCopy:
        EXPECT_EQ(did, 6u);
        EXPECT_EQ(count(whole.order, part, Kind::kCopy), 1u);
        break;
      case Operation::kFlush:
        EXPECT_GT(did, 0u) << "nothing was volatile";
        EXPECT_EQ(count(whole.order, part, Kind::kFlush), 1u);
        break;
      case Operation::kCollection:
        EXPECT_EQ(did, log.gc_moved_pages);
        EXPECT_GT(log.gc_moved_shared, 0u);
        break;
      case Operation::kDestaging:
        EXPECT_EQ(did, log.chains_destaged);
        EXPECT_GT(log.entries_destaged, 200u) << "not the long chain";
        EXPECT_EQ(log.remap_refused_nvram, 0u);
        break;
      case Operation::kFormat:
        EXPECT_EQ(did, 20u);  // the window and what was remapped from it
        EXPECT_EQ(count(whole.order, part, Kind::kFormat), 1u);
        break;
    }
  }
}

TEST(OrdersTest, EachOperationOfEveryPairDoesSomething) {
  uint64_t seed = openremap::TestSeed();
  for (const std::vector<Operation> &operations : all_orders(2)) {
    const Whole whole = carried_out(operations, seed++);
    SCOPED_TRACE(whole.order.name + ", seed " + std::to_string(whole.order.stream.device.seed));
    EXPECT_EQ(whole.result.wrong, "");
    ASSERT_EQ(whole.did.size(), 2u);
    EXPECT_GT(whole.did[0], 0u);
    EXPECT_GT(whole.did[1], 0u);
    EXPECT_EQ(whole.order.parts[0].operation, operations[0]);
    EXPECT_EQ(whole.order.parts[1].operation, operations[1]);
    // After a format the device is prepared once more, and that is not cut.
    const bool again = operations[0] == Operation::kFormat;
    EXPECT_EQ(whole.order.parts[1].begin > whole.order.parts[0].end, again);
    EXPECT_EQ(whole.events[1].first > whole.events[0].second + 1, again);
  }
}

TEST(OrdersTest, AFormatLeavesWorkForACollectionAndADestaging) {
  const std::vector<Operation> operations = {Operation::kWrite, Operation::kFormat, Operation::kCollection,
                                             Operation::kDestaging};
  for (uint64_t seed = openremap::TestSeed(), end = seed + 8; seed < end; ++seed) {
    const Whole whole = carried_out(operations, seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(whole.result.wrong, "");
    EXPECT_EQ(std::count(whole.did.begin(), whole.did.end(), 0u), 0);
    EXPECT_EQ(whole.did.size(), operations.size());
  }
}

TEST(OrdersTest, AStreamIsMadeOfItsSeed) {
  const std::vector<Operation> operations = {Operation::kCollection, Operation::kVector, Operation::kFormat};
  std::set<std::string> texts;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Order order = make_order(operations, seed);
    EXPECT_EQ(order.name, "collection-vector-format");
    const std::string text = lockstep::to_text(order.stream);
    EXPECT_EQ(lockstep::to_text(make_order(operations, seed).stream), text);
    EXPECT_EQ(lockstep::to_text(lockstep::parse_stream(text, "order")), text) << "the reproducer is another stream";
    texts.insert(text.substr(text.find('\n')));  // without the seed's own line
  }
  EXPECT_GT(texts.size(), 4u);
}

}  // namespace
}  // namespace orm::crash
