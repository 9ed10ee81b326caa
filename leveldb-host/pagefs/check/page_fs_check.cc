// SPDX-License-Identifier: Apache-2.0
#include "pagefs/check/page_fs_check.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

#include "pagefs/check/metadata_check.h"
#include "pagefs/metadata/metadata_format.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr uint64_t kReadPages = 256;  // one read of a file's contents

std::string Quoted(const std::string &name) {
  std::string text = "'";
  for (const char c : name) {
    if (std::isprint(static_cast<unsigned char>(c)) != 0 && c != '\'' && c != '\\') {
      text += c;
    } else {
      char code[8];
      std::snprintf(code, sizeof(code), "\\x%02x", static_cast<unsigned char>(c));
      text += code;
    }
  }
  return text + "'";
}

std::string FileText(const CheckedFile &file) {
  return "file " + std::to_string(file.inode) + (file.name.empty() ? "" : " " + Quoted(file.name));
}

bool IsBlank(const std::string &page) {
  return std::all_of(page.begin(), page.end(), [](char c) { return c == '\0'; });
}

class Checker {
 public:
  Checker(PageDevice *device, PageFsCheck *check) : device_(device), check_(check) {}

  void Run(bool read_files) {
    check_->device_pages = device_->Pages();
    if (!CheckSuperblock()) return;
    const std::vector<Record> records = CheckMetadata(device_, superblock_, check_);
    uint64_t number = 0;
    for (const Record &record : records) {
      if (check_->clean) Finding("record behind the one that says that the last mount ended in order");
      place_ = "record " + std::to_string(++number) + " of " + std::to_string(records.size()) + ": ";
      check_->clean = record.type == RecordType::kClean;
      Apply(record);
    }
    place_.clear();
    for (const auto &[name, inode] : names_) check_->files.push_back(inodes_.at(inode));
    for (const CheckedFile &file : check_->files) CheckSize(file);
    CheckOwners();
    if (read_files) ReadFiles();
  }

 private:
  void Finding(const std::string &what) { check_->findings.push_back(place_ + what); }

  // False: there is nothing more to look at.
  bool CheckSuperblock() {
    std::string page(kPageBytes, '\0');
    Status s = device_->Read(0, 1, &page[0]);
    if (s.ok() && IsBlank(page)) return false;
    check_->formatted = true;
    if (s.ok()) s = superblock_.Decode(page.data());
    if (!s.ok()) {
      Finding("superblock (LPN 0): " + s.ToString());
      return false;
    }
    check_->area_pages = superblock_.area_pages;
    if (superblock_.pages > device_->Pages()) {
      Finding("superblock: made on a device of " + std::to_string(superblock_.pages) + " pages, this one has " +
              std::to_string(device_->Pages()));
      return false;
    }
    if (superblock_.area_pages == 0 || superblock_.area_pages > (superblock_.pages - 1) / 2) {
      Finding("superblock: metadata areas of " + std::to_string(superblock_.area_pages) + " pages on a device of " +
              std::to_string(superblock_.pages));
      return false;
    }
    if (superblock_.pages < device_->Pages()) {
      check_->notes.push_back("superblock: of the device's " + std::to_string(device_->Pages()) + " pages " +
                              std::to_string(superblock_.pages) + " are used");
    }
    return true;
  }

  void Apply(const Record &record) {
    if (record.Version() > superblock_.version) {
      Finding("has a hole, in a file system of version " + std::to_string(superblock_.version));
    }
    switch (record.type) {
      case RecordType::kCreate:
        if (CheckName(record.name)) Create(record);
        return;
      case RecordType::kExtend:
        Extend(record);
        return;
      case RecordType::kPunch:
        Punch(record);
        return;
      case RecordType::kRename:
        if (CheckName(record.name) && CheckName(record.second_name)) Rename(record);
        return;
      case RecordType::kRemove:
        if (!CheckName(record.name)) return;
        if (names_.count(record.name) == 0) Finding("removes " + Quoted(record.name) + ", which is not there");
        Unbind(record.name);
        return;
      case RecordType::kClean:
        return;
    }
  }

  bool CheckName(const std::string &name) {
    if (name.empty()) Finding("an empty name");
    return !name.empty();
  }

  void Create(const Record &record) {
    if (record.inode == 0 || inodes_.count(record.inode) != 0) {
      Finding("makes " + Quoted(record.name) + " as file " + std::to_string(record.inode) + ", which is there");
      return;
    }
    Unbind(record.name);
    names_[record.name] = record.inode;
    CheckedFile &file = inodes_[record.inode];
    file.inode = record.inode;
    file.name = record.name;
  }

  void Extend(const Record &record) {
    const auto found = inodes_.find(record.inode);
    if (found == inodes_.end()) {
      Finding("extends file " + std::to_string(record.inode) + ", which is not there");
      return;
    }
    CheckedFile &file = found->second;
    if (record.size < file.size) {
      Finding(FileText(file) + " shrinks from " + std::to_string(file.size) + " to " + std::to_string(record.size) +
              " bytes");
    }
    file.size = record.size;
    file.extents.insert(file.extents.end(), record.extents.begin(), record.extents.end());
  }

  void Punch(const Record &record) {
    const auto found = inodes_.find(record.inode);
    if (found == inodes_.end()) {
      Finding("makes a hole in file " + std::to_string(record.inode) + ", which is not there");
      return;
    }
    CheckedFile &file = found->second;
    const uint64_t whole = std::min(FilePages(file.extents), file.size / kPageBytes);
    if (record.first > whole || record.pages == 0 || record.pages > whole - record.first) {
      Finding(FileText(file) + ": a hole of " + std::to_string(record.pages) + " pages from page " +
              std::to_string(record.first) + " on, the file has " + std::to_string(whole) + " whole ones");
      return;
    }
    (void)PunchExtents(record.first, record.pages, &file.extents);
  }

  void Rename(const Record &record) {
    const auto found = names_.find(record.name);
    if (found == names_.end()) {
      Finding("renames " + Quoted(record.name) + ", which is not there");
      return;
    }
    const uint64_t inode = found->second;
    names_.erase(found);
    Unbind(record.second_name);
    names_[record.second_name] = inode;
    inodes_[inode].name = record.second_name;
  }

  void Unbind(const std::string &name) {
    const auto found = names_.find(name);
    if (found == names_.end()) return;
    inodes_.erase(found->second);
    names_.erase(found);
  }

  void CheckSize(const CheckedFile &file) {
    const uint64_t pages = FilePages(file.extents);
    const uint64_t needed = file.size / kPageBytes + (file.size % kPageBytes != 0 ? 1 : 0);
    if (pages != needed) {
      Finding(FileText(file) + ": " + std::to_string(file.size) + " bytes need " + std::to_string(needed) +
              " pages, its extents have " + std::to_string(pages));
    }
  }

  // Each page has one owner at most, and none outside the pages for file data has any.
  void CheckOwners() {
    struct Owned {
      PageRun run;
      const CheckedFile *file;
    };
    std::vector<Owned> owned;
    const uint64_t first = 1 + 2 * superblock_.area_pages;
    for (const CheckedFile &file : check_->files) {
      for (const PageRun &run : file.extents) {
        if (IsHole(run) && run.pages != 0) continue;
        if (run.pages == 0 || run.lpn < first || run.lpn >= superblock_.pages ||
            run.pages > superblock_.pages - run.lpn) {
          Finding(FileText(file) + ": an extent of " + std::to_string(run.pages) + " pages at LPN " +
                  std::to_string(run.lpn) + " is not within the pages for file data, " +
                  PagesText({first, superblock_.pages - first}));
        } else {
          owned.push_back({run, &file});
        }
      }
    }
    std::sort(owned.begin(), owned.end(), [](const Owned &a, const Owned &b) { return a.run.lpn < b.run.lpn; });
    uint64_t end = first;
    const CheckedFile *last = nullptr;
    for (const Owned &next : owned) {
      const uint64_t next_end = next.run.lpn + next.run.pages;
      if (next.run.lpn < end) {
        Finding(PagesText({next.run.lpn, std::min(end, next_end) - next.run.lpn}) + ": owned by " + FileText(*last) +
                " and by " + FileText(*next.file));
      }
      if (next.run.lpn > end) check_->free_runs.push_back({end, next.run.lpn - end});
      if (next_end > end) {
        check_->used_pages += next_end - std::max(end, next.run.lpn);
        end = next_end;
        last = next.file;
      }
    }
    if (end < superblock_.pages) check_->free_runs.push_back({end, superblock_.pages - end});
    check_->free_pages = superblock_.pages - first - check_->used_pages;
  }

  void ReadFiles() {
    std::string data(static_cast<size_t>(kReadPages * kPageBytes), '\0');
    for (const CheckedFile &file : check_->files) {
      for (const PageRun &run : file.extents) {
        if (IsHole(run)) continue;
        for (uint64_t done = 0; done < run.pages && run.lpn + done < device_->Pages(); done += kReadPages) {
          const PageRun part{run.lpn + done, std::min(kReadPages, run.pages - done)};
          const Status s = device_->Read(part.lpn, part.pages, &data[0]);
          if (!s.ok()) Finding(FileText(file) + ", " + PagesText(part) + ": cannot be read: " + s.ToString());
        }
      }
    }
  }

  PageDevice *const device_;
  PageFsCheck *const check_;
  Superblock superblock_;
  std::map<std::string, uint64_t> names_;
  std::map<uint64_t, CheckedFile> inodes_;
  std::string place_;  // before each finding
};

}  // namespace

PageFsCheck CheckPageFs(PageDevice *device, bool read_files) {
  PageFsCheck check;
  Checker(device, &check).Run(read_files);
  return check;
}

std::string SpaceText(const PageFsCheck &check) {
  if (!check.formatted) return "no file system: page 0 reads zero\n";
  uint64_t extents = 0;
  uint64_t bytes = 0;
  for (const CheckedFile &file : check.files) {
    extents += static_cast<uint64_t>(file.extents.size()) -
               static_cast<uint64_t>(std::count_if(file.extents.begin(), file.extents.end(), IsHole));
    bytes += file.size;
  }
  uint64_t largest = 0;
  for (const PageRun &run : check.free_runs) largest = std::max(largest, run.pages);
  const uint64_t metadata = 1 + 2 * check.area_pages;
  const auto line = [](uint64_t pages, const std::string &what) {
    std::string number = std::to_string(pages);
    number.insert(0, number.size() < 12 ? 12 - number.size() : 0, ' ');
    return number + " pages " + what + "\n";
  };
  return line(metadata + check.used_pages + check.free_pages, "of " + std::to_string(kPageBytes) + " bytes") +
         line(metadata, "for metadata: superblock and two areas") +
         line(check.used_pages, "used by " + std::to_string(check.files.size()) + " files of " + std::to_string(bytes) +
                                    " bytes, in " + std::to_string(extents) + " extents") +
         line(check.free_pages, "free, in " + std::to_string(check.free_runs.size()) + " runs") +
         line(largest, "in the largest of these");
}

std::string ToText(const PageFsCheck &check, bool list) {
  std::string text;
  if (list) {
    for (const CheckedFile &file : check.files) {
      text += std::to_string(file.size) + " bytes, file " + std::to_string(file.inode) + ": " + Quoted(file.name);
      const char *separator = ", ";
      for (const PageRun &run : file.extents) {
        text += separator + (IsHole(run) ? "a hole of " + std::to_string(run.pages) : PagesText(run));
        separator = "; ";
      }
      text += "\n";
    }
  }
  for (const std::string &note : check.notes) text += "note: " + note + "\n";
  for (const std::string &finding : check.findings) text += "FINDING: " + finding + "\n";
  if (!check.formatted) {
    text += "no file system: page 0 reads zero\n";
  } else {
    text += std::to_string(check.files.size()) + " files on " + std::to_string(check.used_pages) + " pages, " +
            std::to_string(check.free_pages) + " pages free; metadata generation " + std::to_string(check.generation) +
            ", " + std::to_string(check.records) + " records, the last mount " +
            (check.clean ? "ended in order" : "did not end in order, or goes on") + "\n";
  }
  return text + std::to_string(check.findings.size()) + " findings\n";
}

}  // namespace openremap
