// SPDX-License-Identifier: Apache-2.0
#include "board_facts.h"

#include <gtest/gtest.h>

#include <fstream>

#include "temp_dir.h"

namespace orm {
namespace {

constexpr char kFacts[] = R"({
 "registers": {"board_control": 10, "board_messages": 20, "board_taken": 30, "board_faults": 40},
 "places": {"bar": 3489660928, "host_memory": 1342177280, "host_memory_bytes": 268435456},
 "start": [[1, {"x": 2}], "te\"xt", -3, 1.5, true, null],
 "link": {"port": 1234, "words": 64}
})";

std::string wrong(const std::string &kind) {
  try {
    (void)parse_board(kind);
  } catch (const BoardError &e) {
    return e.what();
  }
  return "";
}

/// A file with this text; the last one is overwritten.
std::string file_of(const std::string &text) {
  static const TempDir folder;
  const std::string file = folder.path + "/host.json";
  std::ofstream(file) << text;
  return file;
}

TEST(BoardFactsTest, ANameHasAHostAndPerhapsMore) {
  EXPECT_TRUE(is_board("board:x"));
  EXPECT_FALSE(is_board("rtl"));
  EXPECT_FALSE(is_board("board"));
  const BoardName one = parse_board("board:192.168.1.50");
  EXPECT_EQ(one.host, "192.168.1.50");
  EXPECT_EQ(one.port, 0);
  EXPECT_EQ(one.facts, "");
  EXPECT_EQ(one.slower, 1u);
  const BoardName all = parse_board("board:ecpix5:1235,facts=a/host.json,slower=100");
  EXPECT_EQ(all.host, "ecpix5");
  EXPECT_EQ(all.port, 1235);
  EXPECT_EQ(all.facts, "a/host.json");
  EXPECT_EQ(all.slower, 100u);
}

TEST(BoardFactsTest, WrongNamesAreRefused) {
  EXPECT_EQ(wrong("board:"), "device: 'board:' names no host: board:HOST[:PORT]");
  EXPECT_EQ(wrong("board::1"), "device: 'board::1' names no host: board:HOST[:PORT]");
  EXPECT_EQ(wrong("board:a:0"), "device: port '0' is not a number from 1 to 65535");
  EXPECT_EQ(wrong("board:a:65536"), "device: port '65536' is not a number from 1 to 65535");
  EXPECT_EQ(wrong("board:a:-1"), "device: port '-1' is not a number from 1 to 65535");
  EXPECT_EQ(wrong("board:a,slower=0"), "device: slower '0' is not a number from 1 to 1000000");
  EXPECT_EQ(wrong("board:a,facts="), "device: 'facts=' is neither facts=FILE nor slower=N");
}

TEST(BoardFactsTest, FactsAreRead) {
  const BoardFacts facts = read_facts(file_of(kFacts));
  EXPECT_EQ(facts.bar, 0xD0000000u);
  EXPECT_EQ(facts.memory, 0x50000000u);
  EXPECT_EQ(facts.memory_bytes, 0x10000000u);
  EXPECT_EQ(facts.control, 10u);
  EXPECT_EQ(facts.messages, 20u);
  EXPECT_EQ(facts.taken, 30u);
  EXPECT_EQ(facts.faults, 40u);
  EXPECT_EQ(facts.port, 1234);
  EXPECT_EQ(facts.words, 64u);
}

TEST(BoardFactsTest, NumbersHaveTheirPaths) {
  const auto found = json_numbers(kFacts);
  EXPECT_EQ(found.at("places.bar"), 3489660928u);
  EXPECT_EQ(found.size(), 9u);  // none of a list
}

TEST(BoardFactsTest, WrongFactsAreRefused) {
  for (const char *text : {"", "{", "{\"a\": }", "{\"a\" 1}", "[1,]", "{} x", "\"a", "{\"a\": 1", "nonsense"}) {
    EXPECT_THROW((void)json_numbers(text), BoardError) << text;
  }
  EXPECT_THROW((void)json_numbers(std::string(100000, '[')), BoardError);
  EXPECT_THROW((void)read_facts("nowhere/host.json"), BoardError);
  std::string text = kFacts;
  text.replace(text.find("\"bar\""), 5, "\"bat\"");
  try {
    (void)read_facts(file_of(text));
    FAIL() << "facts without BAR0";
  } catch (const BoardError &e) {
    EXPECT_NE(std::string(e.what()).find("has no number places.bar"), std::string::npos) << e.what();
  }
  text = kFacts;
  text.replace(text.find("3489660928"), 10, "13489660928");
  EXPECT_THROW((void)read_facts(file_of(text)), BoardError);
}

}  // namespace
}  // namespace orm
