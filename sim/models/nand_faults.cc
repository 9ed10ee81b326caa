// SPDX-License-Identifier: Apache-2.0
#include "nand_faults.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "seeded_random.h"
#include "sim_error.h"

namespace orm {
namespace {

enum What : uint64_t { kProgram = 1, kErase, kBits, kMisses, kTornSpare, kCutDisturbs };

constexpr uint32_t kMostErrors = 400;  // larger means exceed the range of Poisson's terms; such codewords are lost

/// Identifies a codeword read at a level; there are fewer than 2^36 codewords.
uint64_t codeword_of(size_t slot, uint32_t codeword, uint32_t retry) {
  return (slot * (NandEcc::kDataCodewords + 1) + codeword) | uint64_t(retry) << 36;
}

double number(const std::string &name, const std::string &text) {
  size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception &) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !(value >= 0) || !std::isfinite(value)) {
    throw OptionError("NAND faults: " + name + ": '" + text + "' is not a number from 0 on");
  }
  return value;
}

bool is_share(const std::string &name) {
  return name == "program-fail" || name == "program-fail-again" || name == "erase-fail" || name == "cut-disturb";
}

}  // namespace

NandFaultOptions parse_nand_faults(const std::string &text) {
  NandFaultOptions o;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const double value = number(name, equals == std::string::npos ? "" : part.substr(equals + 1));
    if (value > 1 && is_share(name)) throw OptionError("NAND faults: " + name + ": a share is not more than 1");
    if (name == "factory-bad") {
      if (value > 1e6) throw OptionError("NAND faults: factory-bad: too many");
      o.factory_bad = uint32_t(value);
    } else if (name == "program-fail") {
      o.program_fail = value;
    } else if (name == "program-fail-again") {
      o.program_fail_again = value;
    } else if (name == "erase-fail") {
      o.erase_fail = value;
    } else if (name == "bit-errors") {
      if (value > 400) throw OptionError("NAND faults: bit-errors: more than 400 in a codeword");
      o.bit_errors = value;
    } else if (name == "wear" && value > 0) {
      o.wear = value;
    } else if (name == "read-disturb") {
      o.read_disturb = value;
    } else if (name == "cut-disturb") {
      o.cut_disturb = value;
    } else {
      throw OptionError("NAND faults: '" + part +
                        "' is not one of: factory-bad, program-fail, program-fail-again, erase-fail, bit-errors, wear, "
                        "read-disturb, cut-disturb");
    }
  }
  return o;
}

void NandFaults::spoil(size_t slot, EccResult data, EccResult spare, uint32_t cured_by) {
  spoilt_[slot] = {data, spare, cured_by};
}

void NandFaults::erased(size_t first_slot, size_t slots) {
  spoilt_.erase(spoilt_.lower_bound(first_slot), spoilt_.lower_bound(first_slot + slots));
}

double NandFaults::chance(uint64_t what, uint64_t place, uint64_t age) const {
  // The seed is hashed first. Otherwise neighbouring seeds would give neighbouring places the same chances.
  SeededRandom random((seed_ * 0x9E3779B97F4A7C15) ^ what << 60 ^ age << 40 ^ place);
  random.next();
  return double(random.next() >> 11) * 0x1p-53;
}

bool NandFaults::program_fails(size_t block, size_t page, uint32_t erases) {
  if (program_at_ != 0 && --program_at_ == 0) return true;
  if (options_.program_fail == 0) return false;
  const double again = failing_.count(block) != 0 ? options_.program_fail_again : 0;
  if (chance(kProgram, page, erases) >= std::max(again, aged(options_.program_fail, erases))) return false;
  failing_.insert(block);
  return true;
}

bool NandFaults::erase_fails(size_t block, uint32_t erases) {
  if (worn_.count(block) != 0) return true;
  if (options_.erase_fail == 0 || chance(kErase, block, erases) >= aged(options_.erase_fail, erases)) return false;
  worn_.insert(block);
  return true;
}

bool NandFaults::spare_stays(size_t page, uint32_t erases) const { return chance(kTornSpare, page, erases) < 0.5; }

bool NandFaults::cut_disturbs(size_t page, uint32_t erases) const {
  return options_.cut_disturb != 0 && chance(kCutDisturbs, page, erases) < options_.cut_disturb;
}

/// Draws from a Poisson distribution by inversion: the smallest number whose cumulative probability exceeds the draw.
uint32_t NandFaults::raw_errors(size_t slot, uint32_t codeword, const NandSense &how) const {
  const double disturbed = options_.read_disturb == 0 ? 1 : 1 + how.reads / options_.read_disturb;
  const double mean = std::ldexp(aged(options_.bit_errors, how.erases) * disturbed, -int(how.retry));
  if (mean > kMostErrors) return kMostErrors;
  const double draw = chance(kBits, codeword_of(slot, codeword, how.retry), how.erases);
  double p = std::exp(-mean), sum = p;
  uint32_t n = 0;
  while (sum <= draw && n < 1000) {
    ++n;
    p *= mean / n;
    sum += p;
  }
  return n;
}

EccOutcome NandFaults::sense(size_t slot, const NandSense &how) const {
  EccOutcome out;
  if (const auto chosen = spoilt_.find(slot); chosen != spoilt_.end() && how.retry < chosen->second.cured_by) {
    out.data = chosen->second.data;
    out.spare = chosen->second.spare;
  }
  if (options_.bit_errors == 0) return out;
  for (uint32_t c = 0; c <= NandEcc::kDataCodewords; ++c) {
    const bool is_spare = c == NandEcc::kDataCodewords;
    EccResult &part = is_spare ? out.spare : out.data;
    const uint32_t errors = raw_errors(slot, c, how);
    if (errors <= NandEcc::kCorrectable) {
      if (!is_spare && errors > out.corrected) out.corrected = errors;
      continue;
    }
    const bool misses = chance(kMisses, codeword_of(slot, c, how.retry), how.erases) * NandEcc::kMiscorrectedOneIn < 1;
    if (part == EccResult::kGood && misses) {
      part = EccResult::kMiscorrected;
    } else if (!misses) {
      part = EccResult::kLost;
    }
  }
  return out;
}

}  // namespace orm
