// SPDX-License-Identifier: Apache-2.0
#include "board_facts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace orm {
namespace {

constexpr char kPrefix[] = "board:";
constexpr size_t kDeepest = 32;  // nesting

/// A decimal number of `text` from 1 to `most`. Throws BoardError.
uint64_t number(const std::string &what, const std::string &text, uint64_t most) {
  const bool digits = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
  const uint64_t value = digits ? std::stoull(text) : 0;
  if (value < 1 || value > most) {
    throw BoardError("device: " + what + " '" + text + "' is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

class Reader {
 public:
  explicit Reader(const std::string &text) : text_(text) {}

  std::map<std::string, uint64_t> read() {
    value("", 0);
    space();
    if (at_ != text_.size()) wrong();
    return std::move(found_);
  }

 private:
  [[noreturn]] void wrong() const { throw BoardError("no JSON at byte " + std::to_string(at_)); }
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
  }
  bool skip(char c) {
    space();
    if (now() != c) return false;
    ++at_;
    return true;
  }
  void must(char c) {
    if (!skip(c)) wrong();
  }

  std::string text() {
    must('"');
    std::string found;
    while (now() != '"') {
      if (now() == '\\') found += text_[at_++];
      if (at_ >= text_.size()) wrong();
      found += text_[at_++];
    }
    ++at_;
    return found;
  }

  void value(const std::string &path, size_t depth) {
    if (depth > kDeepest) wrong();
    space();
    if (now() == '"') {
      (void)text();
    } else if (skip('{')) {
      if (skip('}')) return;
      do {
        const std::string name = text();
        must(':');
        value(path.empty() ? name : path + "." + name, depth + 1);
      } while (skip(','));
      must('}');
    } else if (skip('[')) {
      if (skip(']')) return;
      do {
        value(path + "[]", depth + 1);
      } while (skip(','));
      must(']');
    } else {
      word(path);
    }
  }

  /// A number, or true, false, null.
  void word(const std::string &path) {
    const size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    const std::string found = text_.substr(at_, end - at_);
    if (found.empty() || found.find_first_not_of("0123456789+-.eEtrufalsn") != std::string::npos) wrong();
    at_ = end;
    if (found.size() > 19 || found.find_first_not_of("0123456789") != std::string::npos) return;
    if (path.find("[]") == std::string::npos) found_[path] = std::stoull(found);
  }

  const std::string &text_;
  size_t at_ = 0;
  std::map<std::string, uint64_t> found_;
};

}  // namespace

bool is_board(const std::string &kind) { return kind.compare(0, sizeof kPrefix - 1, kPrefix) == 0; }

BoardName parse_board(const std::string &kind) {
  BoardName name;
  std::istringstream parts(kind.substr(sizeof kPrefix - 1));
  std::string part;
  std::getline(parts, part, ',');
  const size_t colon = part.find(':');
  name.host = part.substr(0, colon);
  if (name.host.empty()) throw BoardError("device: '" + kind + "' names no host: board:HOST[:PORT]");
  if (colon != std::string::npos) name.port = uint16_t(number("port", part.substr(colon + 1), UINT16_MAX));
  while (std::getline(parts, part, ',')) {
    if (part.compare(0, 6, "facts=") == 0 && part.size() > 6) {
      name.facts = part.substr(6);
    } else if (part.compare(0, 7, "slower=") == 0) {
      name.slower = unsigned(number("slower", part.substr(7), 1000000));
    } else {
      throw BoardError("device: '" + part + "' is neither facts=FILE nor slower=N");
    }
  }
  return name;
}

std::map<std::string, uint64_t> json_numbers(const std::string &text) { return Reader(text).read(); }

BoardFacts read_facts(const std::string &file) {
  errno = 0;
  std::ifstream in(file);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) {
    throw BoardError("device: " + file + ": " + std::strerror(errno != 0 ? errno : EIO) +
                     "; ./openremap board build ecpix5 writes it");
  }
  std::map<std::string, uint64_t> found;
  try {
    found = json_numbers(text.str());
  } catch (const BoardError &error) {
    throw BoardError("device: " + file + ": " + error.what());
  }
  const auto number_of = [&](const std::string &name, uint64_t most) {
    const auto at = found.find(name);
    if (at == found.end()) throw BoardError("device: " + file + ": has no number " + name);
    if (at->second > most) throw BoardError("device: " + file + ": " + name + " is too large");
    return uint32_t(at->second);
  };
  BoardFacts facts;
  facts.bar = number_of("places.bar", UINT32_MAX);
  facts.memory = number_of("places.host_memory", UINT32_MAX);
  facts.memory_bytes = number_of("places.host_memory_bytes", UINT32_MAX - facts.memory);
  facts.control = number_of("registers.board_control", UINT32_MAX);
  facts.messages = number_of("registers.board_messages", UINT32_MAX);
  facts.taken = number_of("registers.board_taken", UINT32_MAX);
  facts.faults = number_of("registers.board_faults", UINT32_MAX);
  if (found.count("link.port") != 0) facts.port = uint16_t(number_of("link.port", UINT16_MAX));
  if (found.count("link.words") != 0) facts.words = number_of("link.words", 255);
  if (facts.words < 2) throw BoardError("device: " + file + ": link.words is too small");
  return facts;
}

}  // namespace orm
