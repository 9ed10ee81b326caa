// SPDX-License-Identifier: Apache-2.0
//
// Traces of operations: written, read back, and files that are no traces.
#include "bench/files/trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "temp_dir.h"

namespace openremap {
namespace {

std::vector<Operation> All(OperationSource *source) {
  std::vector<Operation> all;
  for (Operation operation; source->Next(&operation);) all.push_back(operation);
  EXPECT_EQ(all.size(), source->count());
  return all;
}

class TraceTest : public ::testing::Test {
 protected:
  TraceTest() {
    options_.workload = Workload::kYcsbE;
    options_.num = 100;
    options_.operations = 500;
    options_.seed = 5;
    options_.value_size = 10;
    options_.value_size_max = 30;
  }
  std::string Written() {
    leveldb::Status s;
    const auto trace = TraceWriter::Create(path_, options_, MakeSource(SourceOptionsOf(options_)), &s);
    EXPECT_NE(trace, nullptr) << s.ToString();
    All(trace.get());
    EXPECT_TRUE(trace->Close().ok());
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // How reading a file of these contents ends.
  leveldb::Status Read(const std::string &contents) {
    std::ofstream(path_) << contents;
    leveldb::Status s;
    const auto trace = TraceReader::Open(path_, &s);
    if (trace == nullptr) return s;
    for (Operation operation; trace->Next(&operation);) {
    }
    return trace->status();
  }

  const orm::TempDir folder_;
  const std::string path_ = folder_.path + "/operations.txt";
  BenchOptions options_;
};

TEST_F(TraceTest, CoinsAndTheirCommits) {
  options_.workload = Workload::kUtxo;
  options_.utxo = {20, 3, 5};
  const std::string good = Written();
  EXPECT_EQ(good.substr(0, good.find('\n')), "openremap-operations 1 utxo 100 500 16 10 30 5 20 3 5");
  EXPECT_NE(good.find("\ncommit\nend\n"), std::string::npos);
  leveldb::Status s;
  const auto trace = TraceReader::Open(path_, &s);
  ASSERT_NE(trace, nullptr) << s.ToString();
  EXPECT_EQ(All(trace.get()), All(MakeSource(SourceOptionsOf(options_)).get()));
  BenchOptions applied;
  trace->Apply(&applied);
  EXPECT_EQ(applied.utxo.outputs, 20u);
  EXPECT_EQ(applied.utxo.flush, 3u);
  EXPECT_EQ(applied.utxo.cache, 5u);
  const std::string head = "openremap-operations 1 utxo 100 1 16 10 30 5 20 3 5";
  EXPECT_TRUE(Read(head + "\ncommit\nend\n").ok());
  for (const std::string wrong : {"commit 1", "put", "commit ", "delete"}) {
    EXPECT_TRUE(Read(head + "\n" + wrong + "\nend\n").IsInvalidArgument()) << wrong;
  }
}

TEST_F(TraceTest, GivesWhatWasWritten) {
  Written();
  leveldb::Status s;
  const auto trace = TraceReader::Open(path_, &s);
  ASSERT_NE(trace, nullptr) << s.ToString();
  EXPECT_EQ(All(trace.get()), All(MakeSource(SourceOptionsOf(options_)).get()));
  EXPECT_TRUE(trace->status().ok());
  BenchOptions applied;
  trace->Apply(&applied);
  EXPECT_EQ(applied.workload, Workload::kYcsbE);
  EXPECT_EQ(applied.num, 100u);
  EXPECT_EQ(applied.Operations(), 500u);
  EXPECT_EQ(applied.seed, 5u);
  EXPECT_EQ(applied.value_size, 10u);
  EXPECT_EQ(applied.value_size_max, 30u);
}

TEST_F(TraceTest, AMixHasItsShares) {
  options_.workload = Workload::kMix;
  options_.mix = {10, 20, 30, 25, 15, MixKeys::kLatest};
  const std::string good = Written();
  EXPECT_EQ(good.substr(0, good.find('\n')), "openremap-operations 1 mix 100 500 16 10 30 5 10 20 30 25 15 latest");
  leveldb::Status s;
  const auto trace = TraceReader::Open(path_, &s);
  ASSERT_NE(trace, nullptr) << s.ToString();
  EXPECT_EQ(All(trace.get()), All(MakeSource(SourceOptionsOf(options_)).get()));
  BenchOptions applied;
  trace->Apply(&applied);
  EXPECT_EQ(applied.mix.remove, 25);
  EXPECT_EQ(applied.mix.keys, MixKeys::kLatest);
  const std::string rest = "\ndelete 3\nend\n", head = "openremap-operations 1 mix 100 1 16 10 30 5";
  EXPECT_TRUE(Read(head + " 0 0 0 100 0 uniform" + rest).ok());
  for (const char *shares : {"", " 0 0 0 100 0", " 0 0 0 99 0 uniform", " 0 0 0 101 0 uniform", " 0 0 0 100 0 hot"}) {
    EXPECT_NE(Read(head + shares + rest).ToString().find("line 1: "), std::string::npos) << shares;
  }
}

TEST_F(TraceTest, DamagedFilesAreErrors) {
  const std::string good = Written();
  EXPECT_TRUE(Read(good).ok());
  EXPECT_FALSE(Read("").ok());
  EXPECT_FALSE(Read("something else\n").ok());
  EXPECT_FALSE(Read(good.substr(0, good.size() - 4)).ok()) << "no end";
  EXPECT_FALSE(Read(good.substr(0, good.size() / 2)).ok());
  leveldb::Status s;
  EXPECT_EQ(TraceReader::Open("/nonexistent/file", &s), nullptr);
  EXPECT_TRUE(s.IsIOError());
  EXPECT_EQ(TraceWriter::Create("/nonexistent/file", options_, MakeSource(SourceOptionsOf(options_)), &s), nullptr);
  EXPECT_TRUE(s.IsIOError());
}

TEST_F(TraceTest, AWrongOperationIsToldWithItsLine) {
  const std::string good = Written();
  const size_t second = good.find('\n') + 1;
  const size_t third = good.find('\n', second) + 1;
  for (const char *line :
       {"sing 3", "get", "get 99999", "get x", "get -1", "get 3 4", "get 3x", "get  3", "get 3 ", " get 3", "get 3\r",
        "", "put 18446744073709551616", "scan 3", "scan 5 -1", "scan 5 0", "scan 5 1 1", "end"}) {
    const leveldb::Status s = Read(good.substr(0, second) + line + "\n" + good.substr(third));
    EXPECT_TRUE(s.IsInvalidArgument()) << line;
    EXPECT_NE(s.ToString().find("line 2: "), std::string::npos) << s.ToString();
    EXPECT_EQ(s.ToString().find('\r'), std::string::npos);
  }
}

TEST_F(TraceTest, TheEndIsTheEnd) {
  const std::string good = Written();  // 500 operations between two lines
  for (const auto &[contents, said] : std::map<std::string, std::string>{
           {good + "get 3\n", "line 503: 'get 3' after the end"},
           {good + "\n", "line 503: '' after the end"},
           {good.substr(0, good.size() - 4) + "get 3\nend\n", "line 502: 'get 3' where the end should be"},
           {good.substr(0, good.size() - 4), "line 502: the file ends"}}) {
    const leveldb::Status s = Read(contents);
    EXPECT_TRUE(s.IsInvalidArgument());
    EXPECT_NE(s.ToString().find(said), std::string::npos) << s.ToString();
  }
}

TEST_F(TraceTest, TheFirstLineHasTheLimitsOfOptions) {
  const std::string rest = "\nget 3\nend\n";
  EXPECT_TRUE(Read("openremap-operations 1 ycsba 1000 1 16 984 0 1" + rest).ok());
  for (const auto &[head, said] :
       std::map<std::string, std::string>{{"ycsba 1000000000000000 1 16 984 0 1", "--num=1000000000000000"},
                                          {"ycsba -1 1 16 984 0 1", "--num=-1"},
                                          {"ycsba 0 1 16 984 0 1", "--num=0"},
                                          {"ycsba 1000 -1 16 984 0 1", "--operations=-1"},
                                          {"ycsba 1000 0 16 984 0 1", "no operations"},
                                          {"ycsba 1000 1 99999999999 984 0 1", "--key-size=99999999999"},
                                          {"ycsba 1000 1 1 984 0 1", "--key-size=1: "},
                                          {"ycsba 1000000000 1 8 984 0 1", "--key-size=8 "},
                                          {"ycsba 1000 1 16 99999999999 0 1", "--value-size=99999999999"},
                                          {"ycsba 1000 1 16 984 99999999999 1", "--value-size-max=99999999999"},
                                          {"ycsba 1000 1 16 984 10 1", "--value-size-max=10"},
                                          {"ycsba 1000 1 16 984 0 -1", "--seed=-1"},
                                          {"ycsba 1000 1 16 984 0 1x", "--seed=1x"},
                                          {"ycsbz 1000 1 16 984 0 1", "--workload=ycsbz"},
                                          {"readrandom 1000 1 16 984 0 1", "readrandom is no stream"},
                                          {"ycsba 1000 1 16 984 0", "no file of operations"},
                                          {"ycsba 1000 1 16 984 0 1 ", "no file of operations"},
                                          {"ycsba 1000 1 16 984 0 1 1", "no file of operations"}}) {
    const leveldb::Status s = Read("openremap-operations 1 " + head + rest);
    EXPECT_TRUE(s.IsInvalidArgument()) << head;
    EXPECT_NE(s.ToString().find("line 1: " + (said[0] == '-' ? "" : said)), std::string::npos) << s.ToString();
    EXPECT_NE(s.ToString().find(said), std::string::npos) << s.ToString();
  }
  EXPECT_FALSE(Read("openremap-operations 2 ycsba 1000 1 16 984 0 1" + rest).ok());
}

}  // namespace
}  // namespace openremap
