// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NAND_REQUEST_H
#define OPENREMAP_FAST_NAND_REQUEST_H

#include <array>
#include <cstdint>

#include "firmware_limits.h"
#include "nand_types.h"
#include "orm_formats.h"

namespace orm::fast {

/// Clients and operations, as NandClient and NandRequestOp of hw/src/nand/NandScheduler.scala.
enum class NandClient : uint8_t { kHostWrite, kHostRead, kGc, kFirmware };
enum class NandRequestOp : uint8_t { kRead, kProbe, kProgram, kErase };
constexpr unsigned kNandClients = 4;

using RawOob = std::array<uint8_t, ORM_OOB_RECORD_BYTES>;

/// The slots of a page that is programmed as a whole, with their buffers and spare areas.
struct NandPage {
  uint32_t first = 0;   // first slot of the page
  uint32_t filled = 0;  // slots that a client requested; the others are padding
  uint32_t metas = 0;   // bit mask of the slots with `meta`
  std::array<uint32_t, FW_MAX_SLOTS_PER_PAGE> bufs{};
  std::array<RawOob, FW_MAX_SLOTS_PER_PAGE> oobs{};
};

/// One NAND operation, on a slot, or on a page for a program of several slots. `buf` holds (program) or receives (read)
/// 4 KiB of data and the spare area behind it. A probe returns the spare area in its NandDone only.
struct NandRequest {
  NandRequestOp op = NandRequestOp::kRead;
  NandClient client = NandClient::kHostRead;
  uint32_t slot = 0;  // erase: any slot of the die's block
  uint32_t buf = 0;
  const NandPage *page = nullptr;  // program of several slots; must stay valid until the NandDone
  bool meta = false;               // read, program: slot of a destaged chain
};

struct NandDone {
  NandRequestOp op;
  NandClient client;
  uint32_t slot;
  uint32_t buf;
  NandStatus status;
  const uint8_t *oob;              // spare area of a good read or probe; valid during the call
  const NandPage *page = nullptr;  // as in the request
  bool meta = false;
};

/// Receives the answers to a client's requests. It is called from within the simulation and must not wait.
class NandListener {
 public:
  virtual void nand_done(const NandDone &done) = 0;

 protected:
  ~NandListener() = default;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NAND_REQUEST_H
