// SPDX-License-Identifier: Apache-2.0
//
// The device under db_bench: an Env that keeps files on it, and the device's own counters. Every figure about writes
// that db_bench prints comes from these counters, so it includes padding, the log, the manifest, metadata of the file
// layer, and garbage collection.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_DEVICE_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_DEVICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "write_cause.h"

namespace openremap {

// Where a preconditioning is: in its round number `round`, `done` of `pages` pages are written. The first two rounds
// write in order.
struct PreconditionStep {
  uint32_t round = 0;  // counted from 1
  uint64_t done = 0, pages = 0;
};

// PageFS: which placement handles files get. kTable: as kLevel, and each table begins a reclaim unit.
enum class BenchPlacement : uint8_t { kOff, kLevel, kTable };
// PageFS: where free pages are taken from.
enum class BenchAllocation : uint8_t { kFirst, kNext };

// PageFS: what a journal beside it writes. kData: all pages, as by data=journal.
enum class BenchJournal : uint8_t { kOff, kMetadata, kData };
// PageFS: what lies on a device of its own. kFiles: all files but tables; kAll: also the metadata of PageFS.
enum class BenchSide : uint8_t { kOff, kFiles, kAll };

struct BenchDeviceOptions {
  // One of
  //   "rtl"             the Verilated controller
  //   "model"           the fast C++ model of it
  //   "soc"             the Verilated controller with a CPU that runs the firmware
  //   "mem"             the host-only fake, which is memory
  //   "reflink:FOLDER"  a folder on any file system, with reflinks if it has them
  //   a path            a device that Linux drives: a folder on its file system, or its node (/dev/ngXnY) for PageFS on
  //                     the raw namespace
  std::string device;
  uint32_t superblocks = 0;        // size of the simulated flash; 0: the whole device
  std::string geometry;            // flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; empty: that of the RTL
  std::string image_dir;           // folder that keeps the flash and NVRAM images; empty: in memory
  bool reserve_image = false;      // reserve the space of the images when they are made or opened
  std::string trace_file;          // waveform file, .vcd or .fst; empty: none
  uint32_t over_provisioning = 0;  // percent of the simulated flash outside the namespace; 0: the firmware's default
  uint32_t placement_handles = 0;  // of the simulated namespace; 0: the firmware's choice
  std::string firmware;            // what runs it, as pcie_device_options has it
  std::string firmware_cpu;        // that runs the simulated firmware, as pcie_device_options has it
  std::string cache;               // data cache of the simulated firmware, as pcie_device_options has it
  // Of PageFS; devices without it refuse all but these defaults.
  BenchPlacement placement = BenchPlacement::kLevel;
  BenchAllocation allocation = BenchAllocation::kFirst;
  bool deallocate = true;
  bool mkfs_discard = true;  // with deallocate: tell the device of all pages when it gets the file system
  bool align = true;
  BenchJournal journal = BenchJournal::kOff;
  BenchSide side = BenchSide::kOff;
  uint32_t mapping_unit = 1;                                      // pages that the device maps by one entry
  bool precondition = false;                                      // bring the device to a steady state first
  uint64_t precondition_seed = 1;                                 // decides which pages it writes at random
  std::function<void(const PreconditionStep &)> on_precondition;  // told of its progress; empty: nobody
  bool existing = false;                                          // open the database of an earlier run
  std::string record_file;      // file for the I/O commands, in the format of lockstep --replay; empty: none
  std::string page_trace_file;  // of PageFS: file for its calls to the device (page_trace.h); empty: none
  // Whether files are written to open such a device.
  bool MakesFiles() const {
    return !image_dir.empty() || !trace_file.empty() || !record_file.empty() || !page_trace_file.empty();
  }
  // Whether an option of PageFS has another value than its default.
  bool WantsPageFs() const {
    return placement != BenchPlacement::kLevel || allocation != BenchAllocation::kFirst || !deallocate ||
           !mkfs_discard || !align || journal != BenchJournal::kOff || side != BenchSide::kOff || mapping_unit != 1 ||
           precondition || !page_trace_file.empty();
  }
  // What finds out whether a device can be opened, and how much room it has, without leaving anything: images that are
  // there stay as they are, others are in memory.
  bool trial = false;
};

// Running totals since the device was opened. Pages are kPageBytes. A counter that a device does not have stays 0.
struct DeviceStats {
  uint64_t host_write_pages = 0;    // pages the host wrote (device counter)
  uint64_t host_read_pages = 0;     // pages the host read
  uint64_t nand_program_pages = 0;  // pages programmed into NAND: host, GC and metadata
  uint64_t gc_pages = 0;            // of these, by GC
  uint64_t wear_pages = 0;          // of these, to level wear
  uint64_t gc_shared_pages = 0;     // of those by GC, pages that had more than one sharer when GC moved them
  uint64_t metadata_pages = 0;      // of these, metadata of the controller
  uint64_t nvram_bytes = 0;         // written to the controller's NVRAM
  uint64_t erases = 0;              // blocks of the dies that were erased
  // Erases of a superblock since the device was new, as it says now: the smallest, the mean and the largest number.
  uint64_t least_erases = 0, mean_erases = 0, most_erases = 0;
  uint64_t used_pages = 0;          // logical pages the file layer holds now, metadata included
  uint64_t fs_metadata_pages = 0;   // of those the host wrote: PageFS's metadata
  uint64_t free_pages = 0;          // free in PageFS now
  uint64_t largest_free_pages = 0;  // largest contiguous run of these
  uint64_t coarse_pages = 0;        // of those the host wrote: what a mapping unit of several pages adds
  uint64_t journal_pages = 0;       // of those the host wrote: what a journal beside PageFS adds
  uint64_t side_pages = 0;          // not among them: written to the device beside it
  uint64_t file_bytes = 0;          // written to files, without what the file system below adds
  CauseBytes bytes_by_cause{};      // contents of files, by the file layer: RemapEnv::GetWrittenBytes()
  double device_seconds = 0;        // simulated time
  uint64_t sim_cycles = 0;          // simulated clock cycles
  uint64_t evaluated_cycles = 0;    // of these, cycles that were evaluated; idle ones may be skipped
  double firmware_seconds = 0;      // of the device's time: its firmware works
  double sim_cpu_seconds = 0;       // CPU time spent inside the simulator; the rest of the process is the host's
};

// What was read of the contents of files since the device was opened.
struct FileReads {
  uint64_t pages = 0;  // of kPageBytes
  uint64_t spans = 0;  // spans of 8 pages that the reads fill: pages of a flash of 32 KiB pages, if each begins one
};

// What a file layer asks a device for.
enum class DeviceCall : uint8_t { kRead, kWrite, kFlush, kDeallocate, kRemap };
inline constexpr size_t kDeviceCalls = 5;

inline const char *DeviceCallName(DeviceCall call) {
  constexpr std::array<const char *, kDeviceCalls> kNames = {"read", "write", "flush", "deallocate", "remap"};
  return kNames.at(static_cast<size_t>(call));
}

// Told of a call to a device, and for how many nanoseconds of the device's time the caller waited.
using DeviceCallListener = std::function<void(DeviceCall call, uint64_t nanoseconds)>;

// Not thread-safe: all calls must come from one thread at a time. env() itself is thread-safe, as any leveldb::Env, but
// no other method may be called while another thread uses it.
class BenchDevice {
 public:
  virtual ~BenchDevice() = default;

  // Keeps files on the device; RemapEnv::From(env()) is its remapping side. Owned by this object.
  virtual leveldb::Env *env() = 0;

  // Name of the database in env().
  virtual std::string DbName() const { return "/db"; }

  // Drops the host's caches, so that the next reads go to the device. REQUIRES: no file of the database is open.
  virtual leveldb::Status ForgetCached() { return leveldb::Status::OK(); }

  // Write amplification of each of its random rounds; empty: it was not preconditioned.
  virtual std::vector<double> Precondition() const { return {}; }

  // Waits until the device has counted all acknowledged commands. Write buffers are programmed as far as the device
  // does that by itself.
  virtual leveldb::Status ReadStats(DeviceStats *stats) = 0;

  // Takes no time of the device. 0 where the file layer is not PageFS.
  virtual FileReads ReadsOfFiles() const { return {}; }

  // Tells `listener` of each call of the file layer to the device from now on; empty: of none, as at first. It must not
  // use this object or its files. A device without PageFS tells of none.
  virtual void Listen(DeviceCallListener listener) { (void)listener; }

  // Wall time that has passed inside the simulator; 0 without one. Takes no device time.
  virtual double SimSeconds() const { return 0; }

  // Simulated time that has passed, in ns; 0 without a simulator. Takes no device time.
  virtual uint64_t NowNs() const { return 0; }

  // Size of a reclaim unit of the device; 0: it tells of none.
  virtual uint64_t UnitBytes() { return 0; }

  // Bytes that were free for files when the device was opened; UINT64_MAX: no limit.
  virtual uint64_t FreeBytes() const = 0;

  // Facts about the device for the report, each a name and a JSON value: {"channels", "2"}, {"model", "\"fake\""}.
  virtual std::vector<std::pair<std::string, std::string>> Geometry() const = 0;

  // Completes the files of recorded commands and of pages. Later commands are in neither.
  virtual leveldb::Status EndRecording() { return leveldb::Status::OK(); }
};

// Why a device could not be opened: one line, and whether an option is wrong (otherwise the device failed).
struct OpenFailure {
  std::string reason;
  bool bad_option = false;
};

// Opens the device that `options.device` names. Returns nullptr and sets *failure on error. Not thread-safe.
std::unique_ptr<BenchDevice> OpenBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);

// The names that OpenBenchDevice takes in this build, "rtl|model|soc|mem".
std::string BenchDeviceNames();
// The other forms that it takes, for help and errors.
std::string BenchDevicePaths();
// Whether `device` has one of the other forms. Whether it exists is found out when it is opened.
bool IsBenchDevicePath(const std::string &device);

// Returns false and sets *failure if an option is given that only PageFS has. `what` names the device.
inline bool NoPageFs(const BenchDeviceOptions &options, const std::string &what, OpenFailure *failure) {
  if (!options.WantsPageFs()) return true;
  *failure = {
      what +
          " has no PageFS: --placement, --allocation, --deallocate, --mkfs-discard, --align, --journal, --side, "
          "--mapping-unit, --precondition and --trace-pages do not apply",
      true};
  return false;
}

// One function for each kind of device, called by OpenBenchDevice. They are linked where their CMake targets exist:
// openremap_pagefs, openremap_node and openremap_reflink.
std::unique_ptr<BenchDevice> OpenMemoryBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);
std::unique_ptr<BenchDevice> OpenPageFsBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);
std::unique_ptr<BenchDevice> OpenNodeBenchDevice(const BenchDeviceOptions &options, OpenFailure *failure);
std::unique_ptr<BenchDevice> OpenReflinkBenchDevice(const std::string &folder, const BenchDeviceOptions &options,
                                                    OpenFailure *failure);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_DEVICE_H_
