// SPDX-License-Identifier: Apache-2.0
//
// pcie_device_create: from options to a device of either kind, with the firmware behind it; and what is wrong with
// options alone.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "board_function.h"
#include "core_kinds.h"
#include "cpu_costs.h"
#include "device_checks.h"
#include "device_function.h"
#include "identity.h"
#include "native_firmware.h"
#include "orm_formats.h"
#include "output.h"
#include "pcie_function.h"
#include "remote_firmware.h"
#include "rtl_device.h"
#include "shadow_dram.h"
#include "sim_error.h"
#ifdef ORM_HAVE_SOC
#include "soc_firmware.h"
#endif
#include "top/fast_device.h"

namespace orm {
namespace {

// Mixed into the seed, so that what leaves the cache does not depend on what the models draw.
constexpr uint64_t kCacheSalt = 0x6361636865;
constexpr NandTiming kInstantNand = {1, 1, 1};  // ns: the model rounds up to a clock cycle

std::string text(const char *s) { return s == nullptr ? std::string() : std::string(s); }

/// The option, or, where there is none, what the environment asks of all devices of a program.
CacheOptions cache_of(const pcie_device_options &options) {
  return parse_cache(text(options.cache != nullptr ? options.cache : std::getenv("OPENREMAP_FW_CACHE")));
}

std::optional<RemoteOptions> remote_of(const pcie_device_options &options) {
  return parse_firmware(text(options.firmware != nullptr ? options.firmware : std::getenv("OPENREMAP_FIRMWARE")));
}

/// The same of the CPU whose time the firmware takes. Where neither says: that of the SoC, for native firmware.
std::string cpu_of(const pcie_device_options &options, bool is_soc) {
  const std::string asked =
      text(options.firmware_cpu != nullptr ? options.firmware_cpu : std::getenv("OPENREMAP_FW_CPU"));
  if (!asked.empty()) return asked;
  return is_soc || remote_of(options) ? kNoCpu : kDefaultCpu;
}

/// For rtl and model.
void check_processor(const pcie_device_options &options) {
  if (!remote_of(options)) return;
  if (cpu_costs(cpu_of(options, false)) != nullptr) {
    throw OptionError("firmware CPU: only native firmware takes the time of one");
  }
  if (cache_of(options).mode != CacheOptions::Mode::kNone) {
    throw OptionError("cache: only the native firmware has a simulated one");
  }
}

void check_rtl(const pcie_device_options &options) {
  check_processor(options);
  if (options.geometry == nullptr) {
    (void)core_for_trace(text(options.trace_file));
    return;
  }
  if (!text(options.trace_file).empty())
    throw OptionError("trace file: only the rtl without a geometry writes waveforms");
  (void)fast::parse_geometry(options.geometry);
}

void check_soc(const pcie_device_options &options) {
#ifdef ORM_HAVE_SOC
  if (options.geometry != nullptr) throw OptionError("geometry: the soc has that of the rtl without a geometry");
  // None is what it has: a cache beside that of its CPU.
  if (cache_of(options).mode != CacheOptions::Mode::kNone) {
    throw OptionError(std::string(options.cache != nullptr ? "cache" : "OPENREMAP_FW_CACHE") +
                      ": the soc has a cache of its own");
  }
  if (cpu_costs(cpu_of(options, true)) != nullptr) {
    throw OptionError(std::string(options.firmware_cpu != nullptr ? "firmware CPU" : "OPENREMAP_FW_CPU") +
                      ": the soc has a CPU of its own");
  }
  if (remote_of(options)) throw OptionError("firmware: the soc has a processor of its own");
  (void)soc_core_for_trace(text(options.trace_file));
#else
  (void)options;
  throw OptionError("device: this build has no soc; ./openremap build --soc adds it");
#endif
}

void check_model(const pcie_device_options &options) {
  if (options.trace_file != nullptr) throw OptionError("the model has no signals: only rtl and soc write waveforms");
  check_processor(options);
  if (options.geometry != nullptr) (void)fast::parse_geometry(options.geometry);
}

std::string kind_of(const pcie_device_options &options) { return options.kind == nullptr ? "rtl" : options.kind; }

/// What no device of this kind can have, whatever its hardware and its image are. Nothing is made or started.
void check_options(const pcie_device_options &options) {
  const std::string kind = kind_of(options);
  if (is_board(kind)) {
    check_board(options);
    return;
  }
  if (kind != "rtl" && kind != "model" && kind != "soc") {
    throw OptionError("device: '" + kind + "' is not one of: rtl, model, soc, board:HOST");
  }
  if (options.firmware_remaps != 0 && kind != "model") throw OptionError("remaps in firmware: only the model has that");
  if (options.over_provision_pct > 99) {
    throw OptionError("over-provisioning: " + std::to_string(options.over_provision_pct) + " is not from 0 to 99 %");
  }
  if (options.placement_handles > most_handles()) {
    throw OptionError("placement handles: " + std::to_string(options.placement_handles) + " is not from 0 to " +
                      std::to_string(most_handles()));
  }
  (void)cache_of(options);
  (void)cpu_costs(cpu_of(options, kind == "soc"));
  (void)parse_nand_faults(text(options.nand_faults));
  kind == "rtl" ? check_rtl(options) : kind == "soc" ? check_soc(options) : check_model(options);
  if (text(options.trace_file).empty()) return;
  const std::string wrong = output::unwritable(options.trace_file);
  if (!wrong.empty()) throw OptionError("cannot write trace file " + wrong);
}

/// What an image depends on: where NVRAM has the header, and the first LPN that no namespace reaches.
struct Layout {
  uint32_t nv_header, destage_lpn;
};

/// Checks that the device's image was formatted with these options, as far as it was formatted.
void check_image(const pcie_device_options &options, const NvramModel &nvram, const Layout &layout) {
  const std::optional<orm_nv_header> header = formatted_header(nvram, layout.nv_header);
  if (!header || header->version != ORM_FORMAT_VERSION) return;  // the firmware says what it makes of that
  const std::string folder = text(options.image_dir);
  check_formatted("placement handles", options.placement_handles, header->handles, folder);
  check_formatted("segments of the remap table", options.remap_segments, header->segments, folder);
  const uint32_t asked = options.over_provision_pct;
  const uint32_t pages = asked == 0 ? header->nsze : pages_with(*header, layout.destage_lpn, asked);
  if (pages == header->nsze) return;
  throw OptionError("over-provisioning: the device in '" + folder + "' was formatted with " +
                    std::to_string(header->nsze) + " pages, not with the " + std::to_string(pages) + " of " +
                    std::to_string(asked) + " %");
}

/// What runs the firmware of a device, and where it wants the DRAM.
struct FirmwareSeat {
  FirmwareMaker maker;
  SharedMemory dram;
};

/// The option, or, where there is none, what the environment asks of all devices of a program. Starts QEMU, if that is
/// to run it.
FirmwareSeat seat_of(const pcie_device_options &options, const NativeFirmwareOptions &firmware) {
  const std::optional<RemoteOptions> remote = remote_of(options);
  if (!remote) return {native_firmware(firmware), {}};
  const RemoteFirmware elsewhere(*remote, firmware);
  return {elsewhere.maker(), elsewhere.dram()};
}

/// The controller as it was Verilated for these options: by its flash, or by the waveforms that it writes.
CoreKind core_for(const pcie_device_options &options) {
  if (options.geometry == nullptr) return core_for_trace(text(options.trace_file));
  const fast::Geometry g = fast::parse_geometry(options.geometry);
  return core_for_flash({g.channels, g.dies_per_channel, g.blocks_per_die, g.pages_per_block, ORM_SLOT_BYTES,
                         ORM_OOB_RECORD_BYTES, g.slots_per_page});
}

RtlDeviceOptions rtl_options(const pcie_device_options &options) {
  RtlDeviceOptions rtl;
  rtl.superblocks = options.superblocks;
  rtl.least_superblocks = least_superblocks();
  rtl.segments = options.remap_segments;
  rtl.image_dir = text(options.image_dir);
  rtl.images_unchanged = options.images_unchanged != 0;
  rtl.reserve_image = options.reserve_image != 0;
  rtl.trace_file = text(options.trace_file);
  rtl.seed = options.seed;
  rtl.time_skip = options.no_time_skip == 0;
  rtl.bus_stalls = options.bus_stalls != 0;
  if (options.instant_nand != 0) rtl.nand_timing = kInstantNand;
  rtl.nand_faults = parse_nand_faults(text(options.nand_faults));
  return rtl;
}

std::unique_ptr<Device> checked(const pcie_device_options &options, std::unique_ptr<RtlDevice> device) {
  check_image(options, device->nvram(), {device->capabilities().nv_header, device->capabilities().destage_lpn});
  return device;
}

std::unique_ptr<Device> make_rtl(const pcie_device_options &options, const NativeFirmwareOptions &firmware,
                                 const pcie_host &host) {
  RtlDeviceOptions rtl = rtl_options(options);
  const CoreKind kind = core_for(options);
  const FirmwareSeat seat = seat_of(options, firmware);
  rtl.dram = seat.dram;
  return checked(options, std::make_unique<RtlDevice>(rtl, kind, seat.maker, host));
}

std::unique_ptr<Device> make_soc(const pcie_device_options &options, const NativeFirmwareOptions &firmware,
                                 const pcie_host &host) {
#ifdef ORM_HAVE_SOC
  RtlDeviceOptions soc = rtl_options(options);
  soc.cpu = soc_cpu(firmware);
  return checked(options, std::make_unique<RtlDevice>(soc, soc_core_for_trace(soc.trace_file),
                                                      soc_firmware(soc.cpu, firmware), host));
#else
  (void)options, (void)firmware, (void)host;
  return nullptr;  // check_options() has refused it
#endif
}

std::unique_ptr<Device> make_model(const pcie_device_options &options, const NativeFirmwareOptions &firmware,
                                   const pcie_host &host) {
  fast::FastDeviceOptions model;
  model.superblocks = options.superblocks;
  model.least_superblocks = least_superblocks();
  model.segments = options.remap_segments;
  model.image_dir = text(options.image_dir);
  model.images_unchanged = options.images_unchanged != 0;
  model.reserve_image = options.reserve_image != 0;
  if (options.geometry != nullptr) model.geometry = fast::parse_geometry(options.geometry);
  model.seed = options.seed;
  if (options.instant_nand != 0) model.nand_timing = kInstantNand;
  model.nand_faults = parse_nand_faults(text(options.nand_faults));
  model.firmware_remaps = options.firmware_remaps != 0;
  const FirmwareSeat seat = seat_of(options, firmware);
  model.dram = seat.dram;
  auto device = std::make_unique<fast::FastDevice>(model, seat.maker, host);
  const fast::Params params(model.geometry);
  check_image(options, device->nvram(), {params.nv_header, params.destage_lpn});
  return device;
}

std::unique_ptr<DeviceFunction> create(const pcie_device_options &options, const pcie_host &host) {
  check_options(options);
  const std::string kind = kind_of(options);
  IdentityOptions wanted;
  if (options.serial != nullptr) wanted.serial = options.serial;
  wanted.fresh = options.new_identity != 0;
  DeviceIdentity identity(text(options.image_dir), options.images_unchanged != 0, wanted);
  const NativeFirmwareOptions firmware{
      options.superblocks, options.over_provision_pct,     options.placement_handles, options.remap_segments,
      identity.get(),      cpu_of(options, kind == "soc"), cache_of(options),         options.seed ^ kCacheSalt};
  std::unique_ptr<Device> device = kind == "rtl"   ? make_rtl(options, firmware, host)
                                   : kind == "soc" ? make_soc(options, firmware, host)
                                                   : make_model(options, firmware, host);
  identity.keep();
  device->power_on();
  // Here rather than in the first run: a device that cannot start (another format in NVRAM, say) must not be handed
  // out.
  device->finish_start_up();
  return make_function(std::move(device));
}

}  // namespace
}  // namespace orm

extern "C" pcie_function *pcie_device_create(const pcie_device_options *options, const pcie_host *host, char *error,
                                             size_t error_len) {
  int code = EIO;
  try {
    if (orm::is_board(orm::kind_of(*options))) return orm::make_board(*options, *host);
    return &orm::create(*options, *host).release()->base;
  } catch (const orm::BoardError &e) {
    code = EINVAL;
    if (error != nullptr && error_len != 0) std::snprintf(error, error_len, "%s", e.what());
  } catch (const orm::OptionError &e) {
    code = EINVAL;
    if (error != nullptr && error_len != 0) std::snprintf(error, error_len, "%s", e.what());
  } catch (const std::exception &e) {
    if (error != nullptr && error_len != 0) std::snprintf(error, error_len, "%s", e.what());
  }
  errno = code;
  return nullptr;
}

extern "C" int pcie_device_check(const pcie_device_options *options, char *error, size_t error_len) {
  try {
    orm::check_options(*options);
    return 0;
  } catch (const std::exception &e) {
    if (error != nullptr && error_len != 0) std::snprintf(error, error_len, "%s", e.what());
    return -EINVAL;
  }
}
