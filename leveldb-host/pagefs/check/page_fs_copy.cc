// SPDX-License-Identifier: Apache-2.0
#include "pagefs/check/page_fs_copy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace openremap {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPagesAtATime = 256;

std::string CopyFile(PageDevice *device, const CheckedFile &file, const fs::path &to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) return to.parent_path().string() + ": " + error.message();
  std::ofstream out(to, std::ios::binary);
  uint64_t left = file.size;
  std::string pages;
  for (const PageRun &extent : file.extents) {
    for (uint64_t done = 0; done < extent.pages && left != 0 && out;) {
      const uint64_t part = std::min(extent.pages - done, kPagesAtATime);
      pages.resize(static_cast<size_t>(part * kPageBytes));
      if (IsHole(extent)) {
        pages.assign(pages.size(), '\0');
      } else {
        const leveldb::Status s = device->Read(extent.lpn + done, part, &pages[0]);
        if (!s.ok()) return file.name + ": " + s.ToString();
      }
      const uint64_t bytes = std::min<uint64_t>(left, pages.size());
      out.write(pages.data(), static_cast<std::streamsize>(bytes));
      left -= bytes;
      done += part;
    }
  }
  out.close();
  return out ? "" : to.string() + ": " + std::strerror(errno);
}

}  // namespace

std::string CopyFiles(PageDevice *device, const PageFsCheck &check, const std::string &folder) {
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error))) {
    return folder + ": is there already, and is no empty folder";
  }
  for (const CheckedFile &file : check.files) {
    const fs::path name(file.name);
    if (std::find(name.begin(), name.end(), "..") != name.end()) return file.name + ": leaves the folder";
  }
  fs::create_directories(folder, error);
  if (error) return folder + ": " + error.message();
  for (const CheckedFile &file : check.files) {
    const std::string wrong = CopyFile(device, file, fs::path(folder) / fs::path(file.name).relative_path());
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace openremap
