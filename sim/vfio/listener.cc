// SPDX-License-Identifier: Apache-2.0
#include "listener.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "vfio_message.h"

namespace orm::vfio {
namespace {

constexpr int kBacklog = 8;

[[noreturn]] void fail(const std::string &what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

Listener::Listener(std::string path, std::function<void(const std::string &)> tell)
    : path_(std::move(path)),
      tell_(std::move(tell)),
      fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.c_str(), std::min(path_.size(), sizeof address.sun_path - 1));
  struct stat there {};
  if (lstat(path_.c_str(), &there) == 0 && S_ISSOCK(there.st_mode)) unlink(path_.c_str());
  const mode_t mask = umask(0077);
  const int bound = bind(fd_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address);
  umask(mask);
  if (!fd_ || !events_ || bound != 0) fail(path_);
  if (listen(fd_.get(), kBacklog) != 0) fail(path_);
  watch(fd_.get());
}

Listener::~Listener() { unlink(path_.c_str()); }

void Listener::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event) != 0) fail(path_);
}

UniqueFd Listener::accept(int stop_fd) {
  waiting_.clear();  // they came while there was a client, and have said nothing until now
  pollfd wait[2] = {{fd_.get(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
  while (true) {
    if (poll(wait, 2, -1) < 0) {
      if (errno != EINTR) fail("poll");
      continue;
    }
    if (wait[1].revents != 0) return UniqueFd();
    UniqueFd client(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) return client;
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) fail("accept");
  }
}

void Listener::turn_away() {
  while (true) {
    UniqueFd other(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!other) break;
    if (waiting_.size() == kMostWaiting) waiting_.pop_front();
    watch(other.get());
    waiting_.emplace_back(std::move(other));
    if (tell_) tell_("another client was turned away: the device has one");
  }
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [this](Socket &other) { return answered(&other); }),
                 waiting_.end());
}

/// Whether nothing more is to come of this client: it was answered, it has gone, or it sent something else.
bool Listener::answered(Socket *other) {
  try {
    const auto message = other->receive();
    if (!message) return false;
    const Header &asked = message->header;
    if (asked.command == kVersion && (asked.flags & kFlagNoReply) == 0)
      other->send({asked.id, kVersion, sizeof(Header), kTypeReply | kFlagError, EBUSY}, {});
  } catch (const Disconnected &) {
  } catch (const Refused &) {
  }
  return true;
}

}  // namespace orm::vfio
