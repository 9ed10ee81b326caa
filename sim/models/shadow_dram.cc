// SPDX-License-Identifier: Apache-2.0
#include "shadow_dram.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace orm {
namespace {

// How often lines leave, and how many: one moment in so many evicts a few neighbours, one all of DRAM.
constexpr uint64_t kSomeOneIn = 6, kAllOneIn = 1024;
constexpr uint64_t kMostNeighbours = 64;  // lines
constexpr uint64_t kElsewhereOneIn = 4;   // not among those of the last calls

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

bool is_power(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

CacheOptions parse_cache(const std::string &text) {
  CacheOptions o;
  const std::string mode = text.substr(0, text.find(','));
  if (mode == "keep") {
    o.mode = CacheOptions::Mode::kKeep;
  } else if (mode == "evict") {
    o.mode = CacheOptions::Mode::kEvict;
  } else if (!text.empty() && text != "none") {
    throw OptionError("cache: '" + text + "' is not one of: none, keep[,line=BYTES], evict[,line=BYTES]");
  }
  if (text.size() <= mode.size()) return o;
  const std::string key = ",line=", rest = text.substr(mode.size());
  const bool known = rest.compare(0, key.size(), key) == 0;
  const char *const begin = rest.data() + std::min(key.size(), rest.size()), *const end = rest.data() + rest.size();
  const auto [after, error] = std::from_chars(begin, end, o.line);
  if (!known || error != std::errc() || after != end || !is_power(o.line) || o.line < CacheOptions::kLeastLine ||
      o.line > CacheOptions::kMostLine) {
    throw OptionError("cache: '" + rest.substr(1) + "' is not line=BYTES with a power of two from " +
                      std::to_string(CacheOptions::kLeastLine) + " to " + std::to_string(CacheOptions::kMostLine));
  }
  return o;
}

ShadowDram::ShadowDram(DramModel &dram, const CacheOptions &options, uint64_t seed)
    : dram_(dram), options_(options), view_(dram.size()), base_(dram.size()), random_(seed) {
  // All three are the pattern of power-on where DRAM is new; a copy would touch every page of a large one.
  if (std::memcmp(view_.data(), dram_.data(), dram_.size()) != 0) read_again(0, dram_.size());
}

ShadowDram::Range ShadowDram::lines(const char *what, uint64_t addr, size_t len) const {
  if (addr > dram_.size() || len > dram_.size() - addr) {
    throw CacheViolation(std::string("firmware ") + what + " " + std::to_string(len) + " bytes at " + hex(addr) +
                         ", outside of DRAM");
  }
  const size_t line = options_.line;
  return {size_t(addr) / line * line, std::min((size_t(addr) + len + line - 1) / line * line, dram_.size())};
}

bool ShadowDram::dirty(size_t at, size_t len) const {
  return std::memcmp(view_.data() + at, base_.data() + at, len) != 0;
}

void ShadowDram::read_again(size_t at, size_t len) {
  std::memcpy(view_.data() + at, dram_.data() + at, len);
  std::memcpy(base_.data() + at, dram_.data() + at, len);
}

void ShadowDram::write_back(const char *why, size_t at) {
  const size_t len = std::min<size_t>(options_.line, dram_.size() - at);
  const uint8_t *const ours = view_.data() + at, *const before = base_.data() + at, *const theirs = dram_.data() + at;
  for (size_t i = 0; i < len; ++i) {
    // Where both wrote a byte the order decides, as without a cache.
    if (theirs[i] != before[i] && ours[i] == before[i]) {
      throw CacheViolation(std::string(why) + " of the line at " + hex(at) + " destroys what the controller wrote at " +
                           hex(at + i) + ": firmware has written the same line");
    }
  }
  std::memcpy(dram_.data() + at, ours, len);
  std::memcpy(base_.data() + at, ours, len);
}

void ShadowDram::clean(uint64_t addr, size_t len) {
  const Range range = lines("cleans", addr, len);
  for (size_t at = range.begin; at < range.end; at += options_.line) {
    if (dirty(at, std::min<size_t>(options_.line, range.end - at))) write_back("the clean", at);
  }
  remember(range);
}

void ShadowDram::invalidate(uint64_t addr, size_t len) {
  const Range range = lines("invalidates", addr, len);
  for (size_t at = range.begin; at < range.end; at += options_.line) {
    if (!dirty(at, std::min<size_t>(options_.line, range.end - at))) continue;
    throw CacheViolation("firmware invalidates " + std::to_string(len) + " bytes at " + hex(addr) +
                         ", and loses what it wrote into the line at " + hex(at));
  }
  read_again(range.begin, range.end - range.begin);
  remember(range);
}

void ShadowDram::remember(Range range) {
  recent_[next_recent_] = range;
  next_recent_ = (next_recent_ + 1) % recent_.size();
}

void ShadowDram::evict(Range range) {
  for (size_t at = range.begin; at < range.end; at += options_.line) {
    if (!dirty(at, std::min<size_t>(options_.line, range.end - at))) continue;
    write_back("an eviction", at);
    ++evictions_;
  }
  read_again(range.begin, range.end - range.begin);
}

void ShadowDram::moment() {
  if (options_.mode != CacheOptions::Mode::kEvict || dram_.size() == 0) return;
  const uint64_t draw = random_.next();
  if (draw % kAllOneIn == 0) {
    evict({0, dram_.size()});
    return;
  }
  if (draw % kSomeOneIn != 0) return;
  const Range &near = recent_[random_.below(recent_.size())];
  const bool elsewhere = near.begin == near.end || random_.below(kElsewhereOneIn) == 0;
  const Range from = elsewhere ? Range{0, dram_.size()} : near;
  const size_t begin = (from.begin + random_.below(from.end - from.begin)) / options_.line * options_.line;
  const size_t end = begin + (1 + random_.below(kMostNeighbours)) * options_.line;
  evict({begin, std::min(end, dram_.size())});
}

}  // namespace orm
