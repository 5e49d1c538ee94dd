// The workloads of a sweep on its command line: a product, a convolution, a problem, networks.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/arguments.h"
#include "runtime/sweep/space/space.h"

namespace weft::cli {

/// Adds the workloads that the arguments name, and the axes of their sizes and batches. Throws
/// InputError.
void read_workloads(const Arguments& arguments, sweep::Request& request);

/// The axis whose values are `text`; `what` is the option's name in errors. Throws InputError.
sweep::Axis make_axis(const std::string& name, const std::string& text, const std::string& what);

/// Throws InputError with `why` for a given option that `options` has.
void refuse_options(const Arguments& arguments, const po::options_description& options,
                    std::string_view why);

}  // namespace weft::cli
