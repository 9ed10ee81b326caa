// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_LISTENER_H
#define OPENREMAP_VFIO_LISTENER_H

#include <deque>
#include <functional>
#include <string>

#include "unique_fd.h"
#include "vfio_socket.h"

namespace orm::vfio {

/// The socket on which clients connect. A device has one client at a time; those who connect meanwhile get EBUSY as the
/// answer to their version, and are disconnected.
class Listener {
 public:
  /// `tell` gets one line for each client that is turned away. Throws std::system_error. A socket that a killed device
  /// has left behind is removed, no other file.
  explicit Listener(std::string path, std::function<void(const std::string &)> tell = {});
  /// Removes the socket.
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  /// Readable while turn_away() has something to do.
  int fd() const { return events_.get(); }
  /// Waits for the next client. Returns none if `stop_fd` becomes readable first.
  UniqueFd accept(int stop_fd);
  /// Takes those who have connected, and answers those whose version has arrived. Never waits.
  void turn_away();

 private:
  /// Clients that have not sent their version yet; of more of them the oldest is disconnected.
  static constexpr size_t kMostWaiting = 8;

  void watch(int fd);
  bool answered(Socket *other);

  std::string path_;
  std::function<void(const std::string &)> tell_;
  UniqueFd fd_;
  UniqueFd events_;  // epoll of the socket and of the waiting clients
  std::deque<Socket> waiting_;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_LISTENER_H
