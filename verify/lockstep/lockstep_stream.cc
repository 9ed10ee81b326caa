// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "lockstep/lockstep_burst.h"

namespace orm::lockstep {
namespace {

constexpr uint64_t kVersion = 1;
// Limits of the devices (docs/design/interfaces.md). They also keep a typing error from filling the memory.
constexpr uint64_t kMostPages = 1u << 16;
constexpr uint64_t kMostRanges = 256;

// The text of a command, as a line or in a burst.
constexpr Kind kKinds[] = {Kind::kRead,  Kind::kWrite,       Kind::kFlush,    Kind::kDeallocate, Kind::kWriteZeroes,
                           Kind::kRemap, Kind::kRemapVector, Kind::kCopy,     Kind::kPlacement,  Kind::kFormat,
                           Kind::kReset, Kind::kPowerCycle,  Kind::kShutdown, Kind::kBlank,      Kind::kRest};

std::string number(uint64_t n) { return " " + std::to_string(n); }

std::string handle(const char *word, int n) { return n < 0 ? "" : std::string(" ") + word + " " + std::to_string(n); }

std::string range(const openremap_remap_range &r, bool remap) {
  return number(r.src) + (remap ? ">" + std::to_string(r.dst) : "") + "+" + std::to_string(r.pages);
}

/// Reads a line word by word; errors begin with `where`.
class Words {
 public:
  Words(const std::string &line, std::string where) : where_(std::move(where)), text_(line) {}

  [[noreturn]] void fail(const std::string &what) const { throw StreamError(where_ + ": " + what); }

  bool more() {
    if (next_.empty()) text_ >> next_;
    return !next_.empty();
  }
  std::string word(const char *what) {
    if (!more()) fail(std::string(what) + " is missing");
    return std::exchange(next_, std::string());
  }
  /// Takes `word` if it comes next; returns whether it did.
  bool takes(const char *word) {
    if (!more() || next_ != word) return false;
    next_.clear();
    return true;
  }
  void needs(const char *word) {
    if (!takes(word)) fail(std::string("'") + word + "' is missing");
  }
  uint64_t number(const char *what) { return digits(word(what), what); }
  uint64_t digits(const std::string &text, const char *what) const {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
      fail("'" + text + "' is no " + what);
    }
    errno = 0;
    const uint64_t value = std::strtoull(text.c_str(), nullptr, 10);
    if (errno != 0) fail("'" + text + "' is too large");
    return value;
  }
  uint64_t pages(const std::string &text) const {
    const uint64_t n = digits(text, "number of pages");
    if (n == 0 || n > kMostPages) fail("a number of pages is from 1 to " + std::to_string(kMostPages));
    return n;
  }
  int handle() {
    const uint64_t n = number("placement handle");
    if (n > UINT16_MAX) fail("a placement handle is at most 65535");
    return int(n);
  }
  uint64_t pages() { return pages(word("number of pages")); }
  void end() {
    if (more()) fail("'" + next_ + "' is too much");
  }

 private:
  std::string where_;
  std::istringstream text_;
  std::string next_;
};

openremap_remap_range parse_range(const Words &words, const std::string &text, bool remap) {
  const size_t plus = text.find('+'), arrow = text.find('>');
  if (plus == std::string::npos || remap != (arrow < plus)) {
    words.fail("'" + text + "' is no range " + (remap ? "SOURCE>TARGET+PAGES" : "LPN+PAGES"));
  }
  openremap_remap_range r{};
  r.src = words.digits(text.substr(0, std::min(plus, arrow)), "LPN");
  if (remap) r.dst = words.digits(text.substr(arrow + 1, plus - arrow - 1), "LPN");
  r.pages = words.pages(text.substr(plus + 1));
  return r;
}

void parse_ranges(Words *words, bool remap, Command *c) {
  while (words->more()) c->ranges.push_back(parse_range(*words, words->word("range"), remap));
  if (c->ranges.empty() || c->ranges.size() > kMostRanges) {
    words->fail("ranges are from 1 to " + std::to_string(kMostRanges));
  }
}

Command parse_command(Words *words) {
  Command c;
  const std::string what = words->word("command");
  const auto place = [&] {
    c.lpn = words->number("LPN");
    c.pages = words->pages();
  };
  const auto two_places = [&] {
    c.lpn = words->number("LPN");
    c.dst = words->number("LPN");
    c.pages = words->pages();
  };
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](Kind k) { return what == word(k); });
  if (kind == std::end(kKinds)) words->fail("no command '" + what + "'");
  c.kind = *kind;
  switch (c.kind) {
    case Kind::kRead:
      place();
      break;
    case Kind::kWrite:
      place();
      words->needs("data");
      c.value = words->number("seed of the data");
      c.flag = words->takes("fua");
      if (words->takes("handle")) c.handle = words->handle();
      break;
    case Kind::kPlacement:
      if (words->takes("update")) c.handle = words->handle();
      break;
    case Kind::kDeallocate:
      parse_ranges(words, false, &c);
      break;
    case Kind::kWriteZeroes:
      place();
      c.flag = words->takes("deallocate");
      break;
    case Kind::kRemap:
      two_places();
      c.flag = words->takes("move");
      break;
    case Kind::kRemapVector:
      c.flag = words->takes("move");
      parse_ranges(words, true, &c);
      break;
    case Kind::kCopy:
      two_places();
      break;
    case Kind::kFormat:
      c.flag = words->takes("erase");
      break;
    case Kind::kShutdown:
      c.flag = words->takes("reset");
      break;
    case Kind::kBlank:
      c.flag = words->takes("ones");
      break;
    case Kind::kFlush:
    case Kind::kReset:
    case Kind::kPowerCycle:
    case Kind::kRest:
    case Kind::kBurst:  // parsed separately
      break;
  }
  words->end();
  return c;
}

Command parse_burst(const std::string &parts, const std::string &where) {
  Command burst;
  burst.kind = Kind::kBurst;
  std::istringstream text(parts);
  for (std::string part; std::getline(text, part, ';');) {
    Words words(part, where);
    burst.parts.push_back(parse_command(&words));
    if (!may_be_part(burst.parts.back().kind)) {
      words.fail("a burst is of read, write, zeroes, deallocate, remap, vector, copy and flush");
    }
  }
  if (burst.parts.empty() || burst.parts.size() > kMostParts) {
    throw StreamError(where + ": a burst has from 1 to " + std::to_string(kMostParts) + " commands");
  }
  return burst;
}

DeviceOptions parse_device(const std::string &line, const std::string &where) {
  DeviceOptions o;
  Words words(line, where);
  if (!words.takes("lockstep")) words.fail("not a command stream: the first line begins with 'lockstep'");
  const uint64_t version = words.number("version");
  if (version != kVersion) words.fail("a stream of version " + std::to_string(version) + "; this program reads 1");
  words.needs("seed");
  o.seed = words.number("seed");
  words.needs("superblocks");
  const uint64_t superblocks = words.number("number of superblocks");
  if (superblocks < kLeastSuperblocks || superblocks > kMostSuperblocks) {
    words.fail("superblocks are from " + std::to_string(kLeastSuperblocks) + " to " + std::to_string(kMostSuperblocks));
  }
  o.superblocks = uint32_t(superblocks);
  if (words.takes("segments")) {
    const uint64_t segments = words.number("number of segments");
    if (segments == 0 || segments > UINT32_MAX) words.fail("segments are from 1 to " + std::to_string(UINT32_MAX));
    o.segments = uint32_t(segments);
  }
  if (words.takes("geometry")) o.geometry = words.word("flash of a model");
  if (words.takes("faults")) o.faults = words.word("what goes wrong in flash");
  if (words.takes("cache")) o.cache = words.word("the firmware's cache");
  if (words.takes("firmware")) o.firmware = words.word("what runs the firmware");
  o.wide = words.takes("wide");
  if (words.takes("hurry")) words.fail("'hurry' is now called 'no-rest'");
  o.no_rest = words.takes("no-rest");
  o.stalls = words.takes("stalls");
  o.firmware_remaps = words.takes("firmware-remaps");
  words.end();
  return o;
}

}  // namespace

bool DeviceOptions::gathers() const {
  const bool named = std::count(geometry.begin(), geometry.end(), 'x') == 4;
  return wide || (named && geometry.substr(geometry.rfind('x')) != "x1");
}

const char *word(Kind kind) {
  switch (kind) {
    case Kind::kRead:
      return "read";
    case Kind::kWrite:
      return "write";
    case Kind::kFlush:
      return "flush";
    case Kind::kDeallocate:
      return "deallocate";
    case Kind::kWriteZeroes:
      return "zeroes";
    case Kind::kRemap:
      return "remap";
    case Kind::kRemapVector:
      return "vector";
    case Kind::kCopy:
      return "copy";
    case Kind::kPlacement:
      return "placement";
    case Kind::kBurst:
      return "burst";
    case Kind::kFormat:
      return "format";
    case Kind::kReset:
      return "reset";
    case Kind::kPowerCycle:
      return "power-cycle";
    case Kind::kShutdown:
      return "shutdown";
    case Kind::kBlank:
      return "blank";
    case Kind::kRest:
      return "rest";
  }
  return "";
}

std::string to_line(const Command &c) {
  std::string s = word(c.kind);
  switch (c.kind) {
    case Kind::kRead:
      return s + number(c.lpn) + number(c.pages);
    case Kind::kWrite:
      return s + number(c.lpn) + number(c.pages) + " data" + number(c.value) + (c.flag ? " fua" : "") +
             handle("handle", c.handle);
    case Kind::kPlacement:
      return s + handle("update", c.handle);
    case Kind::kDeallocate:
      for (const openremap_remap_range &r : c.ranges) s += range(r, false);
      return s;
    case Kind::kWriteZeroes:
      return s + number(c.lpn) + number(c.pages) + (c.flag ? " deallocate" : "");
    case Kind::kRemap:
      return s + number(c.lpn) + number(c.dst) + number(c.pages) + (c.flag ? " move" : "");
    case Kind::kRemapVector:
      if (c.flag) s += " move";
      for (const openremap_remap_range &r : c.ranges) s += range(r, true);
      return s;
    case Kind::kCopy:
      return s + number(c.lpn) + number(c.dst) + number(c.pages);
    case Kind::kBurst:
      for (const Command &part : c.parts) s += (&part == &c.parts.front() ? " " : "; ") + to_line(part);
      return s;
    case Kind::kFormat:
      return s + (c.flag ? " erase" : "");
    case Kind::kShutdown:
      return s + (c.flag ? " reset" : "");
    case Kind::kBlank:
      return s + (c.flag ? " ones" : "");
    case Kind::kFlush:
    case Kind::kReset:
    case Kind::kPowerCycle:
    case Kind::kRest:
      return s;
  }
  return s;
}

std::string to_text(const Stream &stream) {
  const DeviceOptions &o = stream.device;
  std::string text = "lockstep" + number(kVersion) + " seed" + number(o.seed) + " superblocks" + number(o.superblocks) +
                     (o.segments == 0 ? "" : " segments" + number(o.segments)) +
                     (o.geometry.empty() ? "" : " geometry " + o.geometry) +
                     (o.faults.empty() ? "" : " faults " + o.faults) + (o.cache.empty() ? "" : " cache " + o.cache) +
                     (o.firmware.empty() ? "" : " firmware " + o.firmware) + (o.wide ? " wide" : "") +
                     (o.no_rest ? " no-rest" : "") + (o.stalls ? " stalls" : "") +
                     (o.firmware_remaps ? " firmware-remaps" : "") + "\n";
  for (const Command &c : stream.commands) text += to_line(c) + "\n";
  return text;
}

Stream parse_stream(const std::string &text, const std::string &name) {
  Stream stream;
  std::istringstream lines(text);
  bool begun = false;
  size_t at = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = name + ":" + std::to_string(++at);
    line = line.substr(0, line.find('#'));
    Words words(line, where);
    if (!words.more()) continue;
    if (!begun) {
      stream.device = parse_device(line, where);
      begun = true;
    } else if (words.takes("burst")) {
      stream.commands.push_back(parse_burst(line.substr(line.find("burst") + 5), where));
    } else {
      stream.commands.push_back(parse_command(&words));
    }
  }
  if (!begun) throw StreamError(name + ": an empty stream");
  return stream;
}

Stream read_stream(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code unknown;
  if (file && std::filesystem::is_directory(path, unknown)) throw StreamError(path + ": is a folder");
  if (!file) throw StreamError(path + ": " + std::strerror(errno));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw StreamError(path + ": cannot be read");
  return parse_stream(text, path);
}

void write_stream(const std::string &path, const Stream &stream) {
  std::ofstream file(path, std::ios::binary);
  file << to_text(stream);
  file.close();
  if (!file) throw StreamError(path + ": cannot be written");
}

}  // namespace orm::lockstep
