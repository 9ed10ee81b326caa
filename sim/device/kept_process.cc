// SPDX-License-Identifier: Apache-2.0
#include "kept_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "sim_error.h"

namespace orm {
namespace {

constexpr int kNotStarted = 127;  // exit code, as a shell's
constexpr auto kEndMost = std::chrono::seconds(10);
constexpr size_t kMostErrors = 65536;  // bytes of its standard error that are looked at

/// Ends what did not become the program: the last line of its standard error says why.
[[noreturn]] void give_up(int errors, int error) {
  const char *why = strerrordesc_np(error);
  (void)!write(errors, why, std::strlen(why));
  _exit(kNotStarted);
}

/// What becomes the program, between fork and exec: nothing here may allocate.
[[noreturn]] void become(const char *program, char *const *arguments, const int *files, size_t count, pid_t parent) {
  setsid();  // the terminal's signals are for this process, which ends the program when it ends
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotStarted);  // the signal would not come any more
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::array<int, 16> away{};  // from `count` on they are in nobody's way
  for (size_t i = 0; i < count; ++i) {
    away[i] = fcntl(files[i], F_DUPFD, int(count));
    if (away[i] < 0) give_up(files[STDERR_FILENO], errno);
  }
  for (size_t i = 0; i < count; ++i) dup2(away[i], int(i));
  close_range(unsigned(count), ~0u, 0);
  execv(program, arguments);
  give_up(STDERR_FILENO, errno);
}

std::string last_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void make_pipe(UniqueFd *read_end, UniqueFd *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw SimError(std::string("cannot make a pipe: ") + std::strerror(errno));
  *read_end = UniqueFd(ends[0]);
  *write_end = UniqueFd(ends[1]);
}

}  // namespace

KeptProcess::KeptProcess(Options options) : options_(std::move(options)) {
  make_pipe(&said_, &its_output_);
  make_pipe(&errors_, &its_errors_);
  keeper_ = std::thread([this] { keep(); });
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return started_; });
}

KeptProcess::~KeptProcess() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (pid_ > 0) kill(pid_, SIGKILL);
  }
  keeper_.join();
}

/// The program's parent, as far as the signal of the parent's death goes, is this thread, not the one that made the
/// object: so it stays until the program has ended.
void KeptProcess::keep() {
  std::vector<char *> arguments{options_.program.data()};
  for (std::string &argument : options_.arguments) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const UniqueFd input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<int> files{input.get(), its_output_.get(), its_errors_.get()};
  for (const UniqueFd &file : options_.inherited) files.push_back(file.get());
  const pid_t self = getpid();
  const pid_t child = input.get() < 0 ? -1 : fork();
  if (child == 0) become(options_.program.c_str(), arguments.data(), files.data(), files.size(), self);
  const int error = errno;
  options_.inherited.clear();
  its_output_ = UniqueFd();
  its_errors_ = UniqueFd();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    started_ = true;
    pid_ = child;
    ended_ = child < 0;
    if (ended_) why_ = std::strerror(error);
  }
  changed_.notify_all();
  if (child < 0) return;
  listen();
  reap();
}

/// Until the program has closed both pipes, which it does at its end.
void KeptProcess::listen() {
  std::array<char, 4096> piece;
  pollfd ends[2] = {{said_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    for (pollfd &end : ends) {
      if (end.fd < 0 || end.revents == 0) continue;
      const ssize_t n = read(end.fd, piece.data(), piece.size());
      if (n <= 0) {
        end.fd = -1;
      } else if (&end == &ends[0]) {
        if (options_.said) options_.said(piece.data(), size_t(n));
      } else if (error_text_.size() < kMostErrors) {
        error_text_.append(piece.data(), size_t(n));
      }
    }
  }
}

void KeptProcess::reap() {
  siginfo_t info{};
  while (waitid(P_PID, id_t(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  std::string why = last_line(error_text_);
  if (info.si_code != CLD_EXITED) {
    why = "signal " + std::to_string(info.si_status);
  } else if (why.empty()) {
    why = "exit code " + std::to_string(info.si_status);
  }
  {
    // From here on the number may be another process's.
    const std::lock_guard<std::mutex> lock(mutex_);
    (void)waitpid(pid_, nullptr, 0);
    pid_ = -1;
    ended_ = true;
    why_ = why;
  }
  changed_.notify_all();
}

bool KeptProcess::ended() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

std::string KeptProcess::why_ended() {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool ended = changed_.wait_for(lock, kEndMost, [this] { return ended_; });
  return ended ? why_ : "it says no more, but does not end";
}

}  // namespace orm
