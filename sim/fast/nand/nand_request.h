// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NAND_REQUEST_H
#define OPENREMAP_FAST_NAND_REQUEST_H

#include <array>
#include <cstdint>

#include "firmware_limits.h"
#include "nand_types.h"
#include "orm_formats.h"

namespace orm::fast {

/// As NandClient and NandRequestOp in hw/src/nand/NandScheduler.scala.
enum class NandClient : uint8_t { kHostWrite, kHostRead, kGc, kFirmware };
enum class NandRequestOp : uint8_t { kRead, kProbe, kProgram, kErase };
constexpr unsigned kNandClients = 4;

using RawOob = std::array<uint8_t, ORM_OOB_RECORD_BYTES>;

/// The slots of a page that is programmed as a whole: whose buffers hold their data, and their spares.
struct NandPage {
  uint32_t first = 0;   // its first slot
  uint32_t filled = 0;  // slots that somebody asked for; those behind them only complete the page
  uint32_t metas = 0;   // of them, a bit each: those with `meta`
  std::array<uint32_t, FW_MAX_SLOTS_PER_PAGE> bufs{};
  std::array<RawOob, FW_MAX_SLOTS_PER_PAGE> oobs{};
};

/// One operation, of a slot but for a program of a page of several. `buf` holds (program) or receives (read) the 4 KiB and
/// the spare after it; a probe delivers the spare with its NandDone only.
struct NandRequest {
  NandRequestOp op = NandRequestOp::kRead;
  NandClient client = NandClient::kHostRead;
  uint32_t slot = 0;  // erase: any slot of the die's block
  uint32_t buf = 0;
  const NandPage *page = nullptr;  // program of several slots; stays where it is until the NandDone
  bool meta = false;               // read, program: of a destaged chain
};

struct NandDone {
  NandRequestOp op;
  NandClient client;
  uint32_t slot;
  uint32_t buf;
  NandStatus status;
  const uint8_t *oob;              // read that ended with ok, probe with a good spare; valid during the call
  const NandPage *page = nullptr;  // as in the request, as the next
  bool meta = false;
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
