// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TESTS_RANDOM_STREAM_H
#define OPENREMAP_TESTS_RANDOM_STREAM_H

#include <cstdint>

#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_stream.h"
#include "test_seed.h"

namespace orm::lockstep {

/// Commands of the usual mix on 400 pages, drawn with the test's seed.
inline Stream random_stream(uint64_t commands) {
  Stream stream;
  stream.device.seed = openremap::TestSeed();
  Generator generator(stream.device.seed, 400);
  for (uint64_t i = 0; i < commands; ++i) stream.commands.push_back(generator.next());
  return stream;
}

/// Options that compare two fast models of the stream's device.
inline PairOptions two_models(const Stream &stream) {
  PairOptions o;
  o.device = stream.device;
  o.first = o.second = "model";
  return o;
}

}  // namespace orm::lockstep
#endif  // OPENREMAP_TESTS_RANDOM_STREAM_H
