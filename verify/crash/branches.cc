// SPDX-License-Identifier: Apache-2.0
#include "crash/branches.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace orm::crash {
namespace {

constexpr size_t kMostCopies = 200;  // a process each, with a descriptor here

[[noreturn]] void fail(const char *what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

bool send(int fd, const void *data, size_t len) {
  const auto *bytes = static_cast<const char *>(data);
  while (len != 0) {
    const ssize_t n = ::send(fd, bytes, len, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    len -= size_t(n);
  }
  return true;
}

bool receive(int fd, void *data, size_t len) {
  auto *bytes = static_cast<char *>(data);
  while (len != 0) {
    const ssize_t n = ::recv(fd, bytes, len, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    len -= size_t(n);
  }
  return true;
}

/// What a copy is asked for; the cuts follow.
struct Request {
  uint64_t cuts;
  uint64_t stores;
};

/// An answer: whether it is a result, or the reason why there is none.
struct Head {
  uint64_t good;
  uint64_t bytes;
};

bool answer(int fd, bool good, const std::string &text) {
  const Head head{good ? 1u : 0u, text.size()};
  return send(fd, &head, sizeof head) && send(fd, text.data(), text.size());
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return std::string("a copy of the process ended by ") + strsignal(WTERMSIG(status));
  return "a copy of the process ended with exit code " + std::to_string(WEXITSTATUS(status));
}

class Packer {
 public:
  template <class T>
  void add(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void add(const std::string &text) {
    add(uint64_t(text.size()));
    bytes += text;
  }
  std::string bytes;
};

class Unpacker {
 public:
  explicit Unpacker(const std::string &bytes) : bytes_(bytes) {}
  template <class T>
  void take(T *value) {
    std::memcpy(value, next(sizeof *value), sizeof *value);
  }
  void take(std::string *text) {
    uint64_t size = 0;
    take(&size);
    text->assign(next(size), size);
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  const char *next(size_t len) {
    if (len > bytes_.size() - at_) throw std::runtime_error("a result is cut short");
    at_ += len;
    return bytes_.data() + at_ - len;
  }
  const std::string &bytes_;
  size_t at_ = 0;
};

/// One after another, all members of a result but `starts`, whose number varies.
template <class Result, class F>
void each_member(Result &result, F &&f) {
  f(result.wrong);
  f(result.at);
  f(result.cuts);
  f(result.sessions);
  f(result.events);
  f(result.stores);
  f(result.pages);
  f(result.log);
  f(result.summaries);
  f(result.snapshots);
  f(result.bad);
  f(result.worn_out);
  f(result.worn_events);
}

}  // namespace

std::string pack_result(const RunResult &result) {
  Packer packer;
  each_member(result, [&](const auto &member) { packer.add(member); });
  packer.add(uint64_t(result.starts.size()));
  for (const uint64_t events : result.starts) packer.add(events);
  return std::move(packer.bytes);
}

RunResult unpack_result(const std::string &bytes) {
  RunResult result;
  Unpacker unpacker(bytes);
  each_member(result, [&](auto &member) { unpacker.take(&member); });
  uint64_t starts = 0;
  unpacker.take(&starts);
  for (uint64_t i = 0; i < starts; ++i) unpacker.take(&result.starts.emplace_back());
  if (!unpacker.at_end()) throw std::runtime_error("a result has bytes behind its end");
  return result;
}

Branches::Branches(const std::vector<lockstep::Command> &commands, RunOptions options)
    : stride_(commands.size() / kMostCopies + 1) {
  options.before = [this](const Count &so_far) { return stay(so_far); };
  try {
    whole_ = run(commands, options);
    if (answer_fd_ < 0) return;
    _exit(answer(answer_fd_, true, pack_result(whole_)) ? 0 : 1);
  } catch (const std::exception &e) {
    if (answer_fd_ < 0) throw;
    _exit(answer(answer_fd_, false, e.what()) ? 0 : 1);
  }
}

Branches::~Branches() {
  for (const Copy &copy : copies_) ::close(copy.fd);  // which ends it
  for (const Copy &copy : copies_) {
    while (waitpid(copy.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

/// Before a command of the run without a cut: leaves a copy of the process behind. Returns the cuts of a copy that is
/// to make them.
std::optional<Plan> Branches::stay(const Count &so_far) {
  if (answer_fd_ >= 0 || seen_++ % stride_ != 0) return std::nullopt;
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) fail("socketpair");
  std::fflush(nullptr);  // or a copy would print it once more
  const pid_t pid = fork();
  if (pid < 0) {
    const int why = errno;
    ::close(fds[0]);
    ::close(fds[1]);
    errno = why;
    fail("fork");
  }
  if (pid != 0) {
    ::close(fds[1]);
    copies_.push_back({so_far, fds[0], pid});
    return std::nullopt;
  }
  ::close(fds[0]);
  for (const Copy &copy : copies_) ::close(copy.fd);
  return serve(fds[1]);
}

/// A copy: waits for cuts, and lets a copy of itself make them, whose result goes to `fd`. Returns in the latter.
std::optional<Plan> Branches::serve(int fd) {
  for (;;) {
    Request request{};
    if (!receive(fd, &request, sizeof request)) _exit(0);
    Cuts cuts(request.cuts);
    if (!receive(fd, cuts.data(), cuts.size() * sizeof cuts[0])) _exit(0);
    const pid_t pid = fork();
    if (pid == 0) {
      answer_fd_ = fd;
      return Plan{{cuts}, request.stores != 0};
    }
    if (pid < 0) {
      if (!answer(fd, false, std::string("fork: ") + std::strerror(errno))) _exit(1);
      continue;
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0 && !answer(fd, false, describe_end(status))) _exit(1);
  }
}

RunResult Branches::cut(const Cuts &cuts, bool stores) {
  const auto behind = std::partition_point(copies_.begin(), copies_.end(), [&](const Copy &copy) {
    return (stores ? copy.before.stores : copy.before.events) < cuts.front();
  });
  if (behind == copies_.begin()) throw std::runtime_error("no copy of the process precedes the cut");
  const int fd = (behind - 1)->fd;
  const Request request{cuts.size(), stores ? 1u : 0u};
  Head head{};
  std::string text;
  if (!send(fd, &request, sizeof request) || !send(fd, cuts.data(), cuts.size() * sizeof cuts[0]) ||
      !receive(fd, &head, sizeof head)) {
    throw std::runtime_error("a copy of the process has gone");
  }
  text.resize(head.bytes);
  if (!receive(fd, text.data(), text.size())) throw std::runtime_error("a copy of the process has gone");
  if (head.good == 0) throw std::runtime_error(text);
  return unpack_result(text);
}

}  // namespace orm::crash
