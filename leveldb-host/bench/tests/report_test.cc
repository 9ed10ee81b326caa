// SPDX-License-Identifier: Apache-2.0
#include "bench/report.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "bench/options/options.h"
#include "bench_device.h"
#include "temp_dir.h"

namespace openremap {
namespace {

TEST(ReportTest, IsOneJsonObjectWithoutNotANumber) {
  BenchOptions options;
  options.workload = Workload::kReadSeq;
  options.mode = RemapMode::kRetain;
  options.device.device = "mem";
  OpenFailure failure;
  std::unique_ptr<BenchDevice> device = OpenBenchDevice(options.device, &failure);
  const std::string json = ReportJson(options, *device, BenchResult());
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(json.substr(json.size() - 2), "}\n");
  EXPECT_EQ(json.find(": nan"), std::string::npos);
  EXPECT_EQ(json.find(": -nan"), std::string::npos);
  EXPECT_EQ(json.find(": inf"), std::string::npos);
  for (const char *member : {"workload",
                             "device",
                             "mode",
                             "seed",
                             "geometry",
                             "user_bytes",
                             "host_bytes",
                             "bytes_by_cause",
                             "nand_bytes",
                             "gc_pages",
                             "gc_shared_pages",
                             "wear_pages",
                             "metadata_pages",
                             "nvram_bytes",
                             "erases",
                             "erase_counts",
                             "wa1",
                             "wa2",
                             "wa",
                             "remapped_pages",
                             "remap_fallbacks",
                             "unchanged_ratio",
                             "levels",
                             "space_amplification",
                             "latency_us",
                             "device_latency_us",
                             "device_seconds",
                             "firmware_seconds",
                             "host_cpu_seconds",
                             "background_cpu_seconds",
                             "get_bytes",
                             "get_read_bytes",
                             "get_read_bytes_of_spans",
                             "operations",
                             "sim_cycles",
                             "evaluated_cycles",
                             "sim_cpu_seconds",
                             "wall_seconds",
                             "keys_verified",
                             "keys_expected"}) {
    EXPECT_NE(json.find('"' + std::string(member) + "\": "), std::string::npos) << member;
  }
}

TEST(ReportTest, HasTheTimesOfCallsToTheDevice) {
  BenchResult result;
  BenchOptions options;
  options.device.device = "mem";
  OpenFailure failure;
  const std::unique_ptr<BenchDevice> device = OpenBenchDevice(options.device, &failure);
  EXPECT_NE(ReportJson(options, *device, result).find("\"device_latency_us\": {}"), std::string::npos);
  LatencyHistogram &writes = result.device_latencies.at(static_cast<size_t>(DeviceCall::kWrite));
  for (int i = 0; i < 999; i++) writes.Add(12);
  writes.Add(8000);
  result.device.least_erases = 1;
  result.device.mean_erases = 2;
  result.device.most_erases = 4;
  const std::string json = ReportJson(options, *device, result);
  EXPECT_NE(json.find("\"device_latency_us\": {\"write\": {\"count\": 1000, \"p50\": 0.012, \"p95\": 0.012, "
                      "\"p99\": 0.012, \"p999\": 0.012, \"max\": 8}}"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("\"erase_counts\": {\"least\": 1, \"mean\": 2, \"most\": 4}"), std::string::npos);
}

TEST(ReportTest, HasTheLinesOfTheValueLog) {
  BenchResult result;
  BenchOptions options;
  options.device.device = "mem";
  OpenFailure failure;
  const std::unique_ptr<BenchDevice> device = OpenBenchDevice(options.device, &failure);
  EXPECT_NE(ReportJson(options, *device, result).find("\"value_log\": {}"), std::string::npos);
  result.value_log = {
      {"collector_key_bytes", 1}, {"inserted_again_bytes", 2}, {"moved_copied_bytes", 3}, {"remapped_bytes", 8192}};
  options.value_log_collector = ValueLogCollector::kRemap;
  const std::string json = ReportJson(options, *device, result);
  EXPECT_NE(
      json.find("\"value_log\": {\"collector_key_bytes\": 1, \"inserted_again_bytes\": 2, \"moved_copied_bytes\": 3, "
                "\"remapped_bytes\": 8192}"),
      std::string::npos)
      << json;
  EXPECT_NE(json.find("\"value_log_collector\": \"remap\""), std::string::npos);
}

TEST(ReportTest, UnwritablePathIsAnError) {
  EXPECT_FALSE(WriteReport("/nonexistent/folder/x.json", "{}").ok());
  std::string error;
  EXPECT_TRUE(CanWriteReport("-", &error));
  const orm::TempDir folder;
  for (const std::string &path : {std::string("/nonexistent/folder/x.json"), folder.path}) {
    error.clear();
    EXPECT_FALSE(CanWriteReport(path, &error));
    EXPECT_EQ(error.find("--json=" + path + ": "), 0u) << error;
  }
  const std::string good = folder.path + "/report.json";
  EXPECT_TRUE(CanWriteReport(good, &error));
  EXPECT_EQ(std::fopen((good + ".tmp").c_str(), "r"), nullptr) << "the attempt leaves nothing";
}

}  // namespace
}  // namespace openremap
