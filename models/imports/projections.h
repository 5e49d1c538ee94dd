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

/// Compares the data spaces with those of the product or convolution that Weft runs. What is not
/// there is not compared. Throws InputError for the first difference.
class ProjectionCheck {
 public:
  /// `place` is "FILE:12" for a line, `value` that of a coefficient. Both may throw InputError.
  ProjectionCheck(std::function<std::string(std::size_t)> place,
                  std::function<std::uint64_t(const ProjectionTerm&)> value)
      : place_(std::move(place)), value_(std::move(value)) {}

  /// `result` are the dimensions that the result may have; `what` is "a product" or the like.
  void check(const std::vector<DataSpace>& spaces, const std::vector<std::string_view>& result,
             std::string_view what) const;

 private:
  void check_result(const DataSpace& space, const std::vector<std::string_view>& names,
                    std::string_view what) const;
  void check_term(const ProjectionTerm& term, bool in_input) const;
  void check_window(const std::vector<ProjectionTerm>& index) const;

  std::function<std::string(std::size_t)> place_;
  std::function<std::uint64_t(const ProjectionTerm&)> value_;
};

}  // namespace weft::imports
