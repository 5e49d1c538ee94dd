// The data spaces of a Timeloop problem: which dimensions index each operand, and by how much.
//
//   projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]
//
// Each inner list is an index, a sum of terms. A term is a dimension, or a dimension and its
// coefficient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::imports {

struct ProjectionTerm {
  std::string dimension;
  std::string coefficient;  // empty for 1
  std::size_t line = 0;
};

struct DataSpace {
  bool is_written = false;  // the result
  std::size_t line = 0;
  std::vector<std::vector<ProjectionTerm>> indices;
};

/// What a product or convolution has as one of its data spaces.
struct Operand {
  std::string what;  // "the weights of a convolution"
  bool is_written = false;
  bool is_input = false;  // its windows are R with P, S with Q
  std::vector<std::string> dimensions;
};

/// Compares the data spaces with the operands of the product or convolution that Weft runs. Names
/// do not count: a data space is the operand whose dimensions it has. Indices may have any order.
/// What is not there is not compared. Throws InputError for the first difference.
class ProjectionCheck {
 public:
  /// `place` is "FILE:12" for a line, `value` that of a coefficient, `size` that of a dimension.
  /// All may throw InputError.
  ProjectionCheck(std::function<std::string(std::size_t)> place,
                  std::function<std::uint64_t(const ProjectionTerm&)> value,
                  std::function<std::uint64_t(const std::string&)> size)
      : place_(std::move(place)), value_(std::move(value)), size_(std::move(size)) {}

  /// There are three operands, one of them written.
  void check(const std::vector<DataSpace>& spaces, std::vector<Operand> operands) const;

 private:
  void check_count(const std::vector<DataSpace>& spaces) const;
  std::vector<Operand> matched(const std::vector<DataSpace>& spaces,
                               std::vector<Operand> operands) const;
  std::size_t difference(const DataSpace& space, const Operand& operand) const;
  std::vector<std::string> missing(const DataSpace& space, const Operand& operand) const;
  void check_known(const DataSpace& space, const Operand& operand) const;
  void check_complete(const DataSpace& space, const Operand& operand) const;
  void check_term(const ProjectionTerm& term, bool in_input) const;
  void check_sum(const std::vector<ProjectionTerm>& index, const Operand& operand) const;
  void check_windows(const DataSpace& space) const;

  std::function<std::string(std::size_t)> place_;
  std::function<std::uint64_t(const ProjectionTerm&)> value_;
  std::function<std::uint64_t(const std::string&)> size_;
};

}  // namespace weft::imports
