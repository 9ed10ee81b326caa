// SPDX-License-Identifier: Apache-2.0
//
// The log of a firmware that runs on a processor of its own: text from its UART, a line "<L>text" each, L being the
// level (firmware/ports/bare/console.h).
#ifndef OPENREMAP_UART_LOG_H
#define OPENREMAP_UART_LOG_H

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "platform.h"

namespace orm {

/// Prints errors, and with `all` all lines, as the native firmware does.
class UartLog {
 public:
  explicit UartLog(bool all) : all_(all) {}

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
    if (level == PLATFORM_LOG_ERROR || all_) std::fprintf(stderr, "firmware: %s\n", line_.c_str());
    if (level == PLATFORM_LOG_ERROR) (first_error_.empty() ? first_error_ : error_) = line_;
    last_ = std::exchange(line_, "");
  }

  /// The last line. Empty: none.
  const std::string &last() const { return last_; }
  /// The first line of an error, which says what has gone wrong, and the last, which says how it has ended. Empty:
  /// none.
  std::string error() const { return error_.empty() ? first_error_ : first_error_ + "; " + error_; }

 private:
  std::string line_;  // as far as it has come
  std::string last_;
  std::string first_error_, error_;
  bool all_;
};

}  // namespace orm
#endif  // OPENREMAP_UART_LOG_H
