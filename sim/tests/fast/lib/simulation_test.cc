// SPDX-License-Identifier: Apache-2.0
//
// Events, processes, signals, queues and locks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/program_tracker.h"
#include "lib/fifo.h"
#include "lib/process.h"
#include "map/lock.h"

namespace orm::fast {
namespace {

void run(Simulation &sim) {
  while (sim.next() != Simulation::kNever) sim.step();
}

struct Note {
  std::string *log;
  char letter;
  static void write(void *self) { *static_cast<Note *>(self)->log += static_cast<Note *>(self)->letter; }
};

TEST(FastSimulation, EventsComeInOrderOfTimeThenOfAsking) {
  Simulation sim(100);
  std::string log;
  Note a{&log, 'a'}, b{&log, 'b'}, c{&log, 'c'}, d{&log, 'd'};
  sim.at(300, Note::write, &c);
  sim.at(200, Note::write, &a);
  sim.at(200, Note::write, &b);
  sim.soon(Note::write, &d);
  EXPECT_EQ(sim.next(), 100u);
  run(sim);
  EXPECT_EQ(log, "dabc");
  EXPECT_EQ(sim.now(), 300u);
  EXPECT_EQ(sim.steps(), 4u);
}

Task<int> later(Simulation &sim, int value) {
  co_await Delay{sim, 50};
  co_return value;
}

Process sum(Simulation &sim, int *out) {
  *out = co_await later(sim, 1);
  *out += co_await later(sim, 2);
}

TEST(FastSimulation, ProcessesWaitForTheirParts) {
  Simulation sim(0);
  int total = 0;
  Process p = sum(sim, &total);
  p.start(sim);
  run(sim);
  EXPECT_EQ(total, 3);
  EXPECT_EQ(sim.now(), 100u);
}

Process fails(Simulation &sim) {
  co_await Delay{sim, 10};
  believe(false, "never");
}

TEST(FastSimulation, ErrorsLeaveThroughTheEvent) {
  Simulation sim(0);
  Process p = fails(sim);
  p.start(sim);
  sim.step();
  EXPECT_THROW(sim.step(), ModelStopped);
}

Process produce(Simulation &sim, Fifo<int> &fifo, int n) {
  for (int i = 0; i < n; ++i) {
    while (fifo.full()) co_await fifo.room.wait();
    fifo.push(i);
    co_await Delay{sim, 1};
  }
}

Process consume(Simulation &sim, Fifo<int> &fifo, std::vector<int> *out) {
  for (;;) {
    while (fifo.empty()) co_await fifo.filled.wait();
    out->push_back(fifo.pop());
    co_await Delay{sim, 7};
  }
}

TEST(FastFifo, KeepsOrderAndHoldsItsProducerBack) {
  Simulation sim(0);
  Fifo<int> fifo(sim, 2);
  std::vector<int> got;
  Process p = produce(sim, fifo, 20), c = consume(sim, fifo, &got);
  p.start(sim);
  c.start(sim);
  run(sim);
  ASSERT_EQ(got.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(got[size_t(i)], i);
  EXPECT_THROW(
      {
        fifo.push(1);
        fifo.push(2);
        fifo.push(3);
      },
      ModelStopped);
}

Process hold(Simulation &sim, LockArbiter &lock, unsigned client, std::string *log) {
  co_await lock.acquire(client);
  *log += char('0' + client);
  co_await Delay{sim, 10};
  lock.release(client);
}

TEST(FastLock, GoesRoundFromItsOwnerOn) {
  Simulation sim(0);
  LockArbiter lock(sim);
  std::string log;
  Process p1 = hold(sim, lock, 1, &log), p0 = hold(sim, lock, 0, &log), p2 = hold(sim, lock, 2, &log);
  p1.start(sim);
  p0.start(sim);
  p2.start(sim);
  run(sim);
  EXPECT_EQ(log, "120");
  EXPECT_FALSE(lock.contended());
  EXPECT_THROW(lock.release(0), ModelStopped);
}

Process fence(ProgramTracker &tracker, std::string *log, char letter) {
  co_await tracker.fence();
  *log += letter;
}

TEST(FastProgramTracker, AFenceWaitsForWhatWasIssuedBeforeItAndForNothingElse) {
  Simulation sim(0);
  ProgramTracker tracker(sim);
  std::string log;
  const bool before = tracker.issued();
  Process a = fence(tracker, &log, 'a');
  a.start(sim);
  run(sim);
  EXPECT_EQ(log, "");
  const bool after = tracker.issued();
  Process b = fence(tracker, &log, 'b');
  b.start(sim);
  run(sim);
  tracker.landed(before);
  run(sim);
  EXPECT_EQ(log, "a");
  tracker.landed(after);
  run(sim);
  EXPECT_EQ(log, "ab");
  EXPECT_THROW(tracker.landed(after), ModelStopped);
}

}  // namespace
}  // namespace orm::fast
