// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_KEPT_PROCESS_H
#define OPENREMAP_KEPT_PROCESS_H

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "unique_fd.h"

namespace orm {

/// A program that runs beside this one, and never longer: it ends with this object, and when this process is killed.
/// Signals of the terminal do not reach it.
class KeptProcess {
 public:
  struct Options {
    std::string program;                 // path
    std::vector<std::string> arguments;  // without its name
    std::vector<UniqueFd> inherited;     // open in it as kFirst, kFirst + 1, ...
    /// Gets what it writes to its standard output, in a thread of its own.
    std::function<void(const char *, size_t)> said;
  };
  static constexpr int kFirst = 3;

  /// Starts it. Throws SimError.
  explicit KeptProcess(Options options);
  /// Kills it, if it has not ended, and waits for its end.
  ~KeptProcess();
  KeptProcess(const KeptProcess &) = delete;
  KeptProcess &operator=(const KeptProcess &) = delete;

  /// Whether it has ended by itself.
  bool ended();
  /// Waits for its end, 10 s at most. Returns the signal, the last line of its standard error, or its exit code.
  std::string why_ended();

 private:
  void keep();
  void listen();
  void reap();

  Options options_;
  UniqueFd said_, errors_;  // what it writes
  UniqueFd its_output_, its_errors_;
  std::string error_text_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  pid_t pid_ = -1;  // while it runs
  bool started_ = false;
  bool ended_ = false;
  std::string why_;
  std::thread keeper_;
};

}  // namespace orm
#endif  // OPENREMAP_KEPT_PROCESS_H
