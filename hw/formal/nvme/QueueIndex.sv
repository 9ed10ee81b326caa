// SPDX-License-Identifier: Apache-2.0
//
// Proves that each queue's index is the last value written to it, or 0 after the queue was created, whatever happens to
// other queues in the same cycle. There are four queues; indices have 4 bits.
//
// Assumptions: none.
`include "rigid.svh"
module QueueIndexProof(
  input       clock,
  input       reset,
  input [1:0] io_at,
  input       io_begin_valid,
  input [1:0] io_begin_bits,
  input       io_put_valid,
  input [1:0] io_put_bits_qid,
  input [3:0] io_put_bits_value
);
  wire [3:0] io_index;
  IndexedQueues unit(.*);

  `RIGID(2, one) // any queue
  wire [3:0] fresh = {unit.fresh_3, unit.fresh_2, unit.fresh_1, unit.fresh_0};
  reg  [3:0] index;
  reg        was_put;
  always @(posedge clock) begin
    if (reset || io_begin_valid && io_begin_bits == one) index <= 0;
    else if (io_put_valid && io_put_bits_qid == one) index <= io_put_bits_value;
    was_put <= !reset && (was_put || index == 9);
    if (!reset) begin
      index_is_so: assert (io_at != one || io_index == index);
      i_number:    assert (index == (fresh[one] ? 4'd0 : unit.number_ext.Memory[one]));

      reach_again: cover (was_put && index == 0 && io_at == one);
      reach_both:  cover (io_begin_valid && io_put_valid && io_begin_bits == one && io_put_bits_qid != one
                          && index == 5);
    end
  end
endmodule
