// SPDX-License-Identifier: Apache-2.0
// Generated from interfaces/registers/soc.rdl. Do not edit: run python interfaces/generate.py
// format: off
package openremap

/** SoC registers: 32-bit; offsets from region csr. */
object SocRegMap {
  /** Addresses of regions. */
  val csr  = 0xF0000000L
  val dram = 0x40000000L

  object SocStateValue {
    val none = 0
    val starting = 1
    val running = 2
    val failed = 3
  }

  object SocFaultValue {
    val none = 0
    val refused = 1
    val late = 2
    val lost = 3
  }

  object SocTrialValue {
    val none = 0
    val hang = 1
    val illegal = 2
    val load = 3
    val store = 4
    val stack = 5
    val lastStore = 6
  }

  /** Console. Each line of the log starts with <L>, L being its level (platform_log_level), and ends with a newline. */
  object UartRxtx {
    val reg = RegInfo("UART_RXTX", 0x000, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: written: a byte to send, lost when TXFULL; read: the oldest byte received */
    val data = RegField(0, 8, reset = BigInt(0L))
  }
  /** The transmit FIFO (16 bytes) is full. */
  object UartTxfull {
    val reg = RegInfo("UART_TXFULL", 0x004, count = 1, stride = 4, reset = BigInt(0L))
    /** r: full */
    val full = RegField(0, 1, reset = BigInt(0L))
  }
  /** The receive FIFO is empty. */
  object UartRxempty {
    val reg = RegInfo("UART_RXEMPTY", 0x008, count = 1, stride = 4, reset = BigInt(0L))
    /** r: empty */
    val empty = RegField(0, 1, reset = BigInt(0L))
  }
  /** Events of the UART. */
  object UartEvStatus {
    val reg = RegInfo("UART_EV_STATUS", 0x00C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: the transmit FIFO is no longer full */
    val tx = RegField(0, 1, reset = BigInt(0L))
    /** rw: a byte was received */
    val rx = RegField(1, 1, reset = BigInt(0L))
  }
  /** Events of the UART. */
  object UartEvPending {
    val reg = RegInfo("UART_EV_PENDING", 0x010, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: the transmit FIFO is no longer full */
    val tx = RegField(0, 1, reset = BigInt(0L))
    /** rw: a byte was received */
    val rx = RegField(1, 1, reset = BigInt(0L))
  }
  /** Events of the UART. */
  object UartEvEnable {
    val reg = RegInfo("UART_EV_ENABLE", 0x014, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: the transmit FIFO is no longer full */
    val tx = RegField(0, 1, reset = BigInt(0L))
    /** rw: a byte was received */
    val rx = RegField(1, 1, reset = BigInt(0L))
  }
  /** The transmit FIFO is empty. */
  object UartTxempty {
    val reg = RegInfo("UART_TXEMPTY", 0x018, count = 1, stride = 4, reset = BigInt(0L))
    /** r: empty */
    val empty = RegField(0, 1, reset = BigInt(0L))
  }
  /** The receive FIFO is full. */
  object UartRxfull {
    val reg = RegInfo("UART_RXFULL", 0x01C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: full */
    val full = RegField(0, 1, reset = BigInt(0L))
  }
  /** What the timer starts from when TIMER_EN rises. The timer is the watchdog: stopped while the CPU waits in WAIT, loaded when a poll begins; at zero its interrupt leaves the poll. It does not count cycles that a simulation leaves out. */
  object TimerLoad {
    val reg = RegInfo("TIMER_LOAD", 0x800, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: clock cycles */
    val cycles = RegField(0, 32, reset = BigInt(0L))
  }
  /** What the timer starts from again at zero; 0: it stays there. */
  object TimerReload {
    val reg = RegInfo("TIMER_RELOAD", 0x804, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: clock cycles */
    val cycles = RegField(0, 32, reset = BigInt(0L))
  }
  /** The timer runs; while it does not, it holds TIMER_LOAD. */
  object TimerEn {
    val reg = RegInfo("TIMER_EN", 0x808, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: run */
    val run = RegField(0, 1, reset = BigInt(0L))
  }
  /** A write copies the timer to TIMER_VALUE. */
  object TimerUpdateValue {
    val reg = RegInfo("TIMER_UPDATE_VALUE", 0x80C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: copy */
    val copy = RegField(0, 1, reset = BigInt(0L))
  }
  /** The timer at the last write of TIMER_UPDATE_VALUE. */
  object TimerValue {
    val reg = RegInfo("TIMER_VALUE", 0x810, count = 1, stride = 4, reset = BigInt(0L))
    /** r: clock cycles */
    val cycles = RegField(0, 32, reset = BigInt(0L))
  }
  /** Event of the timer. */
  object TimerEvStatus {
    val reg = RegInfo("TIMER_EV_STATUS", 0x814, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: the timer has reached zero */
    val zero = RegField(0, 1, reset = BigInt(0L))
  }
  /** Event of the timer. */
  object TimerEvPending {
    val reg = RegInfo("TIMER_EV_PENDING", 0x818, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: the timer has reached zero */
    val zero = RegField(0, 1, reset = BigInt(0L))
  }
  /** Event of the timer. */
  object TimerEvEnable {
    val reg = RegInfo("TIMER_EV_ENABLE", 0x81C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: the timer has reached zero */
    val zero = RegField(0, 1, reset = BigInt(0L))
  }
  /** Cycles since power-on, low half; reading it latches TIME_HI. Cycles that a simulation leaves out count. */
  object TimeLo {
    val reg = RegInfo("TIME_LO", 0x10000, count = 1, stride = 4, reset = BigInt(0L))
    /** r: clock cycles */
    val cycles = RegField(0, 32, reset = BigInt(0L))
  }
  /** Cycles since power-on, high half, as TIME_LO was read. */
  object TimeHi {
    val reg = RegInfo("TIME_HI", 0x10004, count = 1, stride = 4, reset = BigInt(0L))
    /** r: clock cycles */
    val cycles = RegField(0, 32, reset = BigInt(0L))
  }
  /** What the firmware is doing, for the simulation and for a board's LED. */
  object State {
    val reg = RegInfo("STATE", 0x10008, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: state */
    val state = RegField(0, 2, reset = BigInt(0L))
  }
  /** The deadline of a read of WAIT, in cycles from this write on. */
  object WaitCycles {
    val reg = RegInfo("WAIT_CYCLES", 0x1000C, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: clock cycles until then; read: what is left of them */
    val cycles = RegField(0, 31, reset = BigInt(0L))
    /** rw: the firmware waits for nothing but an interrupt: a simulation need let no time pass */
    val idle = RegField(31, 1, reset = BigInt(0L))
  }
  /** A read is answered when the controller's firmware interrupt is high, when the deadline has passed or when TEMPERATURE or TRIAL has changed since the last answer. No other access takes longer than 65,536 cycles. */
  object Wait {
    val reg = RegInfo("WAIT", 0x10010, count = 1, stride = 4, reset = BigInt(0L))
    /** r: the interrupt is high */
    val irq = RegField(0, 1, reset = BigInt(0L))
    /** r: the deadline has passed */
    val deadline = RegField(1, 1, reset = BigInt(0L))
    /** r: TRIAL is not 0 */
    val trial = RegField(2, 1, reset = BigInt(0L))
  }
  /** Temperature of the hottest part. */
  object Temperature {
    val reg = RegInfo("TEMPERATURE", 0x10014, count = 1, stride = 4, reset = BigInt(0L))
    /** r: kelvin; 0: no sensor */
    val kelvin = RegField(0, 16, reset = BigInt(0L))
  }
  /** The first access of the CPU that has gone wrong since this register was written, whatever the value. The CPU takes no notice of the bus's errors: the access ends as if it were answered, and the interrupt `fault` is high while `cause` is not 0. */
  object Fault {
    val reg = RegInfo("FAULT", 0x10018, count = 1, stride = 4, reset = BigInt(0L))
    /** rw: what is wrong */
    val cause = RegField(0, 2, reset = BigInt(0L))
    /** r: it was a store */
    val store = RegField(8, 1, reset = BigInt(0L))
    /** r: it was the fetch of an instruction */
    val fetch = RegField(9, 1, reset = BigInt(0L))
  }
  /** Where: the word, or the 16 bytes of a store that was lost. */
  object FaultAddr {
    val reg = RegInfo("FAULT_ADDR", 0x1001C, count = 1, stride = 4, reset = BigInt(0L))
    /** r: address on the CPU's bus */
    val address = RegField(0, 32, reset = BigInt(0L))
  }
  /** What the firmware shall do wrong, once, so that its crash paths can be tried: pins of the SoC, which a board ties to 0. */
  object Trial {
    val reg = RegInfo("TRIAL", 0x10020, count = 1, stride = 4, reset = BigInt(0L))
    /** r: in its next poll */
    val poll = RegField(0, 3, reset = BigInt(0L))
    /** r: while it writes the crash log of that */
    val log = RegField(4, 3, reset = BigInt(0L))
  }

  val all: Seq[RegInfo] = Seq(
    UartRxtx.reg,
    UartTxfull.reg,
    UartRxempty.reg,
    UartEvStatus.reg,
    UartEvPending.reg,
    UartEvEnable.reg,
    UartTxempty.reg,
    UartRxfull.reg,
    TimerLoad.reg,
    TimerReload.reg,
    TimerEn.reg,
    TimerUpdateValue.reg,
    TimerValue.reg,
    TimerEvStatus.reg,
    TimerEvPending.reg,
    TimerEvEnable.reg,
    TimeLo.reg,
    TimeHi.reg,
    State.reg,
    WaitCycles.reg,
    Wait.reg,
    Temperature.reg,
    Fault.reg,
    FaultAddr.reg,
    Trial.reg
  )
}
