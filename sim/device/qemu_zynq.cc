// SPDX-License-Identifier: Apache-2.0
#include "qemu_zynq.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "orm_zynq.h"
#include "sim_error.h"

namespace orm {
namespace {

static_assert(uint64_t(ORM_ZYNQ_DRAM_BASE) + ORM_ZYNQ_DRAM_SIZE == QemuZynq::kMemory, "DRAM is the last of DDR");

constexpr char kProgram[] = "qemu-system-arm";  // also Debian's package; toolchain.toml says why
constexpr int kControlFile = KeptProcess::kFirst, kMemoryFile = KeptProcess::kFirst + 1;  // in QEMU
constexpr double kMostPiece = 0.1;  // s between two looks of a process that runs
constexpr int kLookMs = 20;

/// The program, where PATH has it. Throws ConfigError.
std::string find_program() {
  const char *path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string name = folders.substr(at, end - at) + "/" + kProgram;
    if (access(name.c_str(), X_OK) == 0) return name;
    at = end + 1;
  }
  throw ConfigError(std::string(kProgram) + " is required: apt-get install -y --no-install-recommends " + kProgram);
}

[[noreturn]] void fail(const char *doing) {
  throw SimError(std::string("cannot ") + doing + ": " + std::strerror(errno));
}

}  // namespace

double Patience::now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

bool Patience::over() {
  const double at = now();
  left_ -= std::min(at - std::exchange(last_, at), kMostPiece);
  return left_ <= 0;
}

QemuZynq::QemuZynq(const Options &options) : options_(options) {
  try {
    const std::string program = find_program();
    file_ = UniqueFd(memfd_create("openremap-zynq", MFD_CLOEXEC));
    if (!file_ || ftruncate(file_.get(), off_t(kMemory)) != 0) fail("make memory to share");
    int control[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0) fail("make a socket");
    control_ = UniqueFd(control[0]);
    launch(program, UniqueFd(control[1]));
    Patience patience(options_.patience);
    if (line(patience).find("\"QMP\"") == std::string::npos) throw SimError("its monitor does not greet");
    command("qmp_capabilities");
    void *mapped = mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
    if (mapped == MAP_FAILED) fail("map memory to share");
    memory_ = static_cast<uint8_t *>(mapped);
  } catch (const SimError &e) {
    throw ConfigError(std::string("firmware in QEMU: ") + e.what());
  }
}

QemuZynq::~QemuZynq() {
  qemu_.reset();
  munmap(memory_, kMemory);
}

void QemuZynq::launch(const std::string &program, UniqueFd control) {
  KeptProcess::Options process;
  process.program = program;
  process.said = options_.said;
  process.inherited.push_back(std::move(control));
  process.inherited.push_back(UniqueFd(fcntl(file_.get(), F_DUPFD_CLOEXEC, 0)));
  if (process.inherited.back().get() < 0) fail("share a file");
  const std::string memory = "/proc/self/fd/" + std::to_string(kMemoryFile);
  std::string image;  // a comma ends a value; two stand for one
  for (const char c : options_.image) image.append(c == ',' ? 2 : 1, c);
  process.arguments = {
      "-nodefaults", "-no-user-config",
      "-display",    "none",
      "-nic",        "none",
      "-S",  // until start()
      "-machine",    "xilinx-zynq-a9,memory-backend=ddr",
      "-m",          std::to_string(kMemory >> 20) + "M",  //
      "-object",     "memory-backend-file,id=ddr,share=on,size=" + std::to_string(kMemory) + ",mem-path=" + memory,
      "-chardev",    "socket,id=control,fd=" + std::to_string(kControlFile),
      "-mon",        "chardev=control,mode=control",
      "-serial",     "null",
      "-serial",     "stdio",  // the console is the second UART
      "-device",     "loader,file=" + image + ",cpu-num=0"};
  qemu_ = std::make_unique<KeptProcess>(std::move(process));
}

void QemuZynq::check(Patience &patience) {
  if (qemu_->ended()) throw SimError("QEMU has ended: " + qemu_->why_ended());
  if (patience.over()) {
    throw SimError("no answer for " + std::to_string(uint64_t(options_.patience)) + " s");
  }
}

/// The next line from the monitor.
std::string QemuZynq::line(Patience &patience) {
  for (;;) {
    if (const size_t end = received_.find('\n'); end != std::string::npos) {
      const std::string whole = received_.substr(0, end);
      received_.erase(0, end + 1);
      return whole;
    }
    pollfd wait{control_.get(), POLLIN, 0};
    if (poll(&wait, 1, kLookMs) > 0) {
      char piece[4096];
      const ssize_t n = recv(control_.get(), piece, sizeof piece, 0);
      if (n <= 0) throw SimError("QEMU has ended: " + qemu_->why_ended());
      received_.append(piece, size_t(n));
    } else {
      check(patience);
    }
  }
}

/// Until the monitor has carried it out, and said that the event has happened.
void QemuZynq::command(const std::string &name, const std::string &event) {
  Patience patience(options_.patience);
  const std::string text = "{\"execute\": \"" + name + "\"}\n";
  if (send(control_.get(), text.data(), text.size(), MSG_NOSIGNAL) != ssize_t(text.size())) {
    throw SimError("QEMU has ended: " + qemu_->why_ended());
  }
  bool done = false, happened = event.empty();
  while (!done || !happened) {
    const std::string said = line(patience);
    if (said.find("{\"error\"") == 0) throw SimError("QEMU does not " + name + ": " + said);
    done = done || said.find("{\"return\"") == 0;
    happened = happened || said.find("\"event\": \"" + event + "\"") != std::string::npos;
  }
}

void QemuZynq::start() {
  command("system_reset", "RESET");
  command("cont", "RESUME");
}

void QemuZynq::halt() { command("stop"); }

}  // namespace orm
