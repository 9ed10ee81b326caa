// SPDX-License-Identifier: Apache-2.0
#include "nvme/command_router.h"

#include "io/range_fields.h"
#include "orm_formats.h"
#include "orm_nvme.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

// Fields (NVMe base spec, figure 105; NVM command set).
uint32_t opcode(const FetchedCommand &c) { return c.sqe[0] & 0xFF; }
uint64_t quad(const FetchedCommand &c, size_t low) { return c.sqe[low] | uint64_t(c.sqe[low + 1]) << 32; }
uint64_t slba(const FetchedCommand &c) { return quad(c, 10); }
uint32_t blocks(const FetchedCommand &c) { return (c.sqe[12] & 0xFFFF) + 1; }
uint32_t directive(const FetchedCommand &c) { return c.sqe[12] >> 20 & 0xF; }
uint32_t placement(const FetchedCommand &c) { return c.sqe[13] >> 16; }
bool deallocates(const FetchedCommand &c) { return (c.sqe[11] >> 2 & 1) != 0; }

}  // namespace

/// Checks in the order in which errors are reported.
NvmeStatus CommandRouter::check(const FetchedCommand &c) const {
  const uint32_t op = opcode(c);
  const bool is_read = op == NVME_IO_OPCODE_READ, is_write = op == NVME_IO_OPCODE_WRITE;
  const bool is_flush = op == NVME_IO_OPCODE_FLUSH, is_zero = op == NVME_IO_OPCODE_WRITE_ZEROES;
  const bool is_copy = op == NVME_IO_OPCODE_COPY;
  const bool vendor = op == ORM_VENDOR_OPCODES_REMAP || op == ORM_VENDOR_OPCODES_REMAP_VECTOR;
  const bool deallocate = op == NVME_IO_OPCODE_DATASET_MANAGEMENT && deallocates(c);
  const bool has_lba = is_read || is_write || is_zero || is_copy;
  const bool has_data = is_read || is_write || deallocate || is_copy;
  const bool changes = is_write || is_zero || deallocate || is_copy || vendor;
  const RangeFields fields(c);
  // A Copy's page count is in its list; here only the minimum of one page is known.
  const uint32_t pages = is_copy ? 1 : blocks(c);
  const uint32_t reserved = is_copy || vendor ? c.sqe[0] >> 10 & 0xF : 0;
  const uint64_t end = nsze_ + uint64_t(mutant(Mutant::kBeyondEnd));
  const uint32_t nsid = c.sqe[1], fuse = c.sqe[0] >> 8 & 3, psdt = c.sqe[0] >> 14 & 3;
  if (fuse != 0 || psdt != 0 || reserved != 0) return kInvalidField;
  if (nsid != 1 && !(is_flush && nsid == UINT32_MAX)) return kInvalidNamespace;
  if ((is_read || is_write) && blocks(c) > p_.k.mdts_pages) return kInvalidField;
  if (is_write && directive(c) != NVME_DIRECTIVE_NONE && directive(c) != NVME_DIRECTIVE_DATA_PLACEMENT)
    return kInvalidField;
  if ((is_copy && !fields.good_copy()) || (vendor && !fields.known())) return kInvalidField;
  if (!ready_) return formatting_ ? kFormatInProgress : kNamespaceNotReady;
  if (changes && protect_) return kWriteProtected;
  if (is_copy && fields.ranges() > p_.copy_ranges()) return kCopySizeLimit;
  if (has_lba && (slba(c) > UINT32_MAX || slba(c) + pages > end)) return kLbaOutOfRange;
  if (has_data && c.sqe[6] % 4 != 0) return kInvalidPrpOffset;
  return kSuccess;
}

bool CommandRouter::complete(const FetchedCommand &c, NvmeStatus status) {
  if (!post_.has_room(Lane::kRouter)) return false;
  post_.post(Lane::kRouter, {c.qid, uint16_t(c.sqe[0] >> 16), status, 0});
  return true;
}

bool CommandRouter::send(Fifo<IoCommand> &to, const IoCommand &command) {
  if (to.full()) return false;
  if (command.op == IoOp::kRead) counters_.add(ORM_COUNTER_HOST_READ_COMMANDS);
  if (command.op == IoOp::kWrite) counters_.add(ORM_COUNTER_HOST_WRITE_COMMANDS);
  to.push(command);
  return true;
}

bool CommandRouter::route_ranges(const FetchedCommand &c) {
  const NvmeStatus status = check(c);
  const bool vendor = opcode(c) != NVME_IO_OPCODE_COPY;
  if (status == kSuccess || vendor) {
    // Whatever is wrong with a vendor command, firmware says.
    Fifo<FetchedCommand> &to = status == kSuccess && !firmware_remaps_ ? waiting_.ranges : waiting_.firmware;
    if (to.full()) return false;
    to.push(c);
    return true;
  }
  if (!complete(c, status)) return false;
  if (ready_ && !protect_) counters_.add(ORM_COUNTER_COPY_REFUSED);
  return true;
}

bool CommandRouter::route(const FetchedCommand &c) {
  IoCommand io;
  Fifo<IoCommand> *to = nullptr;
  io.pages = blocks(c);
  switch (c.qid == 0 ? 0x100 : opcode(c)) {
    case NVME_IO_OPCODE_READ:
      to = &waiting_.read;
      io.op = IoOp::kRead;
      break;
    case NVME_IO_OPCODE_WRITE:
      to = &waiting_.write;
      io.op = IoOp::kWrite;
      if (directive(c) == NVME_DIRECTIVE_DATA_PLACEMENT &&
          placement(c) < handles_ + uint32_t(mutant(Mutant::kHandleBeyond)))
        io.handle = placement(c);
      break;
    case NVME_IO_OPCODE_FLUSH:
      to = &waiting_.write;
      io.op = IoOp::kFlush;
      io.pages = 0;
      break;
    case NVME_IO_OPCODE_DATASET_MANAGEMENT:
      to = &waiting_.trim;
      io.op = IoOp::kDeallocate;
      io.pages = (c.sqe[10] & 0xFF) + 1;  // ranges
      break;
    case NVME_IO_OPCODE_WRITE_ZEROES:
      to = &waiting_.trim;
      io.op = IoOp::kWriteZeroes;
      break;
    case NVME_IO_OPCODE_COPY:
    case ORM_VENDOR_OPCODES_REMAP:
    case ORM_VENDOR_OPCODES_REMAP_VECTOR:
      return route_ranges(c);
    default:
      if (waiting_.firmware.full()) return false;
      waiting_.firmware.push(c);
      return true;
  }
  const NvmeStatus status = check(c);
  if (status != kSuccess) return complete(c, status);
  // Attributes that are hints only, and have no effect here.
  if (io.op == IoOp::kDeallocate && !deallocates(c)) return complete(c, kSuccess);
  io.qid = c.qid;
  io.cid = uint16_t(c.sqe[0] >> 16);
  io.slba = uint32_t(slba(c));
  io.fua = (c.sqe[12] >> 30 & 1) != 0 && io.op == IoOp::kWrite;
  io.prp1 = quad(c, 6);
  io.prp2 = quad(c, 8);
  return send(*to, io);
}

}  // namespace orm::fast
