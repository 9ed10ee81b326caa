// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NVRAM_PORT_H
#define OPENREMAP_FAST_NVRAM_PORT_H

#include <cstdint>
#include <deque>

#include "lib/process.h"
#include "memories.h"
#include "nvram_model.h"

namespace orm::fast {

/// The controller's NVRAM bus. Writes are answered in order, each after its latency. A write is durable when it is
/// answered.
class NvramPort {
 public:
  NvramPort(Simulation &sim, NvramModel &model, const MemoryTiming &timing)
      : answered(sim), sim_(sim), model_(model), timing_(timing) {}

  /// Writes at most a line. If `count` is given, `*count` is one higher until the write is answered.
  void write(uint32_t addr, const uint8_t *data, size_t len, uint32_t *count = nullptr);
  /// `co_await durable(...)` writes, and returns when the write is answered.
  struct Durable {
    NvramPort &port;
    uint32_t addr;
    const uint8_t *data;
    size_t len;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) const {
      port.write(addr, data, len);
      port.sim_.at(port.last_ns_, resume, h.address());
    }
    void await_resume() const {}
  };
  Durable durable(uint32_t addr, const uint8_t *data, size_t len) { return {*this, addr, data, len}; }

  void read(uint32_t addr, uint8_t *out, size_t len);
  uint64_t read_ns(size_t len) const;

  Signal answered;  // a write was answered

 private:
  static void answer(void *self);

  Simulation &sim_;
  NvramModel &model_;
  MemoryTiming timing_;
  uint64_t last_ns_ = 0;  // when the newest write is answered
  std::deque<uint32_t *> counts_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NVRAM_PORT_H
