// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_BAD_OPTION_H
#define OPENREMAP_BAD_OPTION_H

#include <cerrno>
#include <stdexcept>
#include <string>

namespace orm::tools {

/// No device can have these options: the user of the program gave a wrong one.
class BadOption : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws what fits a device that could not be made: BadOption for -EINVAL, else std::runtime_error.
[[noreturn]] inline void no_device(int status, const std::string &why) {
  if (status == -EINVAL) throw BadOption(why);
  throw std::runtime_error(why);
}

}  // namespace orm::tools
#endif  // OPENREMAP_BAD_OPTION_H
