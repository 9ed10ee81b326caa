// SPDX-License-Identifier: Apache-2.0
#include "remote_firmware.h"

#include <elf.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "axi_rules.h"
#include "firmware.h"
#include "orm_formats.h"
#include "orm_interface.h"
#include "orm_zynq.h"
#include "qemu_zynq.h"
#include "sim_error.h"
#include "soc_board.h"
#include "uart_log.h"

namespace orm {
namespace {

static_assert(FW_POLL_IDLE == Firmware::kIdle && FW_POLL_MOST_NS == Firmware::kMostNs, "the port passes them on");
static_assert(ORM_REMOTE_MAILBOX_BYTES <= ORM_ZYNQ_MAILBOX_SIZE, "the mailbox has its place");

constexpr uint8_t kAtPowerOn = 0xA5;        // RAM; start code and fw_init() set what they need
constexpr uint32_t kTimerHz = 100'000'000;  // of QEMU's timers
constexpr uint32_t kDataBytes = ORM_REMOTE_MAILBOX_BYTES - ORM_REMOTE_MAILBOX_DATA_OFFSET;
constexpr uint32_t kStepBytes = ORM_REMOTE_MAILBOX_RESERVED1_OFFSET - ORM_REMOTE_MAILBOX_STEP_OFFSET;

// A wait for the processor: so many looks in a loop; then others may run between two looks; then it sleeps between
// them, as QEMU gets no CPU of a busy machine from a process that only looks.
constexpr unsigned kLooks = 1000, kYields = 1100;
constexpr long kSleepNs = 20'000;

constexpr char kHow[] = "./openremap firmware build";

void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// The mailbox in memory that the processor writes, too: whose turn it is orders everything else.
class Mailbox {
 public:
  explicit Mailbox(uint8_t *at) : at_(at) {}

  uint32_t get(uint32_t offset) const { return uint32_t(orm_get_le(at_ + offset, 4)); }
  uint64_t get64(uint32_t offset) const { return orm_get_le(at_ + offset, 8); }
  void set(uint32_t offset, uint32_t value) { orm_put_le(at_ + offset, value, 4); }
  void set64(uint32_t offset, uint64_t value) { orm_put_le(at_ + offset, value, 8); }
  uint8_t *data() { return at_ + ORM_REMOTE_MAILBOX_DATA_OFFSET; }
  std::string step() const {
    const char *text = reinterpret_cast<const char *>(at_ + ORM_REMOTE_MAILBOX_STEP_OFFSET);
    return std::string(text, strnlen(text, kStepBytes));
  }

  uint32_t turn() const { return __atomic_load_n(turn_word(), __ATOMIC_ACQUIRE); }
  void hand_over() { __atomic_store_n(turn_word(), ORM_REMOTE_FIRMWARE, __ATOMIC_RELEASE); }

 private:
  uint32_t *turn_word() const { return reinterpret_cast<uint32_t *>(at_ + ORM_REMOTE_MAILBOX_TURN_OFFSET); }

  uint8_t *at_;
};

class Remote final : public Firmware {
 public:
  Remote(Machine &machine, QemuZynq &zynq, const NativeFirmwareOptions &options, const std::string &image)
      : machine_(machine), zynq_(zynq), image_(image), box_(zynq.at(ORM_ZYNQ_MAILBOX_BASE)) {
    std::memset(zynq.at(ORM_ZYNQ_DATA_BASE), kAtPowerOn, ORM_ZYNQ_DATA_SIZE);
    std::memset(zynq.at(ORM_ZYNQ_MAILBOX_BASE), 0, ORM_ZYNQ_MAILBOX_SIZE);
    orm_soc_board board = soc_board(options);
    board.mailbox = ORM_ZYNQ_MAILBOX_BASE;
    board.timer_hz = kTimerHz;
    orm_soc_board_seal(&board, zynq.at(ORM_ZYNQ_BOARD_BASE));
    zynq.start();
  }
  /// The processor waits for an answer, or has power gone in the middle of its work. There is no more to do for it.
  ~Remote() override {
    try {
      zynq_.halt();
    } catch (const SimError &) {  // QEMU has ended; the next start says so
    }
  }
  Remote(const Remote &) = delete;
  Remote &operator=(const Remote &) = delete;

  uint64_t poll() override {
    // A copy of the process has the same memory and monitor, but no processor of its own.
    if (getpid() != owner_) throw SimError("firmware in QEMU: this is a copy of the process that runs it");
    begin_poll();
    for (;;) {
      const uint32_t request = next();
      if (request == ORM_REMOTE_WAIT) break;
      const bool bite = bites();
      if (bite)
        watching_ = false;  // until the next poll: it writes its crash log
      else
        serve(request);
      answer(bite);
    }
    waits_ = true;
    end_poll();
    return box_.get64(ORM_REMOTE_MAILBOX_WAIT_NS_OFFSET);
  }

  std::vector<StartUpStep> start_up() const override { return steps_; }
  void hang() override { hangs_ = true; }
  Phase phase() const override { return phase_; }
  std::string describe() const override { return step_; }

 private:
  void begin_poll() {
    accesses_ = 0;
    poll_begun_ns_ = machine_.power_on_ns();
    watching_ = true;
    if (std::exchange(waits_, false)) answer();
  }
  void end_poll() {
    const Phase before = std::exchange(phase_, told_phase());
    const std::string step = std::exchange(step_, box_.step());
    if (before != Phase::kStarting || (phase_ == before && step_ == step)) return;
    const uint64_t now = machine_.power_on_ns(), read = box_.get64(ORM_REMOTE_MAILBOX_NV_READ_OFFSET);
    steps_.push_back({step, now - std::exchange(step_begun_ns_, now), read - std::exchange(nvram_read_, read),
                      std::exchange(nvram_written_, 0)});
  }
  Phase told_phase() const {
    switch (box_.get(ORM_REMOTE_MAILBOX_PHASE_OFFSET)) {
      case FW_STARTING:
        return Phase::kStarting;
      case FW_RUNNING:
        return Phase::kRunning;
      default:
        return Phase::kFailed;
    }
  }

  /// Waits for the next request.
  uint32_t next() {
    Patience patience = zynq_.patience();
    for (uint64_t looks = 0; box_.turn() != ORM_REMOTE_CONTROLLER; ++looks) {
      if (looks < kLooks) {
        pause_cpu();
        continue;
      }
      if (looks < kYields) {
        sched_yield();
        continue;
      }
      check(patience);
      const timespec sleep{0, kSleepNs};
      nanosleep(&sleep, nullptr);
    }
    if (!compared_ && box_.get(ORM_REMOTE_MAILBOX_INTERFACE_OFFSET) != ORM_INTERFACE_DIGEST) {
      throw ConfigError("firmware in QEMU: '" + image_ +
                        "' has another version of the interface; make it anew: " + kHow);
    }
    if (!std::exchange(compared_, true)) step_ = box_.step();
    return box_.get(ORM_REMOTE_MAILBOX_REQUEST_OFFSET);
  }
  void check(Patience &patience) {
    try {
      zynq_.check(patience);
    } catch (const SimError &e) {
      throw SimError("firmware in QEMU: " + std::string(e.what()) +
                     (compared_ ? "" : "; '" + image_ + "' has not begun"));
    }
  }

  void answer(bool bite = false) {
    box_.set(ORM_REMOTE_MAILBOX_BITE_OFFSET, bite);
    box_.set64(ORM_REMOTE_MAILBOX_TIME_NS_OFFSET, machine_.power_on_ns());
    box_.set(ORM_REMOTE_MAILBOX_KELVIN_OFFSET, machine_.temperature_k());
    box_.hand_over();
  }

  bool bites() {
    if (!watching_) return false;
    return hangs_ || ++accesses_ > kWatchdogAccesses || machine_.power_on_ns() - poll_begun_ns_ > kWatchdogNs;
  }

  void serve(uint32_t request) {
    const uint32_t at = box_.get(ORM_REMOTE_MAILBOX_ADDRESS_OFFSET);
    const uint32_t bytes = box_.get(ORM_REMOTE_MAILBOX_LENGTH_OFFSET);
    switch (request) {
      case ORM_REMOTE_READ:
        box_.set(ORM_REMOTE_MAILBOX_VALUE_OFFSET, machine_.mmio_read(at));
        return;
      case ORM_REMOTE_WRITE:
        machine_.mmio_write(at, box_.get(ORM_REMOTE_MAILBOX_VALUE_OFFSET));
        return;
      case ORM_REMOTE_NV_READ: {
        const uint64_t size = machine_.nvram().size();
        const size_t there = std::min<uint64_t>(std::min(bytes, kDataBytes), at < size ? size - at : 0);
        if (there == 0 || !machine_.nvram().read(at, box_.data(), there)) {
          throw RtlStopped("firmware read NVRAM outside of it, at " + hex(at));
        }
        box_.set(ORM_REMOTE_MAILBOX_LENGTH_OFFSET, uint32_t(there));
        return;
      }
      case ORM_REMOTE_NV_WRITE:
        nvram_written_ += bytes;
        if (bytes > kDataBytes || !machine_.nvram().write_durable(at, box_.data(), bytes)) {
          throw RtlStopped("firmware wrote NVRAM outside of it, at " + hex(at));
        }
        return;
      default:
        throw SimError("firmware in QEMU: there is no request " + std::to_string(request));
    }
  }

  Machine &machine_;
  QemuZynq &zynq_;
  const pid_t owner_ = getpid();
  const std::string image_;
  Mailbox box_;
  bool compared_ = false;  // the image's interface with this device's
  bool waits_ = false;     // for the next poll to begin
  Phase phase_ = Phase::kStarting;
  std::string step_ = "start code";
  bool watching_ = false;
  bool hangs_ = false;
  uint64_t accesses_ = 0;  // of this poll
  uint64_t poll_begun_ns_ = 0;
  std::vector<StartUpStep> steps_;
  uint64_t step_begun_ns_ = 0;
  uint64_t nvram_read_ = 0;     // bytes, before the step that runs
  uint64_t nvram_written_ = 0;  // in it
};

[[noreturn]] void refuse(const std::string &text) {
  throw OptionError("firmware: '" + text + "' is not native or remote[,image=FILE][,patience=SECONDS]");
}

/// What is wrong with an image; empty: nothing. QEMU would take any file, and run its bytes.
std::string wrong_image(const std::string &path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::strerror(errno);
  if (!S_ISREG(found.st_mode)) return "not a regular file";  // a pipe would wait for its writer
  std::FILE *const opened = std::fopen(path.c_str(), "rb");
  if (opened == nullptr) return std::strerror(errno);
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(opened, std::fclose);
  const uint64_t bytes = uint64_t(found.st_size);
  Elf32_Ehdr head{};
  if (std::fread(&head, sizeof head, 1, file.get()) != 1 || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS32 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_machine != EM_ARM) {
    return "no ELF file for ARM";
  }
  std::vector<Elf32_Phdr> parts(head.e_phnum);
  if (parts.empty() || head.e_phentsize != sizeof parts[0]) return "an ELF file without anything to load";
  if (std::fseek(file.get(), long(head.e_phoff), SEEK_SET) != 0 ||
      std::fread(parts.data(), sizeof parts[0], parts.size(), file.get()) != parts.size()) {
    return "the file is cut short";
  }
  for (const Elf32_Phdr &part : parts) {
    if (uint64_t(part.p_offset) + part.p_filesz > bytes) return "the file is cut short";
  }
  return "";
}

}  // namespace

std::optional<RemoteOptions> parse_firmware(const std::string &text) {
  if (text.empty() || text == "native") return std::nullopt;
  RemoteOptions options;
  size_t end = std::min(text.find(','), text.size());
  if (text.substr(0, end) != "remote") refuse(text);
  while (end < text.size()) {
    const size_t begin = end + 1;
    end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals), value = part.substr(std::min(equals + 1, part.size()));
    if (key == "image" && !value.empty()) {
      options.image = value;
      const std::string wrong = wrong_image(value);
      if (!wrong.empty()) throw OptionError("firmware: image '" + value + "': " + wrong);
    } else if (key == "patience") {
      const auto [last, error] = std::from_chars(value.data(), value.data() + value.size(), options.patience);
      if (error != std::errc() || last != value.data() + value.size() || options.patience < 1 ||
          options.patience > RemoteOptions::kMostPatience) {
        throw OptionError("firmware: patience '" + value + "' is not from 1 to " +
                          std::to_string(RemoteOptions::kMostPatience) + " seconds");
      }
    } else {
      refuse(text);
    }
  }
  return options;
}

struct RemoteFirmware::Shared {
  Shared(const RemoteOptions &o, const NativeFirmwareOptions &f)
      : image(o.image),
        firmware(f),
        log(f.log),
        zynq({o.image, double(o.patience), [this](const char *text, size_t len) { log.take(text, len); }}) {}
  const std::string image;
  const NativeFirmwareOptions firmware;
  UartLog log;
  QemuZynq zynq;  // last: it writes the log
};

RemoteFirmware::RemoteFirmware(const RemoteOptions &options, const NativeFirmwareOptions &firmware) {
  RemoteOptions chosen = options;
  if (chosen.image.empty()) {
    chosen.image = ORM_ZYNQ_IMAGE;
    const std::string wrong = wrong_image(chosen.image);
    if (!wrong.empty()) {
      throw ConfigError("firmware in QEMU: image '" + chosen.image + "': " + wrong + "; make it: " + kHow);
    }
  }
  shared_ = std::make_shared<Shared>(chosen, firmware);
}

SharedMemory RemoteFirmware::dram() const { return shared_->zynq.part(ORM_ZYNQ_DRAM_BASE, ORM_ZYNQ_DRAM_SIZE); }

FirmwareMaker RemoteFirmware::maker() const {
  return [shared = shared_](Machine &machine) {
    return std::make_unique<Remote>(machine, shared->zynq, shared->firmware, shared->image);
  };
}

}  // namespace orm
