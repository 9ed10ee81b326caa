// SPDX-License-Identifier: Apache-2.0
//
// Progress of a long run, on stderr. A terminal shows one line that is drawn again and again. A file or a pipe gets a
// plain line now and then, so that a log stays short and has no control characters. launcher/env/progress.py is the
// same for Python, host-driver/cli/progress.h for C.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace orm {

class ProgressLine {
 public:
  enum class Style {
    kRedrawn,  // one line, for a terminal
    kPlain,    // a line every kPlainSeconds
    kEvery,    // each update as `progress DONE TOTAL WHAT`, for a program that reads them
  };
  using Clock = std::function<double()>;  // seconds since any fixed time

  static constexpr double kPlainSeconds = 15;
  static constexpr double kRedrawSeconds = 0.1;

  /// `out` must stay open for as long as this object lives: the destructor removes a redrawn line.
  explicit ProgressLine(std::FILE *out = stderr) : ProgressLine(out, style_of(out), seconds) {}
  ProgressLine(std::FILE *out, Style style, Clock clock)
      : out_(out), style_(style), clock_(std::move(clock)), begun_(clock_()), said_(begun_) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// `done` of `total` units of `what` are done. Most calls print nothing.
  void show(const std::string &what, uint64_t done, uint64_t total) {
    const double now = clock_();
    const auto count = [](uint64_t n) { return std::to_string(n); };
    if (style_ == Style::kEvery) {
      print("progress " + count(done) + " " + count(total) + " " + what + "\n");
    } else if (style_ == Style::kPlain) {
      if (now - said_ < kPlainSeconds) return;
      said_ = now;
      print(text(what, done, total) + ", " + count(uint64_t(now - begun_)) + " s\n");
    } else if (!drawn_ || now - said_ >= kRedrawSeconds) {
      said_ = now;
      drawn_ = true;
      // A line as wide as the terminal would wrap, and the next one would not replace it.
      print("\r\033[K" + text(what, done, total).substr(0, columns() - 1));
    }
  }

  /// Removes a redrawn line, so that other output can take its place.
  void clear() {
    if (drawn_) print("\r\033[K");
    drawn_ = false;
  }

  /// OPENREMAP_PROGRESS=every asks for kEvery. A CI may provide a terminal, but what it shows is a log.
  static Style style_of(std::FILE *out) {
    const std::string wanted = variable("OPENREMAP_PROGRESS");
    if (wanted == "every") return Style::kEvery;
    const bool redraws = isatty(fileno(out)) != 0 && variable("TERM") != "dumb" && variable("CI").empty();
    return redraws ? Style::kRedrawn : Style::kPlain;
  }

 private:
  static std::string variable(const char *name) {
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  static std::string text(const std::string &what, uint64_t done, uint64_t total) {
    return what + ": " + std::to_string(done) + " of " + std::to_string(total);
  }

  size_t columns() const {
    winsize size{};
    const bool known = ioctl(fileno(out_), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col : 80;
  }

  void print(const std::string &text) {
    std::fputs(text.c_str(), out_);
    std::fflush(out_);
  }

  std::FILE *out_;
  Style style_;
  Clock clock_;
  double begun_, said_;
  bool drawn_ = false;
};

}  // namespace orm
