// SPDX-License-Identifier: Apache-2.0
#include "rocksplugin/plugin_uri.h"

#include <charconv>
#include <sstream>
#include <system_error>

namespace openremap {

using leveldb::Status;

namespace {

Status SetOption(const std::string &word, PluginTarget *target) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const std::string where = std::string(kPluginOptions) + ": " + word;
  if (name == "geometry" && !value.empty()) {
    target->geometry = value;
    return Status::OK();
  }
  if (name == "superblocks") {
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), target->superblocks);
    if (code == std::errc() && end == value.data() + value.size()) return Status::OK();
    return Status::InvalidArgument(where, "expected a number");
  }
  if (name == "placement") {
    if (value != "off" && value != "level" && value != "table") {
      return Status::InvalidArgument(where, "expected off, level or table");
    }
    target->mount.placement = value != "off";
    target->mount.table_units = value == "table";
    return Status::OK();
  }
  return Status::InvalidArgument(where, "expected geometry=, superblocks= or placement=");
}

}  // namespace

Status ParsePluginUri(const std::string &uri, const std::string &options, PluginTarget *target) {
  const std::string head = std::string(kPluginScheme) + "://";
  const std::string rest = uri.compare(0, head.size(), head) == 0 ? uri.substr(head.size()) : "";
  const size_t slash = rest.find('/');
  const std::string kind = rest.substr(0, slash);
  if (rest.empty() || (kind.empty() && rest.size() < 2) ||
      (!kind.empty() && kind != "model" && kind != "rtl" && kind != "soc")) {
    return Status::InvalidArgument(uri,
                                   "expected pagefs://model, ://rtl or ://soc, with a /FOLDER or without, or the "
                                   "path of a node, as pagefs:///dev/ng0n1");
  }
  *target = PluginTarget();
  target->kind = kind;
  (kind.empty() ? target->node : target->image_dir) = slash == std::string::npos ? "" : rest.substr(slash);
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    const Status s = SetOption(word, target);
    if (!s.ok()) return s;
  }
  if (kind.empty() && (!target->geometry.empty() || target->superblocks != 0)) {
    return Status::InvalidArgument(kPluginOptions, "geometry and superblocks are for simulated devices");
  }
  return Status::OK();
}

}  // namespace openremap
