// SPDX-License-Identifier: Apache-2.0
//
// Proves for two sides that share a port: a request once offered stays until it is accepted, and requests are forwarded
// unchanged. The second side gets the port whenever it is selected and no offer is pending.
//
// Assumptions: a side keeps its request until it is accepted.
module HeldChoiceProof(
  input       clock,
  input       reset,
  input       io_side_0_valid,
  input [3:0] io_side_0_bits,
  input       io_side_1_valid,
  input [3:0] io_side_1_bits,
  input       io_second,
  input       io_port_ready
);
  wire       io_side_0_ready, io_side_1_ready, io_port_valid;
  wire [3:0] io_port_bits;
  HeldPort unit(.*);

  reg       waits, waits_0, waits_1; // offered but not accepted in the previous cycle
  reg [3:0] waits_bits, waits_bits_0, waits_bits_1;
  wire      takes_0 = io_side_0_valid && io_side_0_ready;
  wire      takes_1 = io_side_1_valid && io_side_1_ready;
  always @(posedge clock) begin
    waits        <= !reset && io_port_valid && !io_port_ready;
    waits_0      <= !reset && io_side_0_valid && !io_side_0_ready;
    waits_1      <= !reset && io_side_1_valid && !io_side_1_ready;
    waits_bits   <= io_port_bits;
    waits_bits_0 <= io_side_0_bits;
    waits_bits_1 <= io_side_1_bits;
    if (!reset) begin
      assume (!waits_0 || io_side_0_valid && io_side_0_bits == waits_bits_0);
      assume (!waits_1 || io_side_1_valid && io_side_1_bits == waits_bits_1);

      stays:        assert (!waits || io_port_valid && io_port_bits == waits_bits);
      takes_one:    assert (!(takes_0 && takes_1) && (takes_0 || takes_1) == (io_port_valid && io_port_ready));
      takes_its:    assert (!takes_0 || io_port_bits == io_side_0_bits);
      takes_second: assert (!takes_1 || io_port_bits == io_side_1_bits);
      chosen:       assert (waits || io_port_valid == (io_second ? io_side_1_valid : io_side_0_valid));
      i_offered:    assert (unit.chosen_offered == waits);
      i_side:       assert (!waits || (unit.chosen_last ? waits_1 && waits_bits_1 == waits_bits
                                                        : waits_0 && waits_bits_0 == waits_bits));

      // The other side is selected while an offer is pending.
      reach_held:   cover (waits && io_second && takes_0 && io_side_1_valid && io_side_1_bits != io_side_0_bits);
      reach_second: cover (waits && !io_second && takes_1 && io_side_0_valid);
    end
  end
endmodule
