// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DEVICE_FUNCTION_H
#define OPENREMAP_DEVICE_FUNCTION_H

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "image_guard.h"
#include "media_events.h"
#include "pcie_function.h"
#include "sim_device.h"
#include "sim_error.h"

namespace orm {

/// A Device behind pcie_function.h: C calls in, errno out, no exception passes.
struct DeviceFunction {
  pcie_function base;  // first: the seam's pointer is a pointer to the whole
  std::unique_ptr<Device> device;
  bool dead = false;  // an error stopped the simulation: all calls return -EIO
};

/// The function of a device that has its power on. The seam's `close` deletes it.
std::unique_ptr<DeviceFunction> make_function(std::unique_ptr<Device> device);

/// The whole behind the seam's pointer, which came from make_function().
inline DeviceFunction &self(pcie_function *fn) { return *reinterpret_cast<DeviceFunction *>(fn); }

/// Runs `action` (returning int64_t) unless the device is dead. An error kills it, and stderr says why, once. A power
/// cut that the media were told to make (MediaEvents) comes about here: -ENODEV. An image that cannot be written ends
/// the program: what the device holds in memory is lost, and its users could only say so once more.
template <class Action>
int64_t guarded(DeviceFunction &f, Action &&action) {
  if (f.dead) return -EIO;
  try {
    return action(*f.device);
  } catch (const PowerGone &) {
    f.device->power_cut();
    return -ENODEV;
  } catch (const ImageError &e) {
    end_program(e.what());
  } catch (const std::exception &e) {
    f.dead = true;
    std::fprintf(stderr, "openremap device stopped at %llu ns: %s\n",
                 static_cast<unsigned long long>(f.device->now_ns()), e.what());
    return -EIO;
  }
}

/// The same; -ENODEV while power is off.
template <class Action>
int64_t guarded_powered(DeviceFunction &f, Action &&action) {
  if (!f.dead && !f.device->powered()) return -ENODEV;
  return guarded(f, action);
}

}  // namespace orm
#endif  // OPENREMAP_DEVICE_FUNCTION_H
