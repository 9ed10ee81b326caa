// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_TEMP_DIR_H
#define OPENREMAP_TEST_TEMP_DIR_H

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace orm {

/// A new folder, which is removed with the object.
class TempDir {
 public:
  TempDir() {
    std::string name = std::filesystem::temp_directory_path() / "openremap_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;
  std::string path;
};

}  // namespace orm
#endif  // OPENREMAP_TEST_TEMP_DIR_H
