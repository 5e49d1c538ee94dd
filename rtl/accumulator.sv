// The accumulators: Depth rows of Cols sums, all zero at first. Each cycle can write one row: the
// array's results overwrite it or are added to it. A second port reads for the vector unit. What is
// written in a cycle can be read from the next cycle on.
//
//   data_i ---->(+)---> write_data_o --> [ memory ] --> read_data_o
//                ^                           |
//                +------ accumulate_i -------+
//
// ExponentWidth 0: two's-complement sums that wrap; otherwise IEEE 754 binary32, round to nearest
// even, every NaN canonical; the addition is an fma with the factor one.
module accumulator #(
  parameter int Depth         = 16,
  parameter int Cols          = 4,
  parameter int ExponentWidth = 0,
  parameter int PsumWidth     = 32,
  parameter int RowWidth      = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                      clk_i,
  input  logic                      write_i,
  input  logic                      accumulate_i,
  input  logic [      RowWidth-1:0] row_i,
  input  logic [Cols*PsumWidth-1:0] data_i,
  output logic [Cols*PsumWidth-1:0] write_data_o,  // what this cycle's write stores
  input  logic [      RowWidth-1:0] read_row_i,
  output logic [Cols*PsumWidth-1:0] read_data_o
);
  logic [Cols*PsumWidth-1:0] memory_q[Depth];
  logic [Cols*PsumWidth-1:0] stored, sum;

  initial begin
    for (int i = 0; i < Depth; i++) memory_q[i] = '0;
  end

  assign stored       = memory_q[row_i];
  assign read_data_o  = memory_q[read_row_i];
  assign write_data_o = accumulate_i ? sum : data_i;

  for (genvar c = 0; c < Cols; c++) begin : gen_col
    if (ExponentWidth == 0) begin : gen_add
      assign sum[c*PsumWidth+:PsumWidth] = stored[c*PsumWidth+:PsumWidth] +
                                           data_i[c*PsumWidth+:PsumWidth];
    end else begin : gen_add
      localparam logic [PsumWidth-1:0] One = PsumWidth'(binary32_pkg::Bias)
                                             << binary32_pkg::FractionWidth;
      fma_binary32 u_add (
        .a_i     (stored[c*PsumWidth+:PsumWidth]),
        .b_i     (One),
        .c_i     (data_i[c*PsumWidth+:PsumWidth]),
        .result_o(sum[c*PsumWidth+:PsumWidth])
      );
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) memory_q[row_i] <= write_data_o;
  end

  // If Depth is not a power of two, row_i can name rows that do not exist. Icarus 11 accepts no
  // label before an assertion and no assertion in always_ff; Yosys accepts no else after it.
  always @(posedge clk_i) begin
    assert (!write_i || 32'(row_i) < Depth);
    assert (32'(read_row_i) < Depth);
  end
endmodule
