// --problem: a product or a convolution from a file in Timeloop's format.
#pragma once

#include <optional>

#include "cli/options/arguments.h"
#include "models/imports/problem.h"
#include "runtime/workload/network_conv.h"
#include "sim/isa/program.h"

namespace weft::cli {

/// --problem.
po::options_description problem_flag();

/// The problem of the words' --problem; nullopt without it. The file says whether it is a product
/// or a convolution, so a command that takes one of them hands the other on. Throws InputError,
/// also for options that only the other kind has.
std::optional<imports::Problem> named_problem(const std::vector<std::string>& words);
/// The same for arguments that are parsed already.
std::optional<imports::Problem> given_problem(const Arguments& arguments);
/// True if the words name a problem of type T.
template <class T>
bool names_problem(const std::vector<std::string>& words) {
  const auto problem = named_problem(words);
  return problem && std::holds_alternative<T>(*problem);
}

/// The file of --problem and its product; nullopt without it. Throws InputError if sizes are given
/// too.
std::optional<imports::ProductProblem> read_product_problem(const Arguments& arguments);
/// The convolution of --problem, without bias and activation; nullopt without it. Throws InputError
/// if one of its sizes is an option too.
std::optional<runtime::ConvSpec> read_conv_problem(const Arguments& arguments);

}  // namespace weft::cli
