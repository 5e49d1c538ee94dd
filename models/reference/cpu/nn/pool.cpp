// MaxPool, AveragePool and the global pools, any number of spatial dimensions.
//
// The order of an average's additions is part of the numerics contract: start from +0, add the
// window's elements in row-major order, round each sum, then divide once by their number. A machine
// that adds in this order gives the same bits.
#include <cmath>
#include <limits>

#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/nn/taps.h"

namespace weft::reference {
namespace {

struct TapRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// For every output along one dimension, the taps whose input position is in [low, high).
std::vector<TapRange> taps_between(const graph::WindowDim& window, std::int64_t low,
                                   std::int64_t high) {
  std::vector<TapRange> ranges;
  for (std::int64_t output = 0; output < window.output; ++output) {
    TapRange range{0, window.kernel};
    while (range.first < range.end && input_position(window, output, range.first) < low) {
      ++range.first;
    }
    while (range.end > range.first && input_position(window, output, range.end - 1) >= high) {
      --range.end;
    }
    ranges.push_back(range);
  }
  return ranges;
}

/// Visits the elements of every window of one image plane in row-major order.
class PoolWindows {
 public:
  explicit PoolWindows(const Windows& windows) : windows_(windows), at_(windows.size()) {
    for (const graph::WindowDim& window : windows) {
      inside_.push_back(taps_between(window, 0, window.input));
      const std::int64_t padded_end = window.input + window.pad_end;
      padded_.push_back(taps_between(window, -window.pad_begin, padded_end));
    }
  }

  /// Calls visit(position in the input plane) for the window of output `position`.
  template <class Visit>
  void visit(std::int64_t position, Visit visit) {
    for (std::size_t d = windows_.size(); d-- > 0;) {
      at_[d] = position % windows_[d].output;
      position /= windows_[d].output;
    }
    visit_from(0, 0, visit);
  }

  /// Number of elements in the window of output `position`; with `with_padding`, padding counts
  /// too. Positions beyond the padding, which a rounded-up output size can reach, do not count.
  std::int64_t count(std::int64_t position, bool with_padding) const {
    const auto& ranges = with_padding ? padded_ : inside_;
    std::int64_t total = 1;
    for (std::size_t d = windows_.size(); d-- > 0;) {
      const TapRange& range = ranges[d][static_cast<std::size_t>(position % windows_[d].output)];
      total *= range.end - range.first;
      position /= windows_[d].output;
    }
    return total;
  }

 private:
  template <class Visit>
  void visit_from(std::size_t d, std::int64_t base, Visit& visit) {
    const graph::WindowDim& window = windows_[d];
    const TapRange& range = inside_[d][static_cast<std::size_t>(at_[d])];
    for (std::int64_t tap = range.first; tap < range.end; ++tap) {
      const std::int64_t position = base * window.input + input_position(window, at_[d], tap);
      if (d + 1 == windows_.size()) {
        visit(position);
      } else {
        visit_from(d + 1, position, visit);
      }
    }
  }

  const Windows& windows_;
  std::vector<std::vector<TapRange>> inside_;
  std::vector<std::vector<TapRange>> padded_;
  std::vector<std::int64_t> at_;  // the output position that is being visited
};

Windows pool_windows(const NodeCall& call) {
  const Shape kernel = call.attributes.integers("kernel_shape");
  return graph::resolve_windows(call.attributes, input(call, 0).shape(), kernel);
}

Shape pooled_shape(const Shape& x, const Windows& windows) {
  Shape shape{x[0], x[1]};
  for (const graph::WindowDim& window : windows) shape.push_back(window.output);
  return shape;
}

/// Calls pool(plane's elements, plane's number, output position) for every output, in order.
template <class T, class Pool>
void for_each_output(const Tensor& x, const Windows& windows, Pool pool) {
  const std::int64_t in = input_plane(windows);
  const std::int64_t out = output_plane(windows);
  const T* data = x.data<T>().data();
  for (std::int64_t plane = 0; plane < x.shape()[0] * x.shape()[1]; ++plane) {
    for (std::int64_t position = 0; position < out; ++position) {
      pool(data + plane * in, plane, position);
    }
  }
}

template <class T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::min();
}

/// Whether `value` replaces the maximum `best`. A NaN always does.
template <class T>
bool exceeds(T value, T best) {
  if constexpr (std::is_floating_point_v<T>) return value > best || std::isnan(value);
  return value > best;
}

/// Converts a row-major position in a plane to the order of storage_order: 0 row-major, 1
/// column-major.
std::int64_t stored_position(const Windows& windows, std::int64_t position, bool column_major) {
  if (!column_major) return position;
  std::int64_t result = 0;
  std::int64_t rest = input_plane(windows);
  for (std::size_t d = windows.size(); d-- > 0;) {
    rest /= windows[d].input;
    result += position % windows[d].input * rest;
    position /= windows[d].input;
  }
  return result;
}

template <class T>
Tensors max_pool(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Windows windows = pool_windows(call);
  PoolWindows walk(windows);
  const bool column_major = call.attributes.integer("storage_order", 0) != 0;
  const std::int64_t plane_size = input_plane(windows);
  Tensor y(x.type(), pooled_shape(x.shape(), windows));
  Tensor indices(DataType::kInt64, y.shape());
  T* out = y.mutable_data<T>().data();
  std::int64_t* index = indices.mutable_data<std::int64_t>().data();
  for_each_output<T>(x, windows, [&](const T* data, std::int64_t plane, std::int64_t output) {
    T best = lowest<T>();
    std::int64_t best_position = -1;
    walk.visit(output, [&](std::int64_t position) {
      if (best_position >= 0 && !exceeds(data[position], best)) return;
      best = data[position];
      best_position = position;
    });
    *out++ = best;
    *index++ = plane * plane_size + stored_position(windows, best_position, column_major);
  });
  return {std::move(y), std::move(indices)};
}

template <class T>
Tensor average_pool(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Windows windows = pool_windows(call);
  PoolWindows walk(windows);
  const bool with_padding = call.attributes.integer("count_include_pad", 0) != 0;
  Tensor y(x.type(), pooled_shape(x.shape(), windows));
  T* out = y.mutable_data<T>().data();
  for_each_output<T>(x, windows, [&](const T* data, std::int64_t, std::int64_t output) {
    T sum{0};
    walk.visit(output, [&](std::int64_t position) { sum += data[position]; });
    *out++ = sum / static_cast<T>(walk.count(output, with_padding));
  });
  return y;
}

Shape global_shape(const Shape& x) {
  Shape shape = x;
  std::fill(shape.begin() + 2, shape.end(), 1);
  return shape;
}

/// Sets each output to pool(elements of one plane), for every image and channel.
template <class T, class Pool>
Tensor pool_planes(const Tensor& x, Pool pool) {
  Tensor y(x.type(), global_shape(x.shape()));
  const std::span<T> out = y.mutable_data<T>();
  const std::size_t plane = out.empty() ? 0 : x.data<T>().size() / out.size();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = pool(x.data<T>().subspan(i * plane, plane));
  return y;
}

template <class T>
T average(std::span<const T> elements) {
  T sum{0};
  for (const T element : elements) sum += element;
  return sum / static_cast<T>(elements.size());
}

template <class T>
T maximum(std::span<const T> elements) {
  T best = lowest<T>();
  for (const T element : elements) {
    if (exceeds(element, best)) best = element;
  }
  return best;
}

Tensors evaluate_max_pool(const NodeCall& call) {
  const DataType type = input(call, 0).type();
  if (type == DataType::kInt8) return max_pool<std::int8_t>(call);
  if (type == DataType::kUint8) return max_pool<std::uint8_t>(call);
  return with_real(call, [&]<class T>(T) { return max_pool<T>(call); });
}

Tensors evaluate_average_pool(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) -> Tensors { return {average_pool<T>(call)}; });
}

Tensors evaluate_global_average_pool(const NodeCall& call) {
  return with_real(
      call, [&]<class T>(T) -> Tensors { return {pool_planes<T>(input(call, 0), average<T>)}; });
}

Tensors evaluate_global_max_pool(const NodeCall& call) {
  return with_real(
      call, [&]<class T>(T) -> Tensors { return {pool_planes<T>(input(call, 0), maximum<T>)}; });
}

}  // namespace

Kernels pool_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kMaxPool, with_half<evaluate_max_pool>},
      {Op::kAveragePool, with_half<evaluate_average_pool>},
      {Op::kGlobalAveragePool, with_half<evaluate_global_average_pool>},
      {Op::kGlobalMaxPool, with_half<evaluate_global_max_pool>},
  });
  return kKernels;
}

}  // namespace weft::reference
