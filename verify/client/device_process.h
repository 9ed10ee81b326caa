// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DEVICE_PROCESS_H
#define OPENREMAP_DEVICE_PROCESS_H

#include <sys/types.h>

#include <string>
#include <vector>

namespace orm::client {

/// A vfio_device process, with its socket in a temporary folder of its own. Both end with the object.
class DeviceProcess {
 public:
  /// Starts `program` with `arguments` and waits until it listens. Throws std::runtime_error with what it said.
  DeviceProcess(const std::string &program, const std::vector<std::string> &arguments);
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess &) = delete;
  DeviceProcess &operator=(const DeviceProcess &) = delete;

  const std::string &socket() const { return socket_; }
  bool runs();
  /// Waits at most `seconds` for its end. Returns its exit code, or the negative number of the signal that ended it;
  /// throws when it does not end.
  int wait(double seconds);
  /// What it has said so far.
  std::string said() const;
  /// CPU time that it has taken, in seconds.
  double cpu_seconds() const;

 private:
  bool look(int options);

  std::string folder_, socket_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace orm::client
#endif  // OPENREMAP_DEVICE_PROCESS_H
