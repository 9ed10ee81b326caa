// SPDX-License-Identifier: Apache-2.0
//
// Proves the sequence of garbage collection, for any behaviour of its parts within the assumptions:
// - The parts work on sharers only while the engine holds the shareLock, and on lists loaded since it got the lock.
// - A superblock is erased only if GC may collect it, all of its slots were examined, none was lost, and its destaged
//   set is forgotten. One victim is processed at a time.
// - Each start has one outcome. Outcomes are in the order of the starts.
// - Requests to the map, the tables' appends and the NAND are forwarded unchanged, those of one part at a time. Those
//   to the map, its answers and the appends pass through a Skid, which has a proof of its own, those to the NAND
//   through a register.
//   A request offered to the NAND stays until it is accepted. Answers of the map go to the part that asked.
//
// Superblocks have eight slots. The parts are hollow: GcLookup, ChainWalk, GcLoader, GcMover, GcErase, GcCompactor,
// GcDestager.
//
// Assumptions: a part sends requests and reports that it is done only after its start, and is done only when all of
// its requests are answered and what it appended is durable. Its records and chains are those of its victim. A part
// keeps its offer to the NAND until it is accepted. The walk is done before the loader's first lookup. A destaged part
// stays from the end of a move to the decision about it. The lock stays while it is wanted, and is released when it is
// not. The map answers only what it was asked, and so does the superblocks' table. Firmware does not start a victim
// that is being erased.
module GcEngineProof(
  input       clock,
  input       reset,
  input       io_start_valid,
  input [1:0] io_start_bits_sb,
  input       io_start_bits_chain,
  input       io_start_bits_destage,
  input       io_start_bits_retire,
  input       io_map_req_ready,
  input       io_map_resp_valid,
  input       io_append_entry_ready,
  input [1:0] io_look_destaged_set,
  input       io_sb_ask_ready,
  input       io_sb_answer_valid,
  input [3:0] io_sb_answer_bits_valid,
  input [1:0] io_sb_answer_bits_state,
  input       io_nand_ready,
  input       io_shareLock_granted,
  input       io_shareLock_contended
);
  localparam [3:0] SLOTS = 8;                // of a superblock
  localparam [1:0] CLOSED = 2, BAD = 3;      // SbState
  localparam [4:0] IDLE = 0, REPORT = 16, DOUBT = 17, RELEASE = 18; // GcEngineState
  wire io_start_ready, io_outcome_valid, io_outcome_bits_ok, io_outcome_bits_chain, io_outcome_bits_refused,
       io_map_resp_ready;
  wire io_sb_ask_valid;
  wire io_map_req_valid, io_append_entry_valid, io_nand_valid, io_shareLock_want;
  wire [1:0]   io_outcome_bits_sb, io_nand_bits_op;
  wire [3:0]   io_map_req_bits_op, io_nand_bits_buf;
  wire [4:0]   io_map_req_bits_slot, io_nand_bits_slot;
  wire [31:0]  io_map_req_bits_lpn, io_append_entry_bits_lpn;
  wire [255:0] io_nand_bits_oob;
  // Unconnected inputs are arbitrary.
  GcEngine unit(.clock, .reset, .io_start_valid, .io_start_bits_sb, .io_start_bits_chain, .io_start_bits_destage,
    .io_start_bits_retire, .io_start_ready,
    .io_outcome_valid, .io_outcome_bits_sb, .io_outcome_bits_chain, .io_outcome_bits_ok, .io_outcome_bits_refused,
    .io_map_req_ready, .io_map_req_valid, .io_map_req_bits_op, .io_map_req_bits_lpn, .io_map_req_bits_slot,
    .io_map_resp_valid, .io_map_resp_ready,
    .io_append_entry_ready, .io_append_entry_valid, .io_append_entry_bits_lpn, .io_look_destaged_set,
    .io_sb_ask_valid, .io_sb_ask_ready, .io_sb_answer_valid, .io_sb_answer_bits_valid, .io_sb_answer_bits_state,
    .io_nand_ready, .io_nand_valid, .io_nand_bits_op, .io_nand_bits_slot, .io_nand_bits_buf,
    .io_nand_bits_oob, .io_shareLock_granted, .io_shareLock_contended, .io_shareLock_want);

  // ---- active parts: from their start until they report that they are done. The walk is active with the loader.
  wire starts    = io_start_valid && io_start_ready;
  wire s_loader  = unit.loader.io_start_valid && unit.loader.io_start_ready;
  wire s_mover   = unit.mover.io_start_valid && unit.mover.io_start_ready;
  wire s_eraser  = unit.eraser.io_start_valid && unit.eraser.io_start_ready;
  wire s_compact = unit.compactor.io_start_valid && unit.compactor.io_start_ready;
  wire s_destage = unit.destager.io_start_valid && unit.destager.io_start_ready;
  reg  loads, moves, erases, compacts, destages;
  always @(posedge clock) begin
    loads    <= !reset && (s_loader || loads && !unit.loader.io_done);
    moves    <= !reset && (s_mover || moves && !unit.mover.io_done_valid);
    erases   <= !reset && (s_eraser || erases && !unit.eraser.io_done_valid);
    compacts <= !reset && (s_compact || compacts && !unit.compactor.io_done_valid);
    destages <= !reset && (s_destage || destages && !unit.destager.io_done_valid);
  end

  // ---- the current victim: its start, and the parts' reports
  reg [1:0] victim;
  reg       chain, destage, works; // works: started, and neither passed to GcErase nor reported
  reg       may;                   // GC may collect it: closed or bad when checked
  reg       loaded;                // the lists are the victim's and were loaded under the current lock
  reg       lost, unknown;         // a slot could not be moved; its sharers are unknown
  reg       asked, seen;           // the table owes an answer; it has given the first one
  reg       doubted;               // the sharers are unknown if a slot is valid: the table owes that answer
  reg       ended, had_set;        // the mover ended in the previous cycle; the victim had a destaged set when it ended
  reg       forgets, forgot;       // the destaged set is being forgotten; is forgotten
  reg [3:0] upto;                  // slots examined
  always @(posedge clock) begin
    works <= !reset && (starts || works && !s_eraser && !(io_outcome_valid && !unit.eraser.io_done_valid));
    if (starts) begin
      {victim, chain, destage} <= {io_start_bits_sb, io_start_bits_chain, io_start_bits_destage};
      {may, lost, forgot, unknown, had_set, seen, doubted} <= 0;
      upto                     <= 0;
    end else begin
      if (io_sb_answer_valid) begin
        seen <= 1;
        if (!seen) may <= io_sb_answer_bits_state == CLOSED || io_sb_answer_bits_state == BAD;
        if (doubted) {doubted, unknown} <= {1'b0, io_sb_answer_bits_valid != 0};
      end
      if (loads && unit.loader.io_done && unit.walk.io_failed) {doubted, unknown} <= {!chain, chain};
      if (moves && unit.mover.io_done_valid) begin
        upto <= unit.mover.io_done_bits_next;
        if (unit.mover.io_done_bits_lost) lost <= 1;
      end
      if (forgets && unit.destager.io_done_valid) forgot <= 1;
    end
    asked <= !reset && (io_sb_ask_valid && io_sb_ask_ready || asked && !io_sb_answer_valid);
    ended <= !reset && moves && unit.mover.io_done_valid;
    if (moves && unit.mover.io_done_valid) had_set <= io_look_destaged_set != 0;
    if (reset || starts || !io_shareLock_granted) loaded <= 0;
    else if (loads && unit.loader.io_done) loaded <= 1;
    forgets <= !reset && (s_destage ? unit.destager.io_start_bits_forget : forgets && !unit.destager.io_done_valid);
  end

  // ---- outstanding outcomes: the oldest and the next one
  reg [1:0] owed;
  reg [2:0] first, second; // {superblock, chain}
  wire      second_now = owed - io_outcome_valid == 1;
  always @(posedge clock) begin
    owed <= reset ? 2'd0 : owed + starts - io_outcome_valid;
    if (io_outcome_valid) first <= second;
    if (starts && owed - io_outcome_valid == 0) first <= {io_start_bits_sb, io_start_bits_chain};
    if (starts && second_now) second <= {io_start_bits_sb, io_start_bits_chain};
  end

  // ---- the map, the appends and the NAND; vectors are in the order mover, walk, loader (NAND: eraser), destager
  wire [3:0] m_takes = {unit.mover.io_map_req_valid && unit.mover.io_map_req_ready,
                        unit.walk.io_map_req_valid && unit.walk.io_map_req_ready,
                        unit.loader.io_map_req_valid && unit.loader.io_map_req_ready,
                        unit.destager.io_map_req_valid && unit.destager.io_map_req_ready};
  wire [3:0] m_given = {unit.mover.io_map_resp_valid, unit.walk.io_map_resp_valid, unit.loader.io_map_resp_valid,
                        unit.destager.io_map_resp_valid};
  reg  [3:0] m_open [0:3];
  reg  [6:0] m_asked; // requests that the map has, and has not answered
  wire [6:0] m_inside = m_asked + unit.asked.offered + unit.asked.spilled + unit.answered.offered
                        + unit.answered.spilled;
  wire       m_comes = unit.asked.io_in_valid && unit.asked.io_in_ready;
  wire       m_goes = unit.answered.io_out_valid && unit.answered.io_out_ready;
  wire [3:0] m_owes = {m_open[3] != 0, m_open[2] != 0, m_open[1] != 0, m_open[0] != 0};
  wire [3:0] parts = {moves, loads, loads, destages};
  wire [3:0] n_takes = {unit.mover.io_nand_valid && unit.mover.io_nand_ready,
                        unit.walk.io_nand_valid && unit.walk.io_nand_ready,
                        unit.eraser.io_nand_valid && unit.eraser.io_nand_ready,
                        unit.destager.io_nand_valid && unit.destager.io_nand_ready};
  wire [3:0] n_asks = {unit.mover.io_nand_valid, unit.walk.io_nand_valid, unit.eraser.io_nand_valid,
                       unit.destager.io_nand_valid};
  wire [4:0] n_slot [0:3];
  assign n_slot[3] = unit.mover.io_nand_bits_slot, n_slot[2] = unit.walk.io_nand_bits_slot;
  assign n_slot[1] = unit.eraser.io_nand_bits_slot, n_slot[0] = unit.destager.io_nand_bits_slot;
  reg  [3:0] n_waits; // offers of the previous cycle that were not accepted
  reg  [4:0] n_slots [0:3];
  wire       n_comes = unit.outgoing.io_enq_valid && unit.outgoing.io_enq_ready;
  wire [4:0] n_comes_slot = unit.outgoing.io_enq_bits_slot;
  reg        nand_holds; // the register holds a request, of this slot
  reg  [4:0] nand_slot;
  reg        nand_waits; // an offer to the register was not accepted
  reg  [4:0] nand_was;
  wire       a_mover = unit.mover.io_append_entry_valid && unit.mover.io_append_entry_ready;
  wire       a_compact = unit.compactor.io_append_entry_valid && unit.compactor.io_append_entry_ready;
  integer    i;
  always @(posedge clock) begin
    for (i = 0; i < 4; i = i + 1) begin
      m_open[i] <= reset ? 4'd0 : m_open[i] + m_takes[i] - (m_given[i] && unit.answered.io_out_ready);
      n_waits[i] <= !reset && n_asks[i] && !n_takes[i];
      n_slots[i] <= n_slot[i];
    end
    m_asked    <= reset ? 7'd0 : m_asked + (io_map_req_valid && io_map_req_ready)
                              - (io_map_resp_valid && io_map_resp_ready);
    nand_holds <= !reset && (n_takes != 0 || nand_holds && !io_nand_ready);
    if (n_takes != 0)
      nand_slot <= n_takes[3] ? n_slot[3] : n_takes[2] ? n_slot[2] : n_takes[1] ? n_slot[1] : n_slot[0];
    nand_waits <= !reset && unit.outgoing.io_enq_valid && !unit.outgoing.io_enq_ready;
    nand_was   <= n_comes_slot;
  end

  reg wanted, granted;
  always @(posedge clock) begin
    wanted  <= !reset && io_shareLock_want;
    granted <= !reset && io_shareLock_granted;
    if (!reset) begin
      // ---- parts. The names in quotes are assertions of GcEngine, which simulations check.
      assume (!unit.loader.io_done || loads);
      assume (!unit.mover.io_done_valid || moves && unit.mover.io_done_bits_next <= SLOTS);
      assume (!unit.eraser.io_done_valid || erases);
      assume (!unit.compactor.io_done_valid || compacts);
      assume (!unit.destager.io_done_valid || destages);
      assume (!unit.compactor.io_done_valid || !unit.compactor.io_done_bits_ok || !unit.compactor.io_done_bits_full);
      assume (!unit.destager.io_done_valid || !unit.destager.io_done_bits_ok || !unit.destager.io_done_bits_refused);
      assume (!unit.mover.io_done_valid || (!unit.mover.io_done_bits_full || unit.mover.io_done_bits_stop)
                                           && (!unit.mover.io_done_bits_stop || unit.mover.io_done_bits_lost));
      for (i = 0; i < 4; i = i + 1) begin
        assume (parts[i] || !(i == 3 ? unit.mover.io_map_req_valid : i == 2 ? unit.walk.io_map_req_valid
                            : i == 1 ? unit.loader.io_map_req_valid : unit.destager.io_map_req_valid));
        assume (!n_waits[i] || n_asks[i] && n_slot[i] == n_slots[i]);
        assume (m_open[i] < 15 || !m_takes[i]);
      end
      assume (moves || !(unit.mover.io_nand_valid || unit.mover.io_append_entry_valid));
      assume (loads || !unit.walk.io_nand_valid);
      assume (erases || !unit.eraser.io_nand_valid);
      assume (destages || !unit.destager.io_nand_valid);
      assume (compacts || !unit.compactor.io_append_entry_valid);
      assume (!unit.mover.io_done_valid || m_open[3] == 0 && !n_asks[3] && !unit.mover.io_map_req_valid
              && !unit.mover.io_append_entry_valid);
      assume (!unit.loader.io_done || m_open[2] == 0 && m_open[1] == 0 && !n_asks[2] && !unit.walk.io_map_req_valid
              && !unit.loader.io_map_req_valid);
      assume (!unit.destager.io_done_valid || m_open[0] == 0 && !n_asks[0] && !unit.destager.io_map_req_valid);
      assume (!(unit.walk.io_asks ? m_open[1] != 0 : m_open[2] != 0)); // the walk sends its requests before the loader
      assume (unit.eraser.io_start_ready == !erases);
      // They append, put into the lists, record and change chains in their turns, for their victim. They are done only
      // when what they appended is durable: "a part is done before its entries are durable".
      assume (!(unit.mover.io_done_valid || unit.compactor.io_done_valid) || !unit.appends.offered);
      assume (!unit.compactor.io_done_valid || !unit.compactor.io_append_entry_valid);
      // "the lists are loaded out of turn", "an identity is put in out of turn", "a list is asked for while ..."
      assume (loads || !(unit.loader.io_insert_valid || unit.loader.io_clear_valid));
      assume (moves || !unit.mover.io_insert_valid);
      assume (!unit.mover.io_insert_valid || !unit.mover.io_list_valid);
      // "a chain or its record is changed out of turn"
      assume (compacts || !(unit.compactor.io_journal_req_valid || unit.compactor.io_setAside_valid
                            || unit.compactor.io_dropOld_valid));
      assume (destages && !forgets || !(unit.destager.io_journal_req_valid || unit.destager.io_setAside_valid
                                        || unit.destager.io_dropOld_valid));
      assume (erases || !unit.eraser.io_journal_req_valid);
      // "a chain that is not in hand is set aside", "a record that is not that of who asks"
      assume (!unit.compactor.io_setAside_valid || unit.compactor.io_setAside_bits == victim);
      assume (!unit.destager.io_setAside_valid || unit.destager.io_setAside_bits == victim);
      assume (!unit.compactor.io_journal_req_valid || unit.compactor.io_journal_req_bits_lpn == victim);
      assume (!unit.destager.io_journal_req_valid || unit.destager.io_journal_req_bits_lpn == victim);
      // "a destaged part comes or goes while its victim is moved"
      assume (!ended || (io_look_destaged_set != 0) == had_set);
      // ---- other assumptions
      assume (!io_map_resp_valid || m_asked != 0);
      assume (!io_sb_answer_valid || asked);
      assume (io_shareLock_granted == (granted && wanted) || !granted && wanted);
      assume (!starts || !(io_start_bits_chain && io_start_bits_retire));
      assume (!starts || (io_start_bits_chain || !io_start_bits_destage)
              && !(erases && io_start_bits_sb == unit.left_sb));

      lock_held:     assert (!(loads || moves || compacts || destages) || io_shareLock_granted);
      lists_loaded:  assert (!(s_mover || s_compact || s_destage && !unit.destager.io_start_bits_forget)
                             || loaded && !unknown && !doubted);
      one_part:      assert (loads + moves + compacts + destages <= 1);
      moves_victim:  assert (!s_mover || !chain && may && unit.mover.io_start_bits_sb == victim
                             && unit.mover.io_start_bits_from == upto[2:0] && upto < SLOTS);
      erases_moved:  assert (!s_eraser || works && !chain && may && !lost && !unknown && upto == SLOTS
                             && unit.eraser.io_start_bits == victim);
      forgets_first: assert (!s_eraser || forgot || !had_set);
      erases_one:    assert (!s_eraser || !erases);
      chain_alone:   assert (!(compacts || destages && !forgets) || chain && !erases);
      outcome_order: assert (!io_outcome_valid || owed != 0 && {io_outcome_bits_sb, io_outcome_bits_chain} == first);
      outcome_each:  assert (owed == works + erases);
      outcome_true:  assert (!(io_outcome_valid && io_outcome_bits_ok && !io_outcome_bits_chain)
                             || unit.eraser.io_done_valid && unit.eraser.io_done_bits);
      map_one:       assert ($countones(m_takes) == m_comes);
      map_its:       assert (!m_takes[3] || {unit.asked.io_in_bits_op, unit.asked.io_in_bits_lpn,
                                             unit.asked.io_in_bits_slot}
                             == {unit.mover.io_map_req_bits_op, unit.mover.io_map_req_bits_lpn,
                                 unit.mover.io_map_req_bits_slot});
      map_answers:   assert (!unit.answered.io_out_valid || $countones(m_given) == 1 && (m_given & ~m_owes) == 0);
      append_one:    assert (a_mover + a_compact == (unit.appends.io_in_valid && unit.appends.io_in_ready)
                             && io_append_entry_valid <= io_shareLock_granted);
      append_its:    assert (!unit.appends.io_in_valid || unit.appends.io_in_bits_lpn
                             == (moves ? unit.mover.io_append_entry_bits_lpn
                                 : unit.compactor.io_append_entry_bits_lpn));
      nand_one:      assert ($countones(n_takes) == n_comes && !(n_comes && nand_holds));
      nand_its:      assert (io_nand_valid == nand_holds && (!nand_holds || io_nand_bits_slot == nand_slot));
      nand_stays:    assert (!nand_waits || unit.outgoing.io_enq_valid && n_comes_slot == nand_was);

      i_state:    assert (unit.state <= RELEASE && works == (unit.state != IDLE) && unit.leaving == erases);
      i_parts:    assert (loads == (unit.state == 5) && moves == (unit.state == 7) && compacts == (unit.state == 13)
                          && destages == (unit.state == 10 || unit.state == 15) && forgets == (unit.state == 10));
      i_victim:   assert (!works || victim == unit.sb && chain == unit.chain && destage == unit.part
                          && upto == unit.next && unit.result_sb == victim && unit.result_chain == chain);
      i_lock:     assert (unit.state < 4 || unit.state == RELEASE || unit.state > 10 && unit.state < 12
                          || unit.state == REPORT || io_shareLock_granted);
      i_loaded:   assert (!(unit.state >= 6 && unit.state <= 8 || unit.state >= 12 && unit.state <= 15
                            || unit.state == DOUBT) || loaded);
      i_asks:     assert (!(unit.asks && asked)
                          && (!(unit.asks || asked) || unit.state == 1 || unit.state == 2 || unit.state == DOUBT)
                          && (!works || unit.known == !(unit.asks || asked)
                              && seen == (unit.state != 1 && unit.state != 2 || unit.known)));
      i_may:      assert (unit.state != 1 || !unit.known
                          || may == (unit.found_state == CLOSED || unit.found_state == BAD));
      i_doubt:    assert (doubted == (works && unit.state == DOUBT && !unit.known) || !works);
      i_doubted:  assert (unit.state != DOUBT || unknown == (unit.known && unit.found_valid != 0));
      i_lost:     assert (!works || (!unit.result_ok || !lost && (!unknown || unit.state == DOUBT))
                          && (!unknown || unit.state == REPORT || unit.state == DOUBT)
                          && (!chain && unit.state != 1 || !lost) && ended == (unit.state == 8));
      i_chain:    assert (!works || unit.state == REPORT
                          || (chain ? unit.state >= 2 && unit.state <= 5 || unit.state >= 12 && unit.state < DOUBT
                                    : unit.state == 1 || may && (unit.state >= 3 && unit.state <= 11
                                                                 || unit.state == DOUBT || unit.state == RELEASE)));
      i_upto:     assert (!works || upto <= SLOTS
                          && ((unit.state < 1 || unit.state > 7) && unit.state < DOUBT || upto < SLOTS));
      i_part:     assert (!(works && chain) || unit.state < 12 || unit.state == REPORT
                          || destage == (unit.state >= 14));
      i_erase:    assert (unit.state < 9 || unit.state > 11 || unit.result_ok && upto == SLOTS
                          && (unit.state == 11 ? forgot || !had_set : had_set));
      i_alone:    assert (!(works && chain) || unit.state < 3 || unit.state == REPORT || !erases);
      i_left:     assert (!erases || !unit.left_chain && (!works || unit.sb != unit.left_sb));
      i_owed:     assert (first == (erases ? {unit.left_sb, 1'b0} : {victim, chain}) || owed == 0);
      i_second:   assert (owed < 2 || second == {victim, chain});
      i_both:     assert (!works || !(unit.result_ok && (unit.result_full || unit.result_refused))
                          && (!chain && unit.state != 1 || unit.state == REPORT || unit.result_ok));
      i_outcome:  assert (unit.state != REPORT || chain || !unit.result_ok);
      i_offers:   assert (unit.erases_offered == nand_waits
                          && (!nand_waits || (unit.erases_last ? n_waits[1] && n_slots[1] == nand_was
                                              : n_waits[3] && n_slots[3] == nand_was
                                                || n_waits[2] && n_slots[2] == nand_was
                                                || n_waits[0] && n_slots[0] == nand_was)));
      i_set:      assert (!ended || unit.hasSet == had_set);
      i_appends:  assert ((!unit.appends.offered || moves || compacts)
                          && (!unit.appends.spilled || unit.appends.offered));
      i_open:     assert ((parts | ~m_owes) == 4'hF
                          && m_inside == 7'(m_open[3]) + m_open[2] + m_open[1] + m_open[0] && m_asked < 64
                          && (!unit.asked.spilled || unit.asked.offered)
                          && (!unit.answered.spilled || unit.answered.offered));

      reach_erase:  cover (s_eraser && forgot);
      reach_two:    cover (erases && works && may);
      reach_doubt:  cover (s_mover && unit.walk.io_failed);
      reach_chain:  cover (io_outcome_valid && io_outcome_bits_chain && io_outcome_bits_ok);
    end
  end
endmodule
