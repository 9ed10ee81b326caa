// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_FAULTS_H
#define OPENREMAP_NAND_FAULTS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace orm {

/// Random faults of the flash. Shares and means are those of a block that was never erased. They grow linearly with its
/// erases: they have doubled after `wear` erases, and trebled after twice as many. Bit errors also grow with the reads
/// of a block (`read_disturb`).
struct NandFaultOptions {
  uint32_t factory_bad = 0;       // blocks that are marked bad in new flash
  double program_fail = 0;        // share of the programs that fail
  double program_fail_again = 0;  // the same in a block in which one has failed; the larger counts
  double erase_fail = 0;          // share of the erases that fail; such a block always fails again
  double bit_errors = 0;          // mean of raw bit errors of a codeword
  double wear = 3000;             // erases after which the figures have doubled
  double read_disturb = 0;        // reads since the erase that double its bit errors; 0: none
  double cut_disturb = 0;         // share of the cut programs that tear the previous page; no wear
};

/// Parses any of "factory-bad=4,program-fail=1e-4,program-fail-again=0.5,erase-fail=1e-4,bit-errors=5,wear=3000,
/// read-disturb=1e5,cut-disturb=0.5". Throws OptionError.
NandFaultOptions parse_nand_faults(const std::string &text);

/// Model of the ECC in the NAND controller behind the port. A slot is `kDataCodewords` codewords of data and one of
/// spare bytes. Each corrects up to `kCorrectable` bits, as BCH codes for 1 KiB of MLC flash do.
struct NandEcc {
  static constexpr uint32_t kDataCodewords = 4;
  static constexpr uint32_t kCorrectable = 40;
  /// From this number of corrected bits on a slot is marginal: it should be moved while it can be read.
  static constexpr uint32_t kWeak = 30;
  /// One in this number of codewords with more errors than ECC corrects is decoded into another codeword
  /// (miscorrected). With real codes it is far rarer, about one in t!; here rare cases should occur in tests.
  static constexpr uint32_t kMiscorrectedOneIn = 16;
};

/// Result of the ECC for one part of a slot, its data or its spare area.
enum class EccResult : uint8_t { kGood, kLost, kMiscorrected };

struct EccOutcome {
  EccResult data = EccResult::kGood;
  EccResult spare = EccResult::kGood;
  uint32_t corrected = 0;  // corrected bits of the worst data codeword
  bool weak() const { return corrected >= NandEcc::kWeak; }
};

/// What the raw bit errors of a read depend on. A read-retry level moves the thresholds that cells are compared with,
/// to follow their drift. In this model each level halves the errors of the previous one, and draws them anew.
struct NandSense {
  uint32_t erases = 0;  // erases of the block
  uint32_t reads = 0;   // reads of the block since its erase
  uint32_t retry = 0;   // read-retry level
};

/// Decides which operations fail: those that a test has chosen, and random ones as the options say. Chance is a
/// function of the seed, the place and the erases of the block, never of the order of operations. So two devices with
/// the same slots have the same errors.
class NandFaults {
 public:
  NandFaults(const NandFaultOptions &options, uint64_t seed) : options_(options), seed_(seed) {}

  // --- chosen. Slots, pages and blocks are numbered in the order of the model's image.
  /// Makes a slot unreadable until it is erased. From read-retry level `cured_by` on it is good.
  void spoil(size_t slot, EccResult data, EccResult spare, uint32_t cured_by = UINT32_MAX);
  void fail_program(uint64_t nth) { program_at_ = nth; }  // the nth program that ends from now on
  void fail_erase(size_t block) { worn_.insert(block); }  // every erase of it from now on
  void erased(size_t first_slot, size_t slots);

  // --- asked by the model, once for each operation
  bool program_fails(size_t block, size_t page, uint32_t erases);
  bool erase_fails(size_t block, uint32_t erases);
  /// ECC result of the spare area of a torn page.
  bool spare_stays(size_t page, uint32_t erases) const;
  /// Whether a cut program also tears the page before it in its block.
  bool cut_disturbs(size_t page, uint32_t erases) const;
  EccOutcome sense(size_t slot, const NandSense &how) const;
  /// Whether reads never have errors.
  bool reads_well() const { return options_.bit_errors == 0 && spoilt_.empty(); }
  const NandFaultOptions &options() const { return options_; }

 private:
  struct Spoilt {
    EccResult data, spare;
    uint32_t cured_by;
  };
  double aged(double figure, uint32_t erases) const { return figure * (1 + erases / options_.wear); }
  /// A number in [0, 1) that is a function of the arguments.
  double chance(uint64_t what, uint64_t place, uint64_t age) const;
  uint32_t raw_errors(size_t slot, uint32_t codeword, const NandSense &how) const;

  NandFaultOptions options_;
  uint64_t seed_;
  std::map<size_t, Spoilt> spoilt_;
  std::set<size_t> worn_;     // blocks whose erases fail
  std::set<size_t> failing_;  // blocks in which a program has failed by chance
  uint64_t program_at_ = 0;   // programs until the chosen one; 0: none is chosen
};

}  // namespace orm
#endif  // OPENREMAP_NAND_FAULTS_H
