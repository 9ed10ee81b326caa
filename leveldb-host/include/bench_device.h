// SPDX-License-Identifier: Apache-2.0
//
// What db_bench needs from a device: an Env that keeps files on it, and the device's own counters. Every figure
// db_bench prints about writes comes from here, so that padding, WAL, manifest, file-layer metadata and GC are all
// inside.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_DEVICE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace openremap {

struct BenchDeviceOptions {
  // "rtl" (Verilated controller), "model" (fast model of it), "mem" (host-only fake); "reflink:FOLDER", of any file system;
  // else, with a slash in it, a device that Linux drives: a folder of a file system on it, or its node for PageFS on the raw
  // namespace.
  std::string device;
  uint32_t superblocks = 0;  // size of the simulated flash, 0: all the device has
  std::string geometry;      // of the model's flash, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; empty: that of the RTL
  std::string image_dir;     // flash and NVRAM images are kept here; empty: in memory
  std::string trace_file;    // .vcd or .fst; empty: none
  bool placement = true;     // PageFS: a placement handle for each LSM level, as far as the device has them
  bool existing = false;     // an earlier run's database is there, and is wanted
  std::string record_file;   // the I/O commands as a stream for the program lockstep; empty: none
};

// Running totals since the device was opened. Pages are kPageBytes. A figure that a device does not have stays 0.
struct DeviceStats {
  uint64_t host_write_pages = 0;    // pages the host wrote (device counter)
  uint64_t host_read_pages = 0;     // pages the host read
  uint64_t nand_program_pages = 0;  // pages programmed into NAND: host, GC and metadata
  uint64_t gc_pages = 0;            // of these, by GC
  uint64_t gc_shared_pages = 0;     // of these, pages that had more than one sharer when GC moved them
  uint64_t metadata_pages = 0;      // of these, metadata of the controller
  uint64_t nvram_bytes = 0;         // written to the controller's NVRAM
  uint64_t used_pages = 0;          // logical pages the file layer holds now, metadata included
  uint64_t fs_metadata_pages = 0;   // of those the host wrote: PageFS's metadata
  uint64_t free_pages = 0;          // that PageFS has now, and how many of them lie side by side at most
  uint64_t largest_free_pages = 0;
  uint64_t file_bytes = 0;        // that went into files, what the file system below adds excluded
  double device_seconds = 0;      // simulated time
  uint64_t sim_cycles = 0;        // simulated clock cycles
  uint64_t evaluated_cycles = 0;  // clock cycles really evaluated (idle ones may be skipped)
  double sim_cpu_seconds = 0;     // host CPU spent inside the simulator; the rest of the process is the host's own cost
};

// Not thread-safe: one thread at a time, as the benchmark has one. env() is, as any leveldb::Env, by itself; but while
// another thread uses it, no other call may be made.
class BenchDevice {
 public:
  virtual ~BenchDevice() = default;

  // Keeps files on the device; RemapEnv::From(env()) is its remapping side. Owned by this object.
  virtual leveldb::Env *env() = 0;

  // Where the database goes in env().
  virtual std::string DbName() const { return "/db"; }

  // What is read next comes from the device, not from a cache of the host. REQUIRES: no file of the database is open.
  virtual leveldb::Status ForgetCached() { return leveldb::Status::OK(); }

  // Waits until what was acknowledged has been counted (write buffers programmed as far as the device does so by
  // itself).
  virtual leveldb::Status ReadStats(DeviceStats *stats) = 0;

  // Wall time that has passed inside the simulator; 0 without one. Takes no device time.
  virtual double SimSeconds() const { return 0; }

  // Bytes that files can take when it was opened; UINT64_MAX: no limit.
  virtual uint64_t FreeBytes() const = 0;

  // Facts about the device for the report, name and JSON value ({"channels", "2"}, {"model", "\"fake\""}).
  virtual std::vector<std::pair<std::string, std::string>> Geometry() const = 0;

  // Ends the file of recorded commands; later ones are not in it.
  virtual leveldb::Status EndRecording() { return leveldb::Status::OK(); }
};

// Why there is no device: one line, and whether an option is to blame.
struct OpenFailure {
  std::string reason;
  bool bad_option = false;
};

// The device that `options.device` names, or nullptr and *failure. One thread at a time.
std::unique_ptr<BenchDevice> OpenBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);

// Names that OpenBenchDevice takes in this build, "rtl|model|mem".
std::string BenchDeviceNames();
// What else it takes, beside names.
std::string BenchDevicePaths();
// Whether it is of that kind, which is looked at when it is opened.
bool IsBenchDevicePath(const std::string &device);

// One per device, called by OpenBenchDevice. That of PageFS is linked when the target openremap_pagefs exists, that of nodes
// when openremap_node does, that of reflinks when openremap_reflink does.
std::unique_ptr<BenchDevice> OpenMemoryBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);
std::unique_ptr<BenchDevice> OpenPageFsBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);
std::unique_ptr<BenchDevice> OpenNodeBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);
std::unique_ptr<BenchDevice> OpenReflinkBenchDevice(const std::string &folder, const BenchDeviceOptions &options,
                                                    OpenFailure *failure);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_DEVICE_H_
