// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NVME_COMMAND_H
#define OPENREMAP_FAST_NVME_COMMAND_H

#include <array>
#include <cstdint>

#include "nvme/nvme_status.h"

namespace orm::fast {

/// A submission queue entry as fetched, with the queue that it came from.
struct FetchedCommand {
  uint32_t qid = 0;
  std::array<uint32_t, 16> sqe{};
};

enum class IoOp : uint8_t { kRead, kWrite, kFlush, kDeallocate, kWriteZeroes };

/// A checked I/O command on its way to an engine.
struct IoCommand {
  uint32_t qid = 0;
  uint16_t cid = 0;
  IoOp op = IoOp::kRead;
  bool fua = false;
  uint32_t handle = 0;  // Write: placement handle, already checked
  uint32_t slba = 0;    // in range: slba + pages <= NSZE
  uint32_t pages = 0;   // logical blocks; for Deallocate the number of ranges; 0 for Flush
  uint64_t prp1 = 0;
  uint64_t prp2 = 0;
};

/// Reason why a doorbell write had no effect.
enum class DoorbellFault : uint8_t { kNone, kAbsent, kValue };

/// Content of a completion queue entry.
struct Completion {
  uint32_t qid = 0;  // submission queue of the command
  uint16_t cid = 0;
  NvmeStatus status = kSuccess;
  uint32_t dw0 = 0;
};

/// A submission or completion queue, as firmware (or the enabling of the controller) defines or deletes it.
struct SqConfig {
  uint32_t qid = 0;
  bool enable = false;
  uint64_t base = 0;  // 4 KiB aligned
  uint32_t entries = 0;
  uint32_t cqid = 0;
};
struct CqConfig {
  uint32_t qid = 0;
  bool enable = false;
  uint64_t base = 0;  // 4 KiB aligned
  uint32_t entries = 0;
  bool ien = false;
  uint32_t vector = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NVME_COMMAND_H
