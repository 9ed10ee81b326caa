// SPDX-License-Identifier: Apache-2.0
//
// Two cells of the ECP5, for lint alone: Yosys's list of black boxes lacks them, and Verilator cannot read its models.
(* blackbox *)
module TRELLIS_IO (inout B, input I, input T, output O);
  parameter DIR = "INPUT";
endmodule

(* blackbox *)
module FD1S3BX (input PD, D, CK, output Q);
endmodule
