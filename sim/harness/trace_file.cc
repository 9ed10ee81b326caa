// SPDX-License-Identifier: Apache-2.0
#include "trace_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sim_error.h"

namespace orm {

void check_trace_file(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "a");
  if (file == nullptr) throw OptionError("cannot write trace file '" + path + "': " + std::strerror(errno));
  std::fclose(file);
}

}  // namespace orm
