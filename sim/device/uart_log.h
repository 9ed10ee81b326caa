// SPDX-License-Identifier: Apache-2.0
//
// The log of a firmware that runs on a processor of its own: text from its UART, a line "<L>text" each, L being the
// level (firmware/ports/bare/console.h).
#ifndef OPENREMAP_UART_LOG_H
#define OPENREMAP_UART_LOG_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "platform.h"

namespace orm {

/// Prints errors, and with OPENREMAP_FW_LOG all lines, as the native firmware does.
class UartLog {
 public:
  void take(const char *text, size_t len) {
    for (size_t i = 0; i < len; ++i) take(text[i]);
  }
  void take(char c) {
    if (c != '\n') {
      line_ += c;
      return;
    }
    int level = PLATFORM_LOG_ERROR;
    if (line_.size() >= 3 && line_[0] == '<' && line_[2] == '>') {
      level = line_[1] - '0';
      line_.erase(0, 3);
    }
    static const bool verbose = std::getenv("OPENREMAP_FW_LOG") != nullptr;
    if (level == PLATFORM_LOG_ERROR || verbose) std::fprintf(stderr, "firmware: %s\n", line_.c_str());
    if (level == PLATFORM_LOG_ERROR) error_ = line_;
    last_ = std::exchange(line_, "");
  }

  /// The last line; the last one of an error. Empty: none.
  const std::string &last() const { return last_; }
  const std::string &error() const { return error_; }

 private:
  std::string line_;  // as far as it has come
  std::string last_;
  std::string error_;
};

}  // namespace orm
#endif  // OPENREMAP_UART_LOG_H
