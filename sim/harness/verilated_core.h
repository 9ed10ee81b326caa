// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VERILATED_CORE_H
#define OPENREMAP_VERILATED_CORE_H

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "axi_lite_master.h"
#include "axi_read_slave.h"
#include "axi_write_slave.h"
#include "firmware_side.h"
#include "nand_port.h"
#include "rtl_core.h"
#include "rtl_print.h"
#include "top_pins.h"
#include "trace_file.h"
#include "verilated.h"

namespace orm {

/// Waveform writer of a model that was Verilated without one.
struct NoTrace {};

/// Whether the inputs of `Top` take effect at the rising edge of its input `take` (hw/src/top/SimulatedTop.scala), and
/// not at once.
template <class Top, class = void>
struct HoldsInputs : std::false_type {};
template <class Top>
struct HoldsInputs<Top, std::void_t<decltype(std::declval<Top &>().take)>> : std::true_type {};

template <class Top, class Indices>
struct NandPortTuple;
template <class Top, size_t... I>
struct NandPortTuple<Top, std::index_sequence<I...>> {
  using type = std::tuple<NandPort<NandPins<Top, I>>...>;
};

/// RtlCore around a Verilated `Top` with the ports of OpenRemapTop. `Trace` is NoTrace, VerilatedVcdC or VerilatedFstC.
/// `Side` is where the firmware runs: FirmwareSide, SocSide for the SoC's top, or
/// DramFlashSide for the one with its flash in DRAM.
///
/// A cycle is `settle` (clock low: outputs follow the inputs), then `edge` (bus models sample, clock high, bus models
/// drive). So models and controller see each other's registers, as two synchronous blocks do, and combinational paths
/// from an input to an output settle in between. A top that holds its inputs takes what the models drive at the edge,
/// and settles there: models drive before it, and only inputs that were set since need `settle`.
template <class Top, class Trace, template <class, class> class Side>
class VerilatedCore final : public RtlCore {
 public:
  static constexpr bool kTraces = !std::is_same_v<Trace, NoTrace>;

  static CoreKind kind() {
    constexpr size_t kSeen = Side<Top, VerilatedCore>::kNandPorts;  // NAND ports with the flash in the model, too
    return {nand_port_count<Top>() + kSeen,
            [](const CoreOptions &options, const Board &board, SimClock &clock) {
              return std::unique_ptr<RtlCore>(new VerilatedCore(options, board, clock));
            },
            kSeen != 0};
  }

  VerilatedCore(const CoreOptions &options, const Board &board, SimClock &clock)
      : VerilatedCore(options, board, clock, std::make_index_sequence<nand_port_count<Top>()>()) {}

  ~VerilatedCore() override {
    // The model looks itself up in the thread's context, which by now may be that of another core, or of one that has
    // gone.
    Verilated::threadContextp(context_.get());
    if constexpr (kTraces) {
      if (trace_) trace_->close();
    }
  }

  Stop advance(uint64_t limit, bool may_idle, bool until_firmware) override {
    const Timer timer(clock_);
    settle();
    for (;; clock_low()) {
      if (msix_raised_) {
        msix_raised_ = false;
        return Stop::kMsix;
      }
      if (until_firmware && side_.interrupt()) return Stop::kFirmware;
      if (clock_.cycle >= limit) return Stop::kLimit;
      if (top_->quiet && side_.still() && models_idle()) {
        const uint64_t event = next_nand_cycle();
        if (event == UINT64_MAX && may_idle && side_.idle()) return Stop::kIdle;
        if (time_skip_) skip_to(std::min({event, side_.next_cycle(clock_.cycle), limit}));
      }
      edge();
    }
  }

  bool firmware_interrupt() override {
    settle();
    return side_.interrupt();
  }

  bool read(Window window, uint32_t addr, uint32_t *value) override {
    const Timer timer(clock_);
    return window == Window::kBar ? bar_.read(addr, value) : side_.read(addr, value);
  }

  bool write(Window window, uint32_t addr, uint32_t value) override {
    const Timer timer(clock_);
    return window == Window::kBar ? bar_.write(addr, value) : side_.write(addr, value);
  }

  void function_reset() override {
    const Timer timer(clock_);
    top_->function_reset = 1;
    ticks(kResetCycles);
    top_->function_reset = 0;
    ticks(1);
  }

  void settle() {
    clock_low();
    if constexpr (kHolds) {
      top_->take = 1;
      evaluate();
      clock_low();
    }
  }

  void edge() {
    if (!in_reset_) sample();
    dump(clock_.now_ns());
    if constexpr (kHolds) {
      drive();
      top_->take = 1;
    }
    top_->clock = 1;
    evaluate();
    dump(clock_.now_ns() + kPeriodNs / 2);
    if constexpr (!kHolds) drive();
    ++clock_.cycle;
    ++clock_.evaluated;
  }

 private:
  static constexpr bool kHolds = HoldsInputs<Top>::value;
  static constexpr unsigned kResetCycles = 16;

  /// Adds the time of its life to the clock's figures.
  class Timer {
   public:
    explicit Timer(SimClock &clock)
        : clock_(clock), wall_(seconds(CLOCK_MONOTONIC)), cpu_(seconds(CLOCK_THREAD_CPUTIME_ID)) {}
    ~Timer() {
      clock_.wall_seconds += seconds(CLOCK_MONOTONIC) - wall_;
      clock_.cpu_seconds += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_;
    }

   private:
    static double seconds(clockid_t id) {
      timespec t{};
      clock_gettime(id, &t);
      return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
    }
    SimClock &clock_;
    double wall_;
    double cpu_;
  };

  template <size_t... I>
  VerilatedCore(const CoreOptions &options, const Board &board, SimClock &clock, std::index_sequence<I...>)
      : time_skip_(options.time_skip),
        context_(make_context(options.seed)),
        top_(std::make_unique<Top>(context_.get(), "top")),
        clock_(clock),
        board_(board),
        host_read_("m_axi_host", HostPins<Top>(*top_), board.host, stalls(options, 0)),
        host_write_("m_axi_host", HostPins<Top>(*top_), board.host, stalls(options, 1)),
        dram_read_("m_axi_dram", DramPins<Top>(*top_), board.dram, stalls(options, 2)),
        dram_write_("m_axi_dram", DramPins<Top>(*top_), board.dram, stalls(options, 3)),
        nvram_read_("m_axi_nvram", NvramPins<Top>(*top_), board.nvram, stalls(options, 4)),
        nvram_write_("m_axi_nvram", NvramPins<Top>(*top_), board.nvram, stalls(options, 5)),
        nand_(NandPort<NandPins<Top, I>>(I, NandPins<Top, I>(*top_), board.nand, stalls(options, kNandStalls + I))...),
        msix_stalls_(stalls(options, 6)),
        bar_("s_axil_bar", BarPins<Top>(*top_), *this),
        side_(*top_, options, board, *this) {
    if constexpr (kTraces) {
      if (!options.trace_file.empty()) {
        check_trace_file(options.trace_file);
        trace_ = std::make_unique<Trace>();
        top_->trace(trace_.get(), 99);
        trace_->open(options.trace_file.c_str());
      }
    }
    const Timer timer(clock_);
    top_->function_reset = 0;
    top_->skipped = 0;
    top_->msix_ready = 1;
    each_port([](auto &port) { port.reset(); });
    top_->reset = 1;
    // Loading a memory is the simulation's own work: no time passes.
    for (unsigned i = 0; i < side_.load_cycles(); ++i) {
      side_.load(i);
      settle();
      top_->clock = 1;
      evaluate();
    }
    ticks(kResetCycles);
    top_->reset = 0;
    in_reset_ = false;
    ticks(1);
  }

  static constexpr uint64_t kNandStalls = 16;  // the ports before these are the memories'

  static BusStalls stalls(const CoreOptions &options, uint64_t bus) {
    return options.bus_stalls ? BusStalls(options.seed, bus) : BusStalls();
  }

  static std::unique_ptr<VerilatedContext> make_context(uint64_t seed) {
    auto context = std::make_unique<VerilatedContext>();
    // No worker threads: the models have none to give work to, and a process with one thread can be copied (fork).
    context->threads(1);
    context->fatalOnError(false);
    context->traceEverOn(kTraces);
#ifdef ORM_WATCHED
    // A defect for the assertions about stopped clocks to find (launcher/hw/clock_watch.py).
    const char *unit = std::getenv("OPENREMAP_MUTANT");
    const std::string defect = std::string("+wrong_quiet=") + (unit != nullptr ? unit : "");
    const char *words[] = {"orm", defect.c_str()};
    context->commandArgs(unit != nullptr ? 2 : 1, words);
#endif
    // Registers without a reset and memories start with drawn bits, as after a real power-up.
    context->randReset(2);
    context->randSeed(int((seed ^ (seed >> 32)) & 0x7FFFFFFF) | 1);
    return context;
  }

  template <class F>
  void each_port(F &&f) {
    f(host_read_);
    f(host_write_);
    f(dram_read_);
    f(dram_write_);
    f(nvram_read_);
    f(nvram_write_);
    std::apply([&f](auto &...port) { (f(port), ...); }, nand_);
    side_.each_port(f);
  }

  void clock_low() {
    top_->clock = 0;
    if constexpr (kHolds) top_->take = 0;
    evaluate();
  }

  /// Once a half cycle: what settles again within one has not been seen by anybody but the models.
  void dump(uint64_t ns) {
    if constexpr (kTraces) {
      if (trace_) trace_->dump(ns);
    } else {
      (void)ns;
    }
  }

  void evaluate() {
    Verilated::threadContextp(context_.get());  // there may be other cores, and an assertion finds its own by this
    top_->eval();
    if (context_->gotFinish()) throw RtlStopped(take_rtl_text());
  }

  void sample() {
    const uint64_t cycle = clock_.cycle;
    host_read_.sample(cycle);
    host_write_.sample(cycle);
    dram_read_.sample(cycle);
    dram_write_.sample(cycle);
    nvram_read_.sample(cycle);
    nvram_write_.sample(cycle);
    const uint64_t now = clock_.now_ns();
    std::apply([now](auto &...port) { (port.sample(now), ...); }, nand_);
    side_.each_port([cycle](auto &port) { port.sample(cycle); });
    side_.sample(cycle);
    if (top_->msix_valid && top_->msix_ready) {
      msix_raised_ = true;
      board_.host.msix(top_->msix_bits);
    }
  }

  void drive() {
    top_->skipped = 0;
    if (msix_stalls_.on()) top_->msix_ready = !msix_stalls_.holds(BusStalls::kAnswer, clock_.cycle);
    each_port([](auto &port) { port.drive(); });
    side_.drive();
  }

  void ticks(unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      settle();
      edge();
    }
  }

  /// Nothing is on its way into the controller or out of it.
  bool models_idle() {
    const uint64_t now = clock_.now_ns();
    const bool memories = host_read_.idle() && host_read_.silent() && host_write_.idle() && host_write_.silent() &&
                          dram_read_.idle() && dram_read_.silent() && dram_write_.idle() && dram_write_.silent() &&
                          nvram_read_.idle() && nvram_read_.silent() && nvram_write_.idle() && nvram_write_.silent();
    bool side = true;
    side_.each_port([&side](auto &port) { side = side && port.idle() && port.silent(); });
    return memories && side && !top_->msix_valid &&
           std::apply([now](auto &...port) { return ((port.idle(now) && port.silent()) && ...); }, nand_);
  }

  /// First cycle whose `sample` finds a NAND operation ended.
  uint64_t next_nand_cycle() const {
    const uint64_t end = board_.nand.next_end_ns();
    return end == NandModel::kNever ? UINT64_MAX : (end + kPeriodNs - 1) / kPeriodNs;
  }

  /// Leaves out the cycles between this one and the one before `target`. The one evaluated next tells the controller
  /// how many they were.
  void skip_to(uint64_t target) {
    if (target <= clock_.cycle + 1) return;
    const uint64_t left_out = std::min<uint64_t>(target - clock_.cycle - 1, UINT32_MAX);
    clock_.cycle += left_out;
    top_->skipped = uint32_t(left_out);
    settle();
  }

  bool time_skip_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Top> top_;
  SimClock &clock_;
  Board board_;
  AxiReadSlave<HostPins<Top>, HostMemory> host_read_;
  AxiWriteSlave<HostPins<Top>, HostMemory> host_write_;
  AxiReadSlave<DramPins<Top>, DramMemory> dram_read_;
  AxiWriteSlave<DramPins<Top>, DramMemory> dram_write_;
  AxiReadSlave<NvramPins<Top>, NvramMemory> nvram_read_;
  AxiWriteSlave<NvramPins<Top>, NvramMemory> nvram_write_;
  typename NandPortTuple<Top, std::make_index_sequence<nand_port_count<Top>()>>::type nand_;
  BusStalls msix_stalls_;
  AxiLiteMaster<BarPins<Top>, VerilatedCore> bar_;
  Side<Top, VerilatedCore> side_;
  std::unique_ptr<Trace> trace_;
  bool in_reset_ = true;  // what the ports show then means nothing
  bool msix_raised_ = false;
};

}  // namespace orm
#endif  // OPENREMAP_VERILATED_CORE_H
