// SPDX-License-Identifier: Apache-2.0
//
// An arbitrary constant: a property proven for it holds for every value.
`define RIGID(WIDTH, NAME) \
  wire [WIDTH-1:0] NAME; \
  reg  [WIDTH-1:0] NAME``_was; \
  always @(posedge clock) begin \
    NAME``_was <= NAME; \
    if (!reset) assume (NAME == NAME``_was); \
  end
