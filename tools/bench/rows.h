// The rows that weft_bench prints, one function and one file a group.
#pragma once

#include <string>
#include <vector>

namespace weft::bench {

struct Row {
  std::string name;
  std::string value;   // measured, with its unit
  std::string target;  // what it is meant to be; empty if it is only informative
};

/// The tile products against OpenBLAS and oneDNN, on one thread.
std::vector<Row> tile_rows();

/// The array with every register advanced.
std::vector<Row> stepped_rows();

}  // namespace weft::bench
