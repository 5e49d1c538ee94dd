// Drives mxu by its contract, or breaks the contract in the way that +driver=NAME names. The
// assertions of mxu must be silent in the first case and report an error in the others.
module contract_test;
  localparam int Rows         = 2;
  localparam int Cols         = 2;
  localparam int ElementWidth = 8;

  logic clk, rst_n, valid, swap, push;
  logic [Rows*ElementWidth-1:0] act;
  logic [Cols*ElementWidth-1:0] weight;
  reg [8*24-1:0] driver;

  mxu #(
    .Rows(Rows),
    .Cols(Cols),
    .ElementWidth(ElementWidth)
  ) u_mxu (
    .clk_i   (clk),
    .rst_ni  (rst_n),
    .valid_i (valid),
    .act_i   (act),
    .swap_i  (swap),
    .push_i  (push),
    .weight_i(weight),
    .valid_o (),
    .result_o()
  );

  task cycle(input logic valid_next, input logic swap_next, input logic push_next);
    valid = valid_next;
    swap  = swap_next;
    push  = push_next;
    #1 clk = 1'b1;
    #1 clk = 1'b0;
  endtask

  // Two tiles with pauses; the push of the second starts with the swap of the first.
  task keep_contract;
    cycle(0, 0, 1);
    cycle(0, 0, 0);
    cycle(0, 0, 1);
    cycle(1, 1, 1);
    cycle(1, 0, 1);
    cycle(1, 1, 0);
    cycle(1, 0, 0);
  endtask

  initial begin
    if (!$value$plusargs("driver=%s", driver)) driver = "";
    {clk, rst_n, act, weight} = '0;
    cycle(0, 0, 0);
    rst_n = 1'b1;
    if (driver == "contract") keep_contract;
    else if (driver == "swap_without_row") begin
      cycle(0, 0, 1);
      cycle(0, 0, 1);
      cycle(0, 1, 0);
    end else if (driver == "swap_of_half_a_tile") begin
      cycle(0, 0, 1);
      cycle(1, 1, 1);
    end else if (driver == "swap_twice") begin
      cycle(0, 0, 1);
      cycle(0, 0, 1);
      cycle(1, 1, 0);
      cycle(1, 1, 0);
    end else if (driver == "push_too_many") begin
      cycle(0, 0, 1);
      cycle(0, 0, 1);
      cycle(1, 0, 1);
    end else $display("ERROR: no driver %0s", driver);
    $display("driver %0s ended", driver);
    $finish;
  end
endmodule
