// SPDX-License-Identifier: Apache-2.0
//
// vfio_device - a device as a PCI function for QEMU: a vfio-user server on a socket (docs/using/guest.md).
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "command_line.h"
#include "listener.h"
#include "output.h"
#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_loop.h"
#include "vfio_server.h"

namespace orm::vfio {
namespace {

struct Options {
  std::string device = "model";
  std::string socket;
  std::string image;
  std::string geometry;
  std::string trace;
  std::optional<std::string> serial;
  uint32_t superblocks = 0;
  uint64_t seed = 1;
  bool reserve_image = false;
  bool keep = false;
  bool new_identity = false;
  bool map_doorbells = false;
  bool shadow_doorbells = false;
  bool hold_interrupts = false;
};

/// The device cannot have one of the options.
class BadOption : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(const std::string &what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

/// Throws BadOption for a path that no socket can have. Called before an image is made.
void check_socket(const std::string &path) {
  constexpr size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > kMost) throw BadOption("--socket: more than " + std::to_string(kMost) + " characters");
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw BadOption("--socket: " + folder + ": " + std::strerror(errno));
}

/// A descriptor that becomes readable when the process is to end.
UniqueFd stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  UniqueFd fd(signalfd(-1, &set, SFD_CLOEXEC));
  if (!fd) fail("signalfd");
  return fd;
}

/// Which signal made the descriptor readable.
const char *stop_name(int stop_fd) {
  signalfd_siginfo info{};
  if (read(stop_fd, &info, sizeof info) != ssize_t(sizeof info)) return "a signal";
  return info.ssi_signo == SIGTERM ? "SIGTERM" : "SIGINT";
}

struct Closer {
  pcie_function *function;
  ~Closer() { function->ops->close(function); }
};

void run(const Options &o) {
  check_socket(o.socket);
  const UniqueFd stop = stop_signals();
  const auto tell = [](const std::string &what) { std::fprintf(stderr, "vfio_device: %s\n", what.c_str()); };
  Guest guest(tell);
  guest.hold_interrupts(o.hold_interrupts);
  DoorbellBuffer buffer(&guest);
  pcie_device_options device{};
  const auto given = [](const std::string &text) { return text.empty() ? nullptr : text.c_str(); };
  device.kind = o.device.c_str();
  device.image_dir = given(o.image);
  device.reserve_image = o.reserve_image ? 1 : 0;
  device.geometry = given(o.geometry);
  device.trace_file = given(o.trace);
  device.superblocks = o.superblocks;
  device.seed = o.seed;
  device.serial = o.serial ? o.serial->c_str() : nullptr;
  // A host may have more than one device in memory, so they must differ, too.
  device.new_identity = o.new_identity || (o.image.empty() && !o.serial);
  char error[256] = "";
  pcie_function *function =
      pcie_device_create(&device, o.shadow_doorbells ? buffer.host() : guest.host(), error, sizeof error);
  if (function == nullptr) {
    if (errno == EINVAL) throw BadOption(error);
    throw std::runtime_error(error);
  }
  const Closer closer{function};

  Listener listener(o.socket, tell);
  std::printf("vfio_device: listening\n");
  output::flush();
  bool stopped = false;
  while (!stopped) {
    UniqueFd client = listener.accept(stop.get());
    stopped = !client;
    if (stopped) break;
    Server server(std::move(client), function, &guest,
                  o.map_doorbells ? Server::Doorbells::kPage : Server::Doorbells::kMessages,
                  o.shadow_doorbells ? &buffer : nullptr);
    try {
      stopped = !serve_and_run(&server, function, &guest, stop.get(), &listener);
    } catch (const Refused &refused) {
      std::fprintf(stderr, "vfio_device: connection ended: %s\n", refused.what());
      continue;
    }
    if (server.agreed() && !o.keep) break;
  }
  if (stopped) std::fprintf(stderr, "vfio_device: ended by %s\n", stop_name(stop.get()));
}

}  // namespace
}  // namespace orm::vfio

int main(int argc, char **argv) {
  orm::vfio::Options o;
  CLI::App app(
      "Shows a device to QEMU, or to another client, as a PCI function with NVMe: a vfio-user server. Ends when its "
      "client does. Exit code: 0 ended, 1 the device failed, 2 wrong use.",
      "vfio_device");
  orm::command_line::add_device(&app, &o.device);
  app.add_option("--socket", o.socket, "where the client connects")->required();
  CLI::Option *image = app.add_option("--image", o.image, "folder of flash and NVRAM (default: in memory)");
  app.add_flag("--reserve-image", o.reserve_image,
               "reserve the space of the whole image first, so that its file system cannot fill up later")
      ->needs(image);
  app.add_option("--geometry", o.geometry, "flash, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS] (default: that of the RTL)");
  app.add_option("--superblocks", o.superblocks, "size of a new device (default: all the hardware has)")
      ->check(orm::command_line::whole_number);
  app.add_option("--trace", o.trace, "waveform of the rtl or the soc, .fst");
  app.add_option("--serial", o.serial,
                 "serial number, from which EUI-64, NGUID and NQN are made (default: that of the image; a random one "
                 "for a new image and in memory)");
  app.add_flag("--new-identity", o.new_identity,
               "give the image another identity, --serial or a random one: for a copy of an image");
  app.add_flag("--keep", o.keep, "serve the next client when one has gone");
  app.add_flag("--map-doorbells", o.map_doorbells,
               "let the client map the doorbells, and look for what it stores there, which takes some CPU time even "
               "while nothing happens: for SPDK and clients like it, that poll");
  app.add_flag(
      "--shadow-doorbells", o.shadow_doorbells,
      "add the command Doorbell Buffer Config to the device: Linux then rings by stores to its own memory, and "
      "by a message only while the device sleeps");
  app.add_flag("--hold-interrupts", o.hold_interrupts,
               "hold the interrupts of a host that gives more commands meanwhile, for 0.3 ms at most: for an emulated "
               "processor, which takes long for each");
  orm::command_line::add_seed(&app, &o.seed);
  if (const auto code = orm::command_line::parse(&app, argc, argv)) return *code;
  try {
    orm::vfio::run(o);
    return 0;
  } catch (const orm::vfio::BadOption &e) {
    std::fprintf(stderr, "vfio_device: %s\n", e.what());
    return orm::command_line::kWrongUse;
  } catch (const orm::vfio::DeviceStopped &) {
    return 1;  // the device has said why
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vfio_device: %s\n", e.what());
    return 1;
  }
}
