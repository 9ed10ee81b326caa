// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_TYPES_H
#define OPENREMAP_NAND_TYPES_H

#include <cstddef>
#include <cstdint>

namespace orm {

/// Encodings of the NAND port, as `NandOp` and `NandStatus` of hw/src/nand/NandPort.scala (CTest sim.params.codes
/// compares the two).
enum class NandOp : uint8_t { kRead, kProbe, kTransfer, kProgram, kErase };
enum class NandStatus : uint8_t { kOk, kFailed, kUncorrectable, kErased };

/// Geometry of the flash behind all channels. A page is `slots_per_page` slots, each with a spare area. Sizes are in
/// bytes unless a name says otherwise.
struct NandGeometry {
  uint32_t channels;
  uint32_t dies_per_channel;
  uint32_t blocks_per_die;
  uint32_t pages_per_block;
  uint32_t slot_bytes;
  uint32_t spare_bytes;  // spare area of a slot
  uint32_t slots_per_page = 1;

  uint32_t dies() const { return channels * dies_per_channel; }
  size_t blocks() const { return size_t(dies()) * blocks_per_die; }
  size_t pages() const { return blocks() * pages_per_block; }
  size_t page_bytes() const { return size_t(slots_per_page) * slot_bytes; }
  size_t page_spare_bytes() const { return size_t(slots_per_page) * spare_bytes; }
};

/// Busy times of a die's array, in ns.
struct NandTiming {
  uint64_t read_ns = 40'000;
  uint64_t program_ns = 200'000;
  uint64_t erase_ns = 2'000'000;
};

struct NandAddress {
  uint32_t channel;
  uint32_t die;        // within the channel
  uint32_t block;      // within the die
  uint32_t page;       // within the block
  uint32_t sub = 0;    // read, probe: slot of the page
  uint32_t retry = 0;  // read, probe: read-retry level
};

/// Result of a read, probe, program or erase.
struct NandResult {
  uint32_t die;  // within the channel
  NandStatus status;
  bool weak = false;  // a read that is ok but marginal: near the ECC limit
};

/// Operations started since the model was made, by kind. Reads, probes and programs are of pages, transfers of slots.
struct NandCounters {
  uint64_t reads = 0;
  uint64_t probes = 0;
  uint64_t transfers = 0;
  uint64_t programs = 0;
  uint64_t erases = 0;
  // Failures. `uncorrectable`: sensed slots with more wrong bits than ECC corrects. `miscorrected`: those of them that
  // ECC took for good, and the CRC behind it did not.
  uint64_t failed_programs = 0;
  uint64_t failed_erases = 0;
  uint64_t disturbed_pages = 0;  // pages torn by a power cut in the program behind them
  uint64_t uncorrectable = 0;
  uint64_t miscorrected = 0;
  uint64_t corrected_bits = 0;  // bits of the worst codeword, summed over the sensed slots
  uint64_t retries = 0;         // reads and probes at a read-retry level past the first
  uint64_t weak = 0;            // marginal reads
};

}  // namespace orm
#endif  // OPENREMAP_NAND_TYPES_H
