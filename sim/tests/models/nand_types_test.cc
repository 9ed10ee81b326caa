// SPDX-License-Identifier: Apache-2.0
#include "nand_types.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace orm {
namespace {

/// Names of a ChiselEnum of NandPort.scala in the order of their encoding.
std::vector<std::string> scala_enum(const std::string &name) {
  std::ifstream file(ORM_NAND_PORT_SCALA);
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const size_t begin = all.find("object " + name + " extends ChiselEnum");
  if (begin == std::string::npos) return {};
  std::stringstream body(all.substr(begin, all.find("\n}", begin) - begin));
  std::vector<std::string> names;
  for (std::string line; std::getline(body, line);) {
    const size_t val = line.find("val "), equals = line.find("= Value");
    if (val == std::string::npos || equals == std::string::npos) continue;
    std::stringstream list(line.substr(val + 4, equals - val - 4));
    for (std::string item; std::getline(list, item, ',');) {
      item.erase(std::remove(item.begin(), item.end(), ' '), item.end());
      names.push_back(item);
    }
  }
  return names;
}

TEST(NandTypes, OperationsAreEncodedAsInTheRtl) {
  EXPECT_EQ(scala_enum("NandOp"), (std::vector<std::string>{"read", "probe", "transfer", "program", "erase"}));
  EXPECT_EQ(unsigned(NandOp::kRead), 0u);
  EXPECT_EQ(unsigned(NandOp::kProbe), 1u);
  EXPECT_EQ(unsigned(NandOp::kTransfer), 2u);
  EXPECT_EQ(unsigned(NandOp::kProgram), 3u);
  EXPECT_EQ(unsigned(NandOp::kErase), 4u);
}

TEST(NandTypes, StatusesAreEncodedAsInTheRtl) {
  EXPECT_EQ(scala_enum("NandStatus"), (std::vector<std::string>{"ok", "failed", "uncorrectable", "erased"}));
  EXPECT_EQ(unsigned(NandStatus::kOk), 0u);
  EXPECT_EQ(unsigned(NandStatus::kFailed), 1u);
  EXPECT_EQ(unsigned(NandStatus::kUncorrectable), 2u);
  EXPECT_EQ(unsigned(NandStatus::kErased), 3u);
}

}  // namespace
}  // namespace orm
