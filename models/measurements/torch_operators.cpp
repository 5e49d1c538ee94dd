#include "models/measurements/torch_operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

namespace weft::measurements {
namespace {

using devices::GemmShape;
using devices::NumberFormat;
using Dims = std::vector<std::int64_t>;

constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 62U;

/// The product of extents; kTooMuch if one is negative or the product is larger.
std::uint64_t product_of(std::span<const std::int64_t> extents) {
  std::uint64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 0 || (extent > 0 && product > kTooMuch / static_cast<std::uint64_t>(extent))) {
      return kTooMuch;
    }
    product *= static_cast<std::uint64_t>(extent);
  }
  return product;
}

std::uint64_t size_of(std::int64_t extent) {
  return extent < 0 ? kTooMuch : static_cast<std::uint64_t>(extent);
}

const Dims* dims_at(const TorchArguments& arguments, std::size_t place, std::size_t rank) {
  if (place >= arguments.dims.size() || arguments.dims[place].size() != rank) return nullptr;
  return &arguments.dims[place];
}

// --- Products ------------------------------------------------------------------------------------

/// A and B are the arguments `first` and the next.
std::optional<GemmShape> plain_product(const TorchArguments& arguments, std::size_t first) {
  const Dims* a = dims_at(arguments, first, 2);
  const Dims* b = dims_at(arguments, first + 1, 2);
  if (a == nullptr || b == nullptr || (*a)[1] != (*b)[0]) return std::nullopt;
  return checked_shape(size_of((*a)[0]), size_of((*a)[1]), size_of((*b)[1]));
}

std::optional<GemmShape> batched_product(const TorchArguments& arguments, std::size_t first) {
  const Dims* a = dims_at(arguments, first, 3);
  const Dims* b = dims_at(arguments, first + 1, 3);
  if (a == nullptr || b == nullptr || (*a)[2] != (*b)[1] || (*a)[0] != (*b)[0]) return std::nullopt;
  return checked_shape(size_of((*a)[1]), size_of((*a)[2]), size_of((*b)[2]), size_of((*a)[0]));
}

std::optional<GemmShape> linear(const TorchArguments& arguments) {
  const Dims* w = dims_at(arguments, 1, 2);
  if (w == nullptr || arguments.dims[0].empty()) return std::nullopt;
  const Dims& x = arguments.dims[0];
  if (x.back() != (*w)[1]) return std::nullopt;
  const std::uint64_t rows = product_of(std::span(x).first(x.size() - 1));
  return checked_shape(rows, size_of(x.back()), size_of((*w)[0]));
}

/// The extents of both operands' batches, right-aligned as NumPy broadcasts them.
std::optional<std::uint64_t> broadcast(std::span<const std::int64_t> a,
                                       std::span<const std::int64_t> b) {
  Dims extents;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    extents.push_back(x == 1 ? y : x);
  }
  return product_of(extents);
}

std::optional<GemmShape> matmul(const TorchArguments& arguments) {
  if (arguments.dims.size() < 2 || arguments.dims[0].empty() || arguments.dims[1].empty()) {
    return std::nullopt;
  }
  Dims a = arguments.dims[0];
  Dims b = arguments.dims[1];
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  const std::uint64_t k = size_of(a.back());
  if (k != size_of(b[b.size() - 2])) return std::nullopt;
  const auto of_a = std::span(a).first(a.size() - 2);
  const auto of_b = std::span(b).first(b.size() - 2);
  const auto batch = broadcast(of_a, of_b);
  if (!batch || *batch >= kTooMuch) return std::nullopt;
  const std::uint64_t rows = size_of(a[a.size() - 2]);
  const std::uint64_t columns = size_of(b.back());
  if (product_of(of_b) != 1) return checked_shape(rows, k, columns, *batch);
  const std::uint64_t all = product_of(std::span(a).first(a.size() - 1));  // of one matrix
  return checked_shape(all, k, columns);
}

// --- Convolutions --------------------------------------------------------------------------------

/// "[2, 2]" as numbers, "1" as one; nullopt for anything else.
std::optional<Dims> numbers_in(std::string_view text) {
  Dims numbers;
  while (!text.empty()) {
    const std::size_t first = text.find_first_not_of("[], ");
    if (first == std::string_view::npos) break;
    text.remove_prefix(first);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return numbers;
}

/// A window's parameter of each spatial dimension: the list, or its only number for all.
std::optional<Dims> per_dimension(const TorchArguments& arguments, std::size_t place,
                                  std::size_t dimensions, std::int64_t least) {
  if (place >= arguments.concrete.size()) return std::nullopt;
  auto numbers = numbers_in(arguments.concrete[place]);
  if (!numbers || numbers->empty()) return std::nullopt;
  if (numbers->size() == 1) numbers->resize(dimensions, numbers->front());
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;
  const bool fits = std::ranges::all_of(
      *numbers, [least](std::int64_t number) { return number >= least && number <= kMost; });
  return numbers->size() == dimensions && fits ? numbers : std::nullopt;
}

/// Places of the window in the image, over all spatial dimensions; 0 if the window does not fit.
std::uint64_t window_places(const Dims& x, const Dims& w, const Dims& strides, const Dims& padding,
                            const Dims& dilation) {
  Dims places;
  constexpr std::int64_t kMost = std::int64_t{1} << 30U;
  for (std::size_t i = 0; i + 2 < x.size(); ++i) {
    const std::int64_t image = x[i + 2];
    const std::int64_t window = w[i + 2];
    if (image < 1 || window < 1 || image > kMost || window > kMost) return 0;
    const std::int64_t room = image + 2 * padding[i] - dilation[i] * (window - 1) - 1;
    if (room < 0) return 0;
    places.push_back(room / strides[i] + 1);
  }
  return product_of(places);
}

std::optional<GemmShape> convolution(const TorchArguments& arguments, const ConvOperands& conv) {
  const Dims& x = conv.input;
  const Dims& w = conv.weights;
  const std::size_t dimensions = x.size() - 2;
  const auto strides = per_dimension(arguments, 3, dimensions, 1);
  const auto padding = per_dimension(arguments, 4, dimensions, 0);
  const auto dilation = per_dimension(arguments, 5, dimensions, 1);
  const auto groups = per_dimension(arguments, 8, 1, 1);
  if (!strides || !padding || !dilation || !groups) return std::nullopt;
  const std::int64_t g = groups->front();
  const std::uint64_t taps = product_of(std::span(w).subspan(2));
  if (x[0] < 1 || w[0] < 1 || w[1] < 1 || taps >= kTooMuch) return std::nullopt;
  if (arguments.concrete[6] == "True") {
    if (x[1] != w[0] || w[0] % g != 0) return std::nullopt;
    const std::uint64_t positions =
        product_of(Dims{x[0], static_cast<std::int64_t>(product_of(std::span(x).subspan(2)))});
    return checked_shape(positions, size_of(w[0] / g), product_of(std::span(w).subspan(1)),
                         size_of(g));
  }
  if (w[0] % g != 0 || size_of(x[1]) != product_of(Dims{w[1], g})) return std::nullopt;
  const std::uint64_t places = window_places(x, w, *strides, *padding, *dilation);
  return checked_shape(product_of(Dims{x[0], static_cast<std::int64_t>(places)}),
                       product_of(std::span(w).subspan(1)), size_of(w[0] / g), size_of(g));
}

std::optional<ConvOperands> conv_operands(const TorchArguments& arguments) {
  if (arguments.dims.size() < 2) return std::nullopt;
  const ConvOperands conv = {arguments.dims[0], arguments.dims[1]};
  if (conv.input.size() < 3 || conv.input.size() != conv.weights.size()) return std::nullopt;
  return conv;
}

// --- Tables --------------------------------------------------------------------------------------

using ProductRule = std::optional<GemmShape> (*)(const TorchArguments&);

struct ProductOperator {
  std::string_view name;
  ProductRule shape;  // null for convolutions
};

constexpr std::array kProducts = {
    ProductOperator{"aten::mm", [](const TorchArguments& a) { return plain_product(a, 0); }},
    ProductOperator{"aten::_int_mm", [](const TorchArguments& a) { return plain_product(a, 0); }},
    ProductOperator{"aten::_scaled_mm",
                    [](const TorchArguments& a) { return plain_product(a, 0); }},
    ProductOperator{"aten::addmm", [](const TorchArguments& a) { return plain_product(a, 1); }},
    ProductOperator{"aten::_addmm_activation",
                    [](const TorchArguments& a) { return plain_product(a, 1); }},
    ProductOperator{"aten::bmm", [](const TorchArguments& a) { return batched_product(a, 0); }},
    ProductOperator{"aten::baddbmm", [](const TorchArguments& a) { return batched_product(a, 1); }},
    ProductOperator{"aten::linear", linear},
    ProductOperator{"aten::matmul", matmul},
    ProductOperator{"aten::convolution", nullptr},
    ProductOperator{"aten::_convolution", nullptr},
};

const ProductOperator* find_product(std::string_view name) {
  const auto found = std::ranges::find(kProducts, name, &ProductOperator::name);
  return found == kProducts.end() ? nullptr : &*found;
}

/// Of the first tensor.
std::optional<NumberFormat> format_of(const TorchArguments& arguments) {
  for (const std::string& type : arguments.types) {
    if (type == "float") return NumberFormat::kFp32;
    if (type == "c10::Half") return NumberFormat::kFp16;
    if (type == "c10::BFloat16") return NumberFormat::kBf16;
    if (type == "signed char" || type == "c10::qint8") return NumberFormat::kInt8;
    if (!type.empty() && type != "Scalar" && type != "ScalarList") return std::nullopt;
  }
  return std::nullopt;
}

std::string operands_text(const TorchArguments& arguments) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (const Dims& dims :
       std::span(arguments.dims).first(std::min(kShown, arguments.dims.size()))) {
    if (!dims.empty()) text += fmt::format("{}[{}]", text.empty() ? "" : " ", fmt::join(dims, ","));
  }
  return text;
}

}  // namespace

bool is_product_operator(std::string_view name) {
  return find_product(name) != nullptr;
}

Measurement measured_operator(std::string_view name, const TorchArguments& arguments) {
  Measurement measurement;
  measurement.name = name;
  const ProductOperator* known = find_product(name);
  if (known == nullptr) return measurement;
  measurement.is_product = true;
  measurement.format = format_of(arguments);
  measurement.operands = operands_text(arguments);
  if (known->shape != nullptr) {
    measurement.shape = known->shape(arguments);
  } else if (const auto conv = conv_operands(arguments)) {
    measurement.conv = conv;
    measurement.shape = convolution(arguments, *conv);
  }
  return measurement;
}

}  // namespace weft::measurements
