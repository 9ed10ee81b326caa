// SPDX-License-Identifier: Apache-2.0
//
// Proves that host and firmware take turns and precede GC, and that GC gets one of N grants while it has a request.
//
// Assumptions: none.
`include "rigid.svh"
module NandAdmissionProof(
  input       clock,
  input       reset,
  input [3:0] io_asks
);
  localparam N = 4, GC = 2; // Knobs.gcOneIn, NandClient.gc
  localparam [3:0] OTHERS = 4'b1011;
  wire [3:0] io_grant;
  NandAdmission unit(.*);

  `RIGID(2, one) // any client except GC
  wire [1:0] ahead = one == 0 ? {1'b0, !unit.first_0_1} + {1'b0, !unit.first_0_3}
                   : one == 1 ? {1'b0, unit.first_0_1} + {1'b0, !unit.first_1_3}
                              : {1'b0, unit.first_0_3} + {1'b0, unit.first_1_3};

  reg [2:0] passed; // grants to others while GC had a request, since GC's last grant
  reg [2:0] waited; // grants to another client of its kind while `one` had a request, since the last grant to `one`
  always @(posedge clock) begin
    assume (one != GC);
    if (reset || io_grant[GC]) passed <= 0;
    else if (io_asks[GC] && io_grant != 0) passed <= passed + 1;
    if (reset || io_grant[one]) waited <= 0;
    else if (io_asks[one] && (io_grant & OTHERS) != 0) waited <= waited + 1;
    if (!reset) begin
      grants_one:  assert ($countones(io_grant) == (io_asks != 0));
      grants_its:  assert ((io_grant & ~io_asks) == 0);
      host_first:  assert (!io_grant[GC] || (io_asks & OTHERS) == 0 || passed == N - 1);
      gc_share:    assert (passed < N);
      takes_turns: assert (waited <= 2);
      i_passed:    assert (passed == unit.passed);
      i_ahead:     assert (waited + ahead <= 2);
      i_order:     assert (!(unit.first_0_1 && unit.first_1_3 && !unit.first_0_3) &&
                           !(!unit.first_0_1 && !unit.first_1_3 && unit.first_0_3));

      reach_due:    cover (io_grant[GC] && (io_asks & OTHERS) == OTHERS);
      reach_waited: cover (waited == 2 && io_grant[one]);
    end
  end
endmodule
