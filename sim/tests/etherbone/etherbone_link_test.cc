// SPDX-License-Identifier: Apache-2.0
#include "etherbone_link.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <unordered_map>

#include "fake_board.h"

namespace orm {
namespace {

class EtherboneLinkTest : public ::testing::Test {
 protected:
  EtherboneLinkTest()
      : board_(
            [this](uint32_t address) {
              const std::lock_guard<std::mutex> lock(mutex_);
              return memory_[address];
            },
            [this](uint32_t address, uint32_t word) {
              const std::lock_guard<std::mutex> lock(mutex_);
              ++writes_;
              memory_[address] = stuck_ ? 0 : word;
            }) {}

  EtherboneLink::Options options() const {
    EtherboneLink::Options o;
    o.host = testing::FakeBoard::kAddress;
    o.port = board_.port();
    o.words = 32;
    o.patience = std::chrono::milliseconds(50);
    o.tries = 12;
    return o;
  }

  uint32_t word(uint32_t address) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return memory_[address];
  }
  unsigned writes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return writes_;
  }

  /// Stores and reads 1000 words, which must come back whatever goes wrong.
  void expect_all_comes_back(EtherboneLink *link) {
    std::vector<uint32_t> words(1000), back(1000);
    std::iota(words.begin(), words.end(), 0x80000000u);
    link->store(0x1000, words.data(), words.size());
    link->read(0x1000, back.data(), back.size());
    EXPECT_EQ(back, words);
    EXPECT_EQ(word(0x1000 + 4 * 999), words.back());
    EXPECT_EQ(word(0x1000 + 4 * 1000), 0u);
  }

  std::mutex mutex_;
  std::unordered_map<uint32_t, uint32_t> memory_;
  unsigned writes_ = 0;
  bool stuck_ = false;
  testing::FakeBoard board_;
};

TEST_F(EtherboneLinkTest, AllComesBackOverAGoodLinkInPacketsOfBoundedSize) {
  EtherboneLink link(options());
  expect_all_comes_back(&link);
  EXPECT_EQ(board_.longest(), 31u);
  EXPECT_EQ(link.counts().repeats, 0u);
  EXPECT_EQ(writes(), 1000u);
}

TEST_F(EtherboneLinkTest, QuestionsThatAreLostAreAskedAgain) {
  board_.faults.lose_question = 7;
  EtherboneLink link(options());
  expect_all_comes_back(&link);
  EXPECT_GT(link.counts().repeats, 0u);
}

TEST_F(EtherboneLinkTest, AnswersThatAreLostAreAskedForAgain) {
  board_.faults.lose_answer = 5;
  EtherboneLink link(options());
  expect_all_comes_back(&link);
  EXPECT_GT(link.counts().repeats, 0u);
}

TEST_F(EtherboneLinkTest, DoubledAndLateAnswersAreNotThoseToOtherQuestions) {
  board_.faults.twice = 2;
  board_.faults.late = 5;
  EtherboneLink link(options());
  expect_all_comes_back(&link);
  EXPECT_GT(link.counts().strays, 0u);
}

TEST_F(EtherboneLinkTest, WrongAnswersAreNoAnswers) {
  board_.faults.wrong_mark = 3;
  board_.faults.cut = 7;
  board_.faults.noise = 2;
  EtherboneLink link(options());
  expect_all_comes_back(&link);
  EXPECT_GT(link.counts().strays, 0u);
}

TEST_F(EtherboneLinkTest, ABoardThatSaysNothingIsAnErrorInTime) {
  board_.faults.silent = true;
  EtherboneLink::Options o = options();
  o.tries = 4;
  EtherboneLink link(o);
  const auto begun = std::chrono::steady_clock::now();
  try {
    (void)link.read(0);
    FAIL() << "a silent board was read";
  } catch (const LinkError &e) {
    EXPECT_STREQ(e.what(), "board 127.0.0.2: no answer within 0.2 s");
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(200));
  EXPECT_EQ(link.counts().sent, 4u);
}

TEST_F(EtherboneLinkTest, MemoryThatKeepsNothingIsAnError) {
  stuck_ = true;
  EtherboneLink link(options());
  const uint32_t word = 1;
  try {
    link.store(0x40, &word, 1);
    FAIL() << "a word was stored in nothing";
  } catch (const LinkError &e) {
    EXPECT_STREQ(e.what(), "board 127.0.0.2: memory at 0x40 does not read as it was written");
  }
  EXPECT_EQ(writes(), 12u);
}

TEST_F(EtherboneLinkTest, AWriteIsSentOnce) {
  EtherboneLink link(options());
  link.write(0x10, 5);
  EXPECT_EQ(link.read(0x10), 5u);  // behind it
  EXPECT_EQ(writes(), 1u);
}

TEST_F(EtherboneLinkTest, OneProgramAtATimeHasTheBoard) {
  EtherboneLink link(options());
  try {
    EtherboneLink second(options());
    FAIL() << "two programs have the board";
  } catch (const LinkError &e) {
    EXPECT_NE(std::string(e.what()).find("another program may have the board"), std::string::npos) << e.what();
  }
}

TEST_F(EtherboneLinkTest, WhatCannotBeALinkIsRefused) {
  EtherboneLink::Options o = options();
  o.words = 1;
  EXPECT_THROW(EtherboneLink{o}, LinkError);
  o.words = 256;
  EXPECT_THROW(EtherboneLink{o}, LinkError);
  o.words = 32;
  o.host = "no such host";
  EXPECT_THROW(EtherboneLink{o}, LinkError);
}

}  // namespace
}  // namespace orm
