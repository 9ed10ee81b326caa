// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NAND_REQUEST_H
#define OPENREMAP_FAST_NAND_REQUEST_H

#include <array>
#include <cstdint>

#include "nand_types.h"
#include "orm_formats.h"

namespace orm::fast {

/// As NandClient and NandRequestOp in hw/src/NandScheduler.scala.
enum class NandClient : uint8_t { kHostWrite, kHostRead, kGc, kFirmware };
enum class NandRequestOp : uint8_t { kRead, kProbe, kProgram, kErase };
constexpr unsigned kNandClients = 4;

using RawOob = std::array<uint8_t, ORM_OOB_RECORD_BYTES>;

/// One slot operation. `buf` holds (program) or receives (read) the 4 KiB and the spare after it; a probe delivers the
/// spare with its NandDone only.
struct NandRequest {
  NandRequestOp op = NandRequestOp::kRead;
  NandClient client = NandClient::kHostRead;
  uint32_t slot = 0;  // erase: any slot of the die's block
  uint32_t buf = 0;
};

struct NandDone {
  NandRequestOp op;
  NandClient client;
  uint32_t slot;
  uint32_t buf;
  NandStatus status;
  const uint8_t *oob;  // read, probe that ended with ok; valid during the call
};

/// Who asked gets the answer. Called from inside the simulation; must not wait.
class NandListener {
 public:
  virtual void nand_done(const NandDone &done) = 0;

 protected:
  ~NandListener() = default;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NAND_REQUEST_H
