// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_FAULTS_H
#define OPENREMAP_NAND_FAULTS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace orm {

/// What goes wrong in flash by chance. Shares and means are those of a block that was never erased; they grow with its
/// erases: they have doubled after `wear`, trebled after twice as many. So do bit errors with the reads of a block.
struct NandFaultOptions {
  uint32_t factory_bad = 0;       // blocks that are marked bad when the flash is new
  double program_fail = 0;        // share of the programs that fail
  double program_fail_again = 0;  // of a block in which a program has failed, erased or not; the larger of both counts
  double erase_fail = 0;          // share of the erases that fail; a block that has failed fails again
  double bit_errors = 0;          // raw bit errors of a codeword, on average
  double wear = 3000;             // erases
  double read_disturb = 0;  // reads of a block since its erase after which its bit errors have doubled; 0: they do not
  double cut_disturb = 0;  // share of the programs cut by a power loss that tear the page before them as well; ages not
};

/// "factory-bad=4,program-fail=1e-4,program-fail-again=0.5,erase-fail=1e-4,bit-errors=5,wear=3000,read-disturb=1e5,
/// cut-disturb=0.5", any of them. Throws OptionError.
NandFaultOptions parse_nand_faults(const std::string &text);

/// The ECC of the NAND controller behind the port, as a model: a slot is `kDataCodewords` codewords of data and one of
/// spare bytes, each of which corrects up to `kCorrectable` bits, as BCH codes for 1 KiB of MLC flash do.
struct NandEcc {
  static constexpr uint32_t kDataCodewords = 4;
  static constexpr uint32_t kCorrectable = 40;
  /// Corrected bits from which on a slot is weak: it should be moved while it can still be read.
  static constexpr uint32_t kWeak = 30;
  /// Of the codewords with more errors than kCorrectable, one in this many is decoded into another codeword
  /// (miscorrected). With real codes it is far fewer, t! or so: rare cases are to be met.
  static constexpr uint32_t kMiscorrectedOneIn = 16;
};

/// How the ECC of one part of a slot, its data or its spare, ended.
enum class EccResult : uint8_t { kGood, kLost, kMiscorrected };

struct EccOutcome {
  EccResult data = EccResult::kGood;
  EccResult spare = EccResult::kGood;
  uint32_t corrected = 0;  // bits, of the data codeword that had the most
  bool weak() const { return corrected >= NandEcc::kWeak; }
};

/// How a slot is read: what its raw bit errors depend on. A read-retry level moves the thresholds that cells are
/// compared with after their drift; in this model each level halves the errors of the one before, and draws them anew.
struct NandSense {
  uint32_t erases = 0;  // of the block
  uint32_t reads = 0;   // of the block since
  uint32_t retry = 0;   // read-retry level
};

/// Decides which operations fail: those that a test has chosen, and by chance as the options say. Chance is a function
/// of the seed, the place and the number of erases of the block, never of the order of operations, so that two devices
/// with the same slots have the same errors.
class NandFaults {
 public:
  NandFaults(const NandFaultOptions &options, uint64_t seed) : options_(options), seed_(seed) {}

  // --- chosen. Slots, pages and blocks are numbered in the order of the model's image.
  /// Until the slot is erased; at read-retry level `cured_by` and behind it is good again.
  void spoil(size_t slot, EccResult data, EccResult spare, uint32_t cured_by = UINT32_MAX);
  void fail_program(uint64_t nth) { program_at_ = nth; }  // the nth that ends from now on
  void fail_erase(size_t block) { worn_.insert(block); }  // every one from now on
  void erased(size_t first_slot, size_t slots);

  // --- asked by the model, once for each operation
  bool program_fails(size_t block, size_t page, uint32_t erases);
  bool erase_fails(size_t block, uint32_t erases);
  /// Of a page that is torn.
  bool spare_stays(size_t page, uint32_t erases) const;
  /// Of a page whose program was cut: whether the page before it in its block is torn as well.
  bool cut_disturbs(size_t page, uint32_t erases) const;
  EccOutcome sense(size_t slot, const NandSense &how) const;
  /// Whether nothing ever goes wrong when a page is sensed.
  bool reads_well() const { return options_.bit_errors == 0 && spoilt_.empty(); }
  const NandFaultOptions &options() const { return options_; }

 private:
  struct Spoilt {
    EccResult data, spare;
    uint32_t cured_by;
  };
  double aged(double figure, uint32_t erases) const { return figure * (1 + erases / options_.wear); }
  /// A number in [0, 1) that belongs to what the arguments name.
  double chance(uint64_t what, uint64_t place, uint64_t age) const;
  uint32_t raw_errors(size_t slot, uint32_t codeword, const NandSense &how) const;

  NandFaultOptions options_;
  uint64_t seed_;
  std::map<size_t, Spoilt> spoilt_;
  std::set<size_t> worn_;     // blocks whose erases fail
  std::set<size_t> failing_;  // blocks in which a program has failed by chance
  uint64_t program_at_ = 0;   // programs until the chosen one; 0: none is
};

}  // namespace orm
#endif  // OPENREMAP_NAND_FAULTS_H
