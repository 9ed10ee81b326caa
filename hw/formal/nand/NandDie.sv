// SPDX-License-Identifier: Apache-2.0
//
// Proves for the requests of one die:
// - They run one after another in the order in which they were accepted; none is lost. A request starts after the
//   answer to the one before was accepted.
// - Each command of a request is issued once, with the request's address. A read that ECC cannot correct is repeated
//   once at each read-retry level (here one).
// - The answer has the request's fields, the last status of the NAND and the spare that was read.
// - A read is reported as weak if it took a retry or if the NAND says so.
//
// The queue has four entries; pages have one slot.
//
// Assumptions: the NAND gives one result for each command that works on the array, for a program after its words.
// Words are transferred once after a transfer or program command. Only a probe finds an erased page.
module NandDieProof(
  input         clock,
  input         reset,
  input         io_req_valid,
  input [1:0]   io_req_bits_op,
  input [1:0]   io_req_bits_client,
  input [3:0]   io_req_bits_slot,
  input [3:0]   io_req_bits_buf,
  input [255:0] io_req_bits_oob,
  input         io_cmd_ready,
  input         io_moved,
  input [255:0] io_spare,
  input         io_result_valid,
  input [1:0]   io_result_bits_status,
  input         io_result_bits_weak,
  input         io_done_ready,
  input         look // follow the request that is accepted in this cycle
);
  localparam [1:0] READ = 0, PROBE = 1, PROGRAM = 2, ERASE = 3; // NandRequestOp
  localparam [2:0] C_TRANSFER = 2, C_PROGRAM = 3, C_ERASE = 4;  // NandOp; READ and PROBE have the same values
  localparam [1:0] OK = 0, FAILED = 1, LOST = 2, ERASED = 3;    // NandStatus
  wire         io_req_ready, io_cmd_valid, io_done_valid, io_quiet;
  wire [2:0]   io_cmd_bits_op;
  wire [1:0]   io_cmd_bits_block, io_weak_bits;
  wire         io_cmd_bits_retry, io_weak_valid;
  wire         io_cmd_bits_die, io_cmd_bits_page, io_cmd_bits_sub;
  wire [1:0]   io_current_op, io_current_client, io_done_bits_op, io_done_bits_client, io_done_bits_status;
  wire [3:0]   io_current_slot, io_current_buf, io_done_bits_slot, io_done_bits_buf;
  wire [255:0] io_current_oob, io_done_bits_oob;
  NandDie unit(.*);

  wire takes    = io_req_valid && io_req_ready;
  wire commands = io_cmd_valid && io_cmd_ready;
  wire answers  = io_done_valid && io_done_ready;

  // ---- the followed request: an arbitrary one
  reg         watches;
  reg  [2:0]  ahead; // requests ahead of it
  reg  [2:0]  held;
  reg [267:0] its; // {op, client, slot, buf, oob}
  wire        now = watches && ahead == 0; // it is the oldest one
  wire [1:0]  its_op = its[267:266];
  always @(posedge clock) begin
    held <= reset ? 3'd0 : held + takes - answers;
    if (reset || now && answers) watches <= 0;
    else if (look && takes) watches <= 1;
    if (!watches) begin
      ahead <= held - answers;
      its   <= {io_req_bits_op, io_req_bits_client, io_req_bits_slot, io_req_bits_buf, io_req_bits_oob};
    end else ahead <= ahead - answers;
  end

  // ---- progress of the oldest request
  reg         works, transfers, moved, ended; // command issued; transfer issued; words moved; final result received
  reg         again;                          // the read is repeated at the last level
  reg [1:0]   status;
  reg [255:0] spare;
  wire        reads = io_current_op == READ || io_current_op == PROBE;
  wire        good = status == OK || io_current_op == PROBE && status == FAILED; // of a read or probe: data to transfer
  wire        gives = io_result_bits_status == OK || io_current_op == PROBE && io_result_bits_status != LOST;
  wire        repeats = io_result_valid && reads && !gives && !again;
  wire        of_op = io_cmd_bits_op == (io_current_op == PROGRAM ? C_PROGRAM
                                       : io_current_op == ERASE ? C_ERASE : {1'b0, io_current_op});
  always @(posedge clock)
    if (reset || answers) begin
      works     <= 0;
      transfers <= 0;
      moved     <= 0;
      ended     <= 0;
      again     <= 0;
    end else begin
      if (commands && io_cmd_bits_op != C_TRANSFER) works <= 1;
      if (repeats) begin again <= 1; works <= 0; end
      if (commands && io_cmd_bits_op == C_TRANSFER) transfers <= 1;
      if (io_moved) begin moved <= 1; spare <= io_spare; end
      if (io_result_valid && !repeats) begin ended <= 1; status <= io_result_bits_status; end
    end

  // ---- a request at the head is known after a cycle
  reg waits;
  always @(posedge clock) waits <= !reset && held != 0 && !answers;

  // ---- the queue
  wire [2:0]   n = {unit.queue.maybe_full && unit.queue.ptr_match,
                    2'(unit.queue.enq_ptr_value - unit.queue.deq_ptr_value)};
  wire [267:0] place = unit.queue.ram_ext.Memory[2'(unit.queue.deq_ptr_value + ahead)];

  always @(posedge clock) if (!reset) begin
    assume (!io_result_valid || works && !ended && (io_current_op != PROGRAM || moved));
    assume (!io_result_valid || io_result_bits_status != ERASED || io_current_op == PROBE);
    assume (!io_result_valid || !reads || io_current_op == PROBE || io_result_bits_status != FAILED);
    assume (!io_moved || !moved && (io_current_op == PROGRAM ? works : transfers));

    in_order:      assert (!now || {io_current_op, io_current_client, io_current_slot, io_current_buf,
                                    io_current_oob} == its);
    only_oldest:   assert (!(io_cmd_valid || io_done_valid) || held != 0);
    known_soon:    assert (!waits || unit.known);
    once_each:     assert (!io_cmd_valid || (io_cmd_bits_op == C_TRANSFER ? reads && ended && good && !transfers
                                                                          : of_op && !works));
    its_level:     assert (!io_cmd_valid || io_cmd_bits_retry == (again && io_cmd_bits_op != C_TRANSFER));
    says_weak:     assert (io_weak_valid == (io_result_valid && io_current_op == READ && io_result_bits_status == OK
                                             && (io_result_bits_weak || again)));
    of_superblock: assert (!(now && io_weak_valid) || io_weak_bits == its[263:262]);
    its_address:   assert (!(now && io_cmd_valid) || {io_cmd_bits_block, io_cmd_bits_page} == its[263:261]);
    answers_its:   assert (!(now && io_done_valid)
                           || {io_done_bits_op, io_done_bits_client, io_done_bits_slot, io_done_bits_buf}
                           == its[267:256]);
    done_is_done:  assert (!io_done_valid || works && ended && moved == (io_current_op == PROGRAM || reads && good)
                           && transfers == (reads && good));
    says_status:   assert (!io_done_valid || io_done_bits_status == status);
    says_spare:    assert (!(io_done_valid && moved) || io_done_bits_oob == spare);
    none_lost:     assert (held == n);

    i_place:    assert (!watches || ahead < held && place == its);
    i_inside:   assert (held <= 4 && unit.state <= 4 && (unit.state == 0 || held != 0));
    i_known:    assert (!unit.known || held != 0 && unit.op == io_current_op && unit.slot == io_current_slot);
    i_knows:    assert (unit.state == 0 || unit.known);
    i_command:  assert (unit.state != 0 || !works && !transfers && !moved && !ended);
    i_level:    assert (unit.level == again && (!again || reads && held != 0));
    i_array:    assert (unit.state != 1 || works && !transfers && !ended && moved == (io_current_op == PROGRAM));
    i_transfer: assert (unit.state != 2 || reads && works && !transfers && !moved && ended && good);
    i_data:     assert (unit.state != 3 || works && !moved && (io_current_op == PROGRAM ? !ended && !transfers
                                                                 : reads && ended && transfers && good));
    i_status:   assert (!ended || unit.status == status);
    i_spare:    assert (!moved || unit.spare == spare);

    reach_read:    cover (now && answers && its_op == READ && moved && held == 3);
    reach_failed:  cover (now && answers && its_op == PROBE && status == ERASED);
    reach_spare:   cover (now && answers && its_op == PROBE && status == FAILED && moved);
    reach_again:   cover (now && answers && its_op == READ && moved && again);
    reach_lost:    cover (now && answers && its_op == READ && status == LOST);
    reach_program: cover (now && answers && its_op == PROGRAM);
  end
endmodule
