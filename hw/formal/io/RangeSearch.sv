// SPDX-License-Identifier: Apache-2.0
//
// Proves that a source's answer comes after the same number of cycles, and says whether the source meets one of the
// targets. There are up to four targets, of pages 0 to 7.
//
// Assumptions: the targets come in their order; they ascend and are disjoint. None comes while a source is searched.
// A source has pages.
module RangeSearchProof(
  input       clock,
  input       reset,
  input       io_target_valid,
  input [1:0] io_target_bits_index,
  input [2:0] io_target_bits_begin,
  input [2:0] io_target_bits_end,
  input       io_source_valid,
  input [2:0] io_source_bits_begin,
  input [2:0] io_source_bits_end,
  input       anew // a new list begins
);
  localparam AFTER = 8;
  reg  [2:0] targets;
  wire [2:0] io_targets = targets;
  wire       io_met_valid, io_met_bits;
  RangeSearch unit(.*);

  reg [2:0] begins [0:3];
  reg [2:0] ends [0:3];
  reg       shorter;            // the list before had more targets
  reg [AFTER-1:0] asked, meets; // sources under way, and what is to be said of them
  wire [3:0] met;
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1)
      assign met[g] = g < targets && begins[g] < io_source_bits_end && io_source_bits_begin < ends[g];
  endgenerate
  wire [2:0] reached = targets == 0 ? 3'd0 : ends[targets[1:0] - 2'd1];

  always @(posedge clock) begin
    if (!reset) begin
      assume (!io_target_valid || !anew && targets != 4 && io_target_bits_index == targets[1:0]);
      assume (!io_target_valid || io_target_bits_begin < io_target_bits_end && io_target_bits_begin >= reached);
      assume (!(io_target_valid || anew) || asked == 0 && !io_source_valid);
      assume (!io_source_valid || targets != 0 && io_source_bits_begin < io_source_bits_end);

      answer_is_there: assert (io_met_valid == asked[AFTER-1]);
      answer_is_right: assert (!io_met_valid || io_met_bits == meets[AFTER-1]);

      reach_last:    cover (io_met_valid && io_met_bits && targets == 4 && meets[AFTER-1:AFTER-2] == 2'b10
                            && asked[AFTER-2]);
      reach_shorter: cover (io_met_valid && !io_met_bits && shorter && targets == 1);
    end
    if (reset || anew) targets <= 0;
    else if (io_target_valid) begin
      targets <= targets + 1;
      begins[targets[1:0]] <= io_target_bits_begin;
      ends[targets[1:0]]   <= io_target_bits_end;
    end
    if (reset) shorter <= 0;
    else if (anew) shorter <= targets == 3;
    asked <= reset ? 0 : {asked[AFTER-2:0], io_source_valid};
    meets <= {meets[AFTER-2:0], |met};
  end
endmodule
