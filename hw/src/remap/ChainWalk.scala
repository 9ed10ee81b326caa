// SPDX-License-Identifier: Apache-2.0
package openremap

import chisel3._
import chisel3.util._

class ChainWalkRequest(val p: Params) extends Bundle {
  val sb  = UInt(p.sbBits.W)
  val all = Bool() // also the part that was destaged to flash; else only the segments in NVRAM
}

/** Gives GcLoader the entries of a chain: first those that GcDestager has written to flash, then those of RemapTable's
  * walk over the segments.
  *
  * The slots of the destaged part are read together, into GC's buffers, which nobody else uses while a chain is loaded.
  * If a slot cannot be read, or its content does not match its LPN, the walk ends as `failed`: without the slot's
  * entries, the sharers of the superblock's slots are not known. An entry that fails its CRC is left out, as in
  * RemapTable.
  */
class ChainWalk(p: Params) extends Module {
  val io = IO(new Bundle {
    val start    = Flipped(Decoupled(new ChainWalkRequest(p)))
    val entry    = Decoupled(new WalkedEntry(p))
    val failed   = Output(Bool())                  // the last walk; settled with its last beat
    val destaged = Input(new Destaged(p))          // of the superblock, as the next
    val gen      = Input(UInt(p.genBits.W))
    val table    = new RemapWalkPort(p)
    val map      = new MapPort(p)
    val asks     = Output(Bool())                  // the map port is in use; over before the first entry
    val nand     = Decoupled(new NandRequest(p))
    val nandDone = Flipped(Valid(new NandDone(p))) // of the reads asked for here
    val bufRead  = new BufferReadPort(p)
    val badEntry = Output(Bool())
    val waiting  = Output(Bool())                  // for the NAND
  })
  private object State extends ChiselEnum {
    val idle, choose, ask, answer, read, reading, header, checked, words, table, chain, end = Value
  }
  require(p.k.gcBuffers >= p.destageSlots, "a chain's slots are in GC's buffers together")
  private val state = RegInit(State.idle)
  private val step  = WireDefault(state) // the next one
  state := step

  /** It is in one of these steps, as a register. */
  private def now(which: State.Type*): Bool = {
    val inStep = RegNext(which.map(step === _).reduce(_ || _), which.contains(State.idle).B)
    assert(inStep === which.map(state === _).reduce(_ || _), "ChainWalk: which step it is in")
    inStep
  }
  private val req     = Reg(new ChainWalkRequest(p))
  private val part    = Reg(new Destaged(p))
  private val index   = Reg(UInt(p.destageSlotBits.W))
  private val pending = RegInit(0.U(p.destageSlotBits.W)) // reads under way
  private val failed  = Reg(Bool())
  private val epoch   = Reg(UInt(p.epochBits.W))          // of the header
  private val slot    = Reg(UInt(p.slotBits.W))
  private val entries = Reg(UInt((p.wordBits + 1).W))     // of the slot in hand
  private val asked   = Reg(UInt((p.wordBits + 1).W))     // words of it, the header not counted
  private val seen    = Reg(UInt((p.wordBits + 1).W))
  io.failed := failed

  private val (asks, awaits) = (now(State.ask), now(State.answer))
  io.start.ready         := now(State.idle)
  io.map.req.valid       := asks
  io.map.req.bits.op     := MapOp.lookup
  io.map.req.bits.lpn    := DestageLpn(p, req.sb, part.set, index)
  io.map.req.bits.slot   := DontCare
  io.map.req.bits.expect := DontCare
  io.map.resp.ready      := awaits
  io.asks                := asks || awaits

  io.nand.valid       := now(State.read)
  io.nand.bits.op     := NandRequestOp.read
  io.nand.bits.client := NandClient.gc
  io.nand.bits.slot   := slot
  io.nand.bits.buf    := BufferAddr.ofGc(p, index)
  io.nand.bits.oob    := DontCare
  pending             := pending + io.nand.fire - io.nandDone.valid
  when(io.nandDone.valid && io.nandDone.bits.status =/= NandStatus.ok)(failed := true.B)

  // --- the words of a slot
  // Borders: what is asked leaves registers, and what is checked starts at some.
  private val addrSkid = Module(new Skid(chiselTypeOf(io.bufRead.addr.bits)))
  private val dataSkid = Module(new Skid(chiselTypeOf(io.bufRead.data.bits)))
  private val addr     = addrSkid.io.in
  private val data     = dataSkid.io.out
  private val more     = Reg(Bool())                   // asked =/= entries
  private val toAsk    = Reg(UInt((p.wordBits + 1).W)) // entries - asked
  private val inWords  = now(State.words)
  private val atHeader = now(State.header)
  io.bufRead.addr <> addrSkid.io.out
  dataSkid.io.in <> io.bufRead.data
  addr.valid     := atHeader || inWords && more
  addr.bits.buf  := BufferAddr.ofGc(p, index)
  addr.bits.word := Mux(atHeader, 0.U, asked + 1.U)
  private val header = data.bits.asTypeOf(new Formats.DestageHeader)

  // A record's CRC takes some cycles. Reading the slots takes longer than that, and GC alone waits for either.
  // An entry's salt follows what both have, so the header is the first words of the same.
  private val isHeader = now(State.checked)
  private val ofHeader = Formats.DestageHeader.covered(header)
  private val ofEntry  = Formats.RemapEntry.covered(data.bits.asTypeOf(new Formats.RemapEntry), req.sb, io.gen, epoch)
  private val (few, many) = (ofHeader.getWidth / 32, ofEntry.getWidth / 32)
  require(few <= many && Formats.DestageHeader.bytes == Formats.RemapEntry.bytes)
  private val crc = Module(new CrcSerial(many))
  crc.io.want  := data.valid
  crc.io.words := CrcSerial.words(ofEntry, many)
  crc.io.count := Mux(isHeader, few.U, many.U)
  crc.io.taken := data.fire
  // The checks take two cycles after the CRC is there.
  private val judged = RegInit(false.B)
  private val summed = RegInit(false.B)
  private val sum    = RegNext(crc.io.crc)
  private val right  = RegNext(header.crc === sum) // of a header or an entry: their CRCs have the same place
  private val isOf   = RegNext(header.sb === req.sb && header.gen === io.gen && header.index === index)
  private val sized  = RegNext(header.slots === part.slots && header.entries <= p.destageEntries.U)
  private val valid  = right && isOf && sized
  summed := crc.io.done && !data.fire
  judged := summed && !data.fire

  private val out   = Module(new Queue(new WalkedEntry(p), 2))
  private val found = data.bits.asTypeOf(new Formats.RemapEntry)
  assert(found.crc === header.crc, "ChainWalk: the CRCs of headers and entries have one place")
  private val good  = right && RegNext(found.offset < p.slotsPerSb.U)
  private val takes = inWords && judged && out.io.enq.ready
  data.ready  := judged && (isHeader || out.io.enq.ready)
  io.badEntry := RegNext(takes && !good, false.B)
  private val ends = now(State.end)
  io.entry <> out.io.deq
  out.io.enq.valid         := takes && good || ends
  out.io.enq.bits.valid_   := !ends
  out.io.enq.bits.last     := ends
  out.io.enq.bits.e.sb     := req.sb
  out.io.enq.bits.e.offset := found.offset(p.offsetBits - 1, 0)
  out.io.enq.bits.e.lpn    := found.lpn
  out.io.enq.bits.e.seq    := found.seq
  io.table.start.valid     := now(State.table)
  io.table.start.bits      := req.sb
  private val tableSkid = Module(new Skid(chiselTypeOf(io.table.entry.bits))) // a border
  private val ofTable   = tableSkid.io.out
  tableSkid.io.in <> io.table.entry
  ofTable.ready := false.B
  when(now(State.chain)) {
    out.io.enq.valid := ofTable.valid
    out.io.enq.bits  := ofTable.bits
    ofTable.ready    := out.io.enq.ready
  }

  switch(state) {
    is(State.idle) {
      when(io.start.fire) {
        req    := io.start.bits
        failed := false.B
        index  := 0.U
        step   := State.choose
      }
    }
    is(State.choose) { // the table shows the superblock
      part := io.destaged
      step := Mux(req.all && io.destaged.set =/= 0.U, State.ask, State.table)
    }
    is(State.ask)(when(io.map.req.ready)(step := State.answer))
    is(State.answer) {
      when(io.map.resp.valid) {
        slot := io.map.resp.bits.slot
        step := State.read
        when(!io.map.resp.bits.mapped) {
          failed := true.B
          step   := State.reading
        }
      }
    }
    is(State.read) {
      when(io.nand.ready) {
        index := index + 1.U
        step  := Mux(index === part.slots - 1.U, State.reading, State.ask)
      }
    }
    is(State.reading) {
      when(pending === 0.U) {
        index := 0.U
        step  := Mux(failed, State.end, State.header)
      }
    }
    is(State.header)(when(addr.ready)(step := State.checked))
    is(State.checked) {
      when(data.fire) {
        epoch   := header.epoch
        entries := header.entries
        asked   := 0.U
        toAsk   := header.entries
        more    := header.entries =/= 0.U
        seen    := 0.U
        step    := State.words
        when(!valid) {
          failed := true.B
          step   := State.end
        }
      }
    }
    is(State.words) {
      when(addr.fire) {
        asked := asked + 1.U
        toAsk := toAsk - 1.U
        more  := toAsk =/= 1.U
      }
      when(takes)(seen := seen + 1.U)
      when(seen === entries) {
        index := index + 1.U
        step  := Mux(index === part.slots - 1.U, State.table, State.header)
      }
    }
    is(State.table)(when(io.table.start.ready)(step := State.chain))
    is(State.chain)(when(ofTable.fire && ofTable.bits.last)(step := State.idle))
    is(State.end)(when(out.io.enq.ready)(step := State.idle))
  }
  private val borders = Seq(addrSkid, dataSkid, tableSkid)
  io.waiting := ((state === State.reading && pending =/= 0.U && !io.nandDone.valid) ||
    (io.nand.valid && !io.nand.ready && !io.nandDone.valid)) && borders.map(_.quiet).reduce(_ && _)

  assert(state =/= State.words || more === (asked =/= entries), "ChainWalk: whether there are more words")
  assert(!io.nandDone.valid || pending =/= 0.U, "ChainWalk: NAND answers what nobody asked for")
  assert(state =/= State.idle || pending === 0.U, "ChainWalk: over with reads under way")
  assert(!data.valid || state === State.checked || state === State.words, "ChainWalk: a word that nobody asked for")
  cover(io.nand.valid && !io.nand.ready, "ChainWalk: waits for a die")
  cover(addr.valid && !addr.ready, "ChainWalk: waits for the buffer RAM")
  cover(data.valid && !data.ready, "ChainWalk: the buffer RAM waits for the reader")
  cover(state === State.answer && io.map.resp.valid && !io.map.resp.bits.mapped, "ChainWalk: a slot that is not mapped")
  cover(io.nandDone.valid && io.nandDone.bits.status =/= NandStatus.ok, "ChainWalk: a slot that cannot be read")
  cover(state === State.checked && data.fire && !valid, "ChainWalk: a slot that holds something else")
  cover(io.badEntry, "ChainWalk: a bad entry")
  cover(state === State.table && req.all && part.slots > 1.U, "ChainWalk: a destaged part of several slots")
}
