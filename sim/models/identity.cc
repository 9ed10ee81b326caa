// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>

#include "sim_error.h"

namespace orm {
namespace {

constexpr size_t kMostBytes = 4096;  // of a file; one of an identity has some two hundred
constexpr const char *kComment =
    "# What distinguishes this device from every other. A copy of this folder needs another: --new-identity.\n";

constexpr uint8_t kGroupAddress = 0x01;
// The low four bits of the first byte: administered locally, by whoever assigns it (IEEE 802c), and no group address.
constexpr uint8_t kLocal = 0x02, kLocalMask = 0x0F;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string failed(const std::string &path, const char *doing) {
  return path + ": cannot " + doing + ": " + std::strerror(errno);
}

/// For a message, which is one line whatever was found: bytes that are no printable ASCII as \xNN.
std::string shown(const std::string &text) {
  std::string safe;
  char escaped[5];
  for (const char c : text) {
    std::snprintf(escaped, sizeof escaped, "\\x%02x", uint8_t(c));
    safe += c >= ' ' && c <= '~' ? std::string(1, c) : escaped;
  }
  return "'" + safe + "'";
}

/// Why no device can have this serial number; empty if one can.
std::string wrong_serial(const std::string &serial) {
  if (serial.empty() || serial.size() > Identity::kMostCharacters)
    return shown(serial) + " has not from 1 to " + std::to_string(Identity::kMostCharacters) + " characters";
  const bool printable = std::all_of(serial.begin(), serial.end(), [](char c) { return c >= '!' && c <= '~'; });
  return printable ? "" : "has a character that is none of '!' to '~' in ASCII";
}

/// FNV-1a, with the last steps of SplitMix64: numbers in a row differ in all bits.
uint64_t hash_of(const std::string &text) {
  uint64_t h = 0xCBF29CE484222325;
  for (const char c : text) h = (h ^ uint8_t(c)) * 0x100000001B3;
  h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9;
  h = (h ^ h >> 27) * 0x94D049BB133111EB;
  return h ^ h >> 31;
}

std::string hex_of(const std::array<uint8_t, 8> &bytes) {
  std::string text;
  char digits[3];
  for (const uint8_t byte : bytes) {
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

bool parse_eui64(const std::string &text, std::array<uint8_t, 8> *out) {
  if (text.size() != 2 * out->size() || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return false;
  for (size_t i = 0; i < out->size(); ++i) (*out)[i] = uint8_t(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  return (*out)[0] % 2 != kGroupAddress && std::any_of(out->begin(), out->end(), [](uint8_t b) { return b != 0; });
}

/// The file's text; nothing if there is no file.
std::optional<std::string> content(const std::string &path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe would be waited for
  struct stat found {};
  if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    // A link has its identity elsewhere, which may come back: it is not replaced by another one.
    if (lstat(path.c_str(), &found) == 0) throw ImageError(path + ": a link to a file that is not there");
    return std::nullopt;  // the check of the folder tells what is wrong with a path that leads nowhere
  }
  if (file.get() < 0 || fstat(file.get(), &found) != 0) throw ImageError(failed(path, "open it"));
  if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) throw ImageError(path + ": not a regular file");
  std::string text(kMostBytes + 1, '\0');
  size_t bytes = 0;
  for (ssize_t got = 1; got != 0 && bytes < text.size(); bytes += size_t(got)) {
    got = read(file.get(), &text[bytes], text.size() - bytes);
    if (got < 0) throw ImageError(failed(path, "read it"));
  }
  text.resize(bytes);
  return text;
}

Identity parse(const std::string &text, const std::string &path) {
  const auto refuse = [&](const std::string &why) {
    return ImageError(path + ": " + why + " (--new-identity gives the device another identity)");
  };
  if (text.size() > kMostBytes) throw refuse("not the identity of a device");
  std::map<std::string, std::string> found;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    const std::string name = line.substr(0, space);
    if (space == std::string::npos || (name != "version" && name != "serial" && name != "eui64"))
      throw refuse("line " + std::to_string(number) + " is none of version, serial, eui64");
    if (!found.emplace(name, line.substr(space + 1)).second) throw refuse("two lines say " + name);
  }
  for (const char *name : {"version", "serial", "eui64"}) {
    if (found.count(name) == 0) throw refuse(std::string("has no ") + name);
    if (name == std::string("version") && found[name] != std::to_string(DeviceIdentity::kVersion)) {
      throw refuse("identity version " + shown(found[name]) + ", this program knows version " +
                   std::to_string(DeviceIdentity::kVersion));
    }
  }
  Identity identity;
  identity.serial = found["serial"];
  const std::string wrong = wrong_serial(identity.serial);
  if (!wrong.empty()) throw refuse("serial: " + wrong);
  if (!parse_eui64(found["eui64"], &identity.eui64))
    throw refuse("eui64: " + shown(found["eui64"]) + " is not 16 hexadecimal digits of one device");
  return identity;
}

void write_all(int fd, const std::string &text, const std::string &path) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = write(fd, text.data() + done, text.size() - done);
    if (put < 0) throw ImageError(failed(path, "write it"));
    done += size_t(put);
  }
  if (fsync(fd) != 0) throw ImageError(failed(path, "write it"));
}

/// Makes the names in the folder of `path` durable.
void sync_folder(const std::string &path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0 || fsync(opened.get()) != 0) throw ImageError(failed(path, "write it"));
}

/// A power cut of this machine, or a full file system, leaves the old file or the new one. The new one stays once this
/// has returned: nobody has seen an identity that is gone after the cut.
void replace(const std::string &path, const std::string &text) {
  const std::string partial = path + ".new";
  try {
    const Descriptor file(open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) throw ImageError(failed(path, "write it"));
    write_all(file.get(), text, path);
    if (rename(partial.c_str(), path.c_str()) != 0) throw ImageError(failed(path, "write it"));
    sync_folder(path);
  } catch (const ImageError &) {
    unlink(partial.c_str());
    throw;
  }
}

}  // namespace

Identity identity_of(const std::string &serial) {
  const std::string wrong = wrong_serial(serial);
  if (!wrong.empty()) throw OptionError("serial number: " + wrong);
  Identity identity;
  identity.serial = serial;
  const uint64_t hash = hash_of(serial);
  for (size_t i = 0; i < identity.eui64.size(); ++i) identity.eui64[i] = uint8_t(hash >> 8 * (7 - i));
  identity.eui64[0] = uint8_t((identity.eui64[0] & ~kLocalMask) | kLocal);
  return identity;
}

Identity drawn_identity() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != ssize_t(sizeof number))
    throw ConfigError(std::string("no random numbers for a serial number: ") + std::strerror(errno));
  char serial[Identity::kMostCharacters + 1];
  std::snprintf(serial, sizeof serial, "ORM%016llX", static_cast<unsigned long long>(number));
  return identity_of(serial);
}

Identity memory_identity() { return identity_of("ORM00000001"); }

DeviceIdentity::DeviceIdentity(const std::string &folder, bool unchanged, const IdentityOptions &options)
    : path_(folder.empty() ? "" : folder + "/" + kFile), replaces_(options.fresh) {
  if (unchanged && options.fresh) throw OptionError("new identity: the images stay unchanged");
  if (options.serial) identity_ = identity_of(*options.serial);
  const std::optional<std::string> text = path_.empty() || options.fresh ? std::nullopt : content(path_);
  if (text) {
    identity_ = parse(*text, path_);
    if (options.serial && *options.serial != identity_.serial) {
      throw OptionError("serial number: the device in '" + folder + "' has " + identity_.serial + ", not " +
                        *options.serial);
    }
    return;
  }
  to_write_ = !path_.empty() && !unchanged;
  if (!options.serial) identity_ = to_write_ || options.fresh ? drawn_identity() : memory_identity();
}

void DeviceIdentity::keep() {
  if (!to_write_) return;
  if (!replaces_ && access(path_.c_str(), F_OK) == 0)
    throw ImageError(path_ + ": another device was made there at the same time; start again");
  replace(path_, kComment + ("version " + std::to_string(kVersion)) + "\nserial " + identity_.serial + "\neui64 " +
                     hex_of(identity_.eui64) + "\n");
  to_write_ = false;
}

}  // namespace orm
