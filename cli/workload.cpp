#include "cli/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/parse_number.h"
#include "cli/options/problem_options.h"

namespace weft::cli {
namespace {

/// One of M, K, N: its value so far, and where the value comes from.
struct Size {
  const char* name;
  std::optional<std::uint64_t> value;
  std::string source;

  void set(std::uint64_t size, const std::string& from) {
    if (value && *value != size) {
      throw InputError(fmt::format("{} is {} by {} and {} by {}; make them agree", name, *value,
                                   source, size, from));
    }
    value = size;
    source = from;
  }
};

void take_positionals(const Arguments& arguments, std::array<Size, 3>& sizes) {
  const auto& words = arguments.positionals;
  check_positional_count(arguments, 3);
  if (!words.empty() && words.size() < 3) {
    for (std::size_t i = 0; i < words.size(); ++i) parse_size(words[i], sizes[i].name);
    throw InputError(fmt::format("{} is missing: give all of M K N", sizes[words.size()].name));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    sizes[i].set(parse_size(words[i], sizes[i].name), "the command line");
  }
}

void take_problem(const Arguments& arguments, std::array<Size, 3>& sizes) {
  const auto problem = read_product_problem(arguments);
  if (!problem) return;
  const std::string file = *arguments.text("problem");
  sizes[0].set(problem->m, file);
  sizes[1].set(problem->k, file);
  sizes[2].set(problem->n, file);
}

void take_headers(const runtime::InputHeaders& headers, std::array<Size, 3>& sizes) {
  auto& [m, k, n] = sizes;
  if (headers.a) {
    m.set(runtime::matrix_shape(*headers.a).rows, headers.a->file);
    k.set(runtime::matrix_shape(*headers.a).cols, headers.a->file);
  }
  if (headers.b) {
    k.set(runtime::matrix_shape(*headers.b).rows, headers.b->file);
    n.set(runtime::matrix_shape(*headers.b).cols, headers.b->file);
  }
  if (headers.bias) n.set(runtime::bias_shape(*headers.bias).cols, headers.bias->file);
}

/// The sizes alone, without bias and activation.
MatmulSpec spec_of(const Arguments& arguments, const runtime::InputHeaders& headers) {
  std::array<Size, 3> sizes = {{{"M", {}, {}}, {"K", {}, {}}, {"N", {}, {}}}};
  take_positionals(arguments, sizes);
  take_problem(arguments, sizes);
  take_headers(headers, sizes);
  for (const Size& size : sizes) {
    if (size.value) continue;
    const bool files = headers.a || headers.b || headers.bias;
    throw InputError(fmt::format("{} is not given; name M K N{}", size.name,
                                 files ? ", or give both --a and --b" : ""));
  }
  MatmulSpec spec;
  spec.m = *sizes[0].value;
  spec.k = *sizes[1].value;
  spec.n = *sizes[2].value;
  return spec;
}

}  // namespace

bool names_network(const Arguments& arguments) {
  if (arguments.positionals.size() != 1) return false;
  const std::string& word = arguments.positionals.front();
  return !std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

MatmulSpec read_sizes(const Arguments& arguments) {
  return spec_of(arguments, {});
}

MatmulSpec read_spec(const Arguments& arguments, const runtime::InputHeaders& headers) {
  MatmulSpec spec = spec_of(arguments, headers);
  spec.bias = headers.bias || headers.a_is_uint8() || arguments.has("with-bias");
  spec.activation = read_activation(arguments);
  return spec;
}

}  // namespace weft::cli
