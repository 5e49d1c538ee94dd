// The datapath of the matmul unit: the array and the accumulators after it. The destination of a row
// of results enters with its activations and is delayed as long as they are.
//
//   valid_i, act_i, swap_i --> [ mxu ] --result--> [ accumulator ] --> read_data_o
//   row_i, accumulate_i   --> [ delay Rows+Cols-1 ] ----^
//
// A row that enters in cycle A is written at the end of cycle A+Rows+Cols-1. In that cycle, write_o,
// write_row_o and write_data_o show the write.
module matmul_datapath #(
  parameter int Rows          = 4,
  parameter int Cols          = 4,
  parameter int ElementWidth  = 8,
  parameter int ExponentWidth = 0,
  parameter int PsumWidth     = 32,
  parameter int Depth         = 16,
  parameter int RowWidth      = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         valid_i,
  input  logic [Rows*ElementWidth-1:0] act_i,
  input  logic                         swap_i,
  input  logic [         RowWidth-1:0] row_i,         // accumulator row of this row's results
  input  logic                         accumulate_i,  // add to it, or overwrite it
  input  logic                         push_i,
  input  logic [Cols*ElementWidth-1:0] weight_i,
  output logic                         write_o,
  output logic [         RowWidth-1:0] write_row_o,
  output logic [   Cols*PsumWidth-1:0] write_data_o,
  input  logic [         RowWidth-1:0] read_row_i,
  output logic [   Cols*PsumWidth-1:0] read_data_o
);
  logic [Cols*PsumWidth-1:0] result;
  logic                      accumulate;

  mxu #(
    .Rows         (Rows),
    .Cols         (Cols),
    .ElementWidth (ElementWidth),
    .ExponentWidth(ExponentWidth),
    .PsumWidth    (PsumWidth)
  ) u_mxu (
    .clk_i,
    .rst_ni,
    .valid_i,
    .act_i,
    .swap_i,
    .push_i,
    .weight_i,
    .valid_o (write_o),
    .result_o(result)
  );

  delay #(
    .Width(RowWidth + 1),
    .Depth(Rows + Cols - 1)
  ) u_destination (
    .clk_i,
    .rst_ni,
    .d_i({accumulate_i, row_i}),
    .q_o({accumulate, write_row_o})
  );

  accumulator #(
    .Depth        (Depth),
    .Cols         (Cols),
    .ExponentWidth(ExponentWidth),
    .PsumWidth    (PsumWidth)
  ) u_accumulator (
    .clk_i,
    .write_i     (write_o),
    .accumulate_i(accumulate),
    .row_i       (write_row_o),
    .data_i      (result),
    .write_data_o,
    .read_row_i,
    .read_data_o
  );

  // Checked where the mistake is made, Rows+Cols-1 cycles before the write.
  always @(posedge clk_i) begin
    assert (!valid_i || 32'(row_i) < Depth);
  end
endmodule
