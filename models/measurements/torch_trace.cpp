#include "models/measurements/torch_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"
#include "models/measurements/measurement_groups.h"

namespace weft::measurements {
namespace {

using Key = MeasurementGroups::Key;

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint8_t kOfOperators = 0;
constexpr std::uint8_t kOfKernels = 1;

/// Which operators lie inside which.
struct Nesting {
  std::vector<std::uint32_t> parent = {};   // kNone: outermost
  std::vector<std::uint32_t> product = {};  // the innermost product around or at an operator
  std::vector<bool> is_outer = {};          // a product that has another one inside

  /// The innermost product that an operator belongs to; kNone if it belongs to none, or only to
  /// one that has another inside.
  std::uint32_t owner(std::uint32_t at) const {
    const std::uint32_t found = product[at];
    return found == kNone || is_outer[found] ? kNone : found;
  }
};

/// By thread and start; of those that start together, the longest first.
std::vector<std::uint32_t> in_order(const std::deque<TorchOperator>& operators) {
  std::vector<std::uint32_t> order(operators.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const TorchOperator& x = operators[a];
    const TorchOperator& y = operators[b];
    if (x.thread != y.thread) return x.thread < y.thread;
    return x.start_ns != y.start_ns ? x.start_ns < y.start_ns : x.end_ns > y.end_ns;
  });
  return order;
}

Nesting nest(const TorchEvents& events) {
  const std::deque<TorchOperator>& operators = events.operators;
  Nesting nesting{std::vector<std::uint32_t>(operators.size(), kNone),
                  std::vector<std::uint32_t>(operators.size(), kNone),
                  std::vector<bool>(operators.size(), false)};
  std::vector<std::uint32_t> open;
  for (const std::uint32_t at : in_order(operators)) {
    const TorchOperator& each = operators[at];
    while (!open.empty() && (operators[open.back()].thread != each.thread ||
                             operators[open.back()].end_ns <= each.start_ns)) {
      open.pop_back();
    }
    const std::uint32_t around = open.empty() ? kNone : nesting.product[open.back()];
    nesting.parent[at] = open.empty() ? kNone : open.back();
    nesting.product[at] = around;
    if (events.signatures[each.signature].is_product) {
      if (around != kNone) nesting.is_outer[around] = true;
      nesting.product[at] = at;
    }
    open.push_back(at);
  }
  return nesting;
}

// --- Kernels -------------------------------------------------------------------------------------

/// The operators by their External ids. Several may have the same one.
class ById {
 public:
  explicit ById(const std::deque<TorchOperator>& operators) : operators_(operators) {
    for (std::uint32_t i = 0; i < operators.size(); ++i) {
      if (operators[i].external_id != kNoExternalId) order_.push_back(i);
    }
    std::ranges::sort(order_, {}, [&](std::uint32_t i) { return operators[i].external_id; });
  }

  std::span<const std::uint32_t> with(std::uint64_t id) const {
    const auto id_of = [&](std::uint32_t i) { return operators_[i].external_id; };
    return {std::ranges::lower_bound(order_, id, {}, id_of),
            std::ranges::upper_bound(order_, id, {}, id_of)};
  }

 private:
  const std::deque<TorchOperator>& operators_;
  std::vector<std::uint32_t> order_;
};

/// What a kernel belongs to.
struct Owner {
  std::uint32_t product = kNone;
  std::uint32_t started_by = kNone;  // the operator, if it is known
  bool is_ambiguous = false;         // several operators have the kernel's id
};

Owner owner_of(const TorchKernel& kernel, const ById& by_id, const Nesting& nesting) {
  if (kernel.external_id == kNoExternalId) return {};
  const auto operators = by_id.with(kernel.external_id);
  if (operators.empty()) return {};
  const std::uint32_t product = nesting.owner(operators.front());
  const bool same = std::ranges::all_of(
      operators, [&](std::uint32_t at) { return nesting.owner(at) == product; });
  if (!same) return {.is_ambiguous = true};
  return {product, operators.front(), false};
}

/// The time of a product's kernels.
struct ProductTime {
  double seconds = 0;
  std::int32_t device = -1;  // none yet
  bool is_tf32 = false;      // by the names of its kernels
};

class KernelTimes {
 public:
  explicit KernelTimes(const TorchEvents& events)
      : events_(events), nesting_(nest(events)), times_(events.operators.size()) {}

  MeasurementFile measurements() {
    number_devices();
    const ById by_id(events_.operators);
    std::uint64_t ambiguous = 0;
    for (const TorchKernel& kernel : events_.kernels) {
      const Owner owner = owner_of(kernel, by_id, nesting_);
      ambiguous += owner.is_ambiguous ? 1 : 0;
      if (owner.product == kNone || !give(owner.product, kernel)) add_other(kernel, owner);
    }
    const std::uint64_t mixed = find_types();
    const std::uint64_t without = add_products();
    MeasurementFile file;
    file.time_of = "GPU time of its kernels";
    file.devices = device_names();
    file.measurements = groups_.take();
    if (ambiguous > 0) {
      file.notes.push_back(fmt::format("{} belong to several operators with the same External id",
                                       counted(ambiguous, "kernel")));
    }
    if (mixed > 0) {
      file.notes.push_back(
          fmt::format("{} with operands of fp32 ran kernels of tf32, the others did not",
                      counted(mixed, "product")));
    }
    if (without > 0) {
      file.notes.push_back(
          fmt::format("{} started no kernel that the file has", counted(without, "product")));
    }
    return file;
  }

 private:
  /// Adds the kernel to its product; false if that ran on another device so far.
  bool give(std::uint32_t product, const TorchKernel& kernel) {
    ProductTime& time = times_[product];
    if (time.device >= 0 && time.device != kernel.device) return false;
    time.device = kernel.device;
    time.seconds += kernel.seconds;
    time.is_tf32 |= is_tf32_[kernel.name];
    return true;
  }

  /// A kernel of no product counts under the operator that started it, else under its own name.
  void add_other(const TorchKernel& kernel, const Owner& owner) {
    const Occurrence run{kernel.start_ns, kernel.seconds};
    const std::size_t device = devices_.at(kernel.device);
    if (owner.started_by != kNone) {
      const std::uint32_t signature = events_.operators[owner.started_by].signature;
      groups_.add(device, {kOfOperators, signature, true}, run, [&] {
        Measurement part;
        part.name = events_.signatures[signature].name;
        return part;
      });
      return;
    }
    groups_.add(device, {kOfKernels, kernel.name, false}, run, [&] {
      Measurement part;
      part.name = events_.kernel_names.name(kernel.name);
      part.is_product = names_product(part.name);
      return part;
    });
  }

  /// Products with operands of fp32 are of tf32 if all of the device ran kernels of tf32. PyTorch
  /// allows it for convolutions, and the library chooses for each. Returns how many did so on
  /// devices on which others did not.
  std::uint64_t find_types() {
    std::map<std::int32_t, std::array<std::uint64_t, 2>> products;  // fp32, tf32
    for (std::uint32_t at = 0; at < events_.operators.size(); ++at) {
      const ProductTime& time = times_[at];
      if (time.device >= 0 && has_fp32(at)) ++products[time.device][time.is_tf32 ? 1 : 0];
    }
    std::uint64_t mixed = 0;
    for (const auto& [device, counts] : products) {
      const auto [fp32, tf32] = counts;
      if (fp32 == 0) tf32_devices_.insert(device);
      if (fp32 > 0) mixed += tf32;
    }
    return mixed;
  }

  bool has_fp32(std::uint32_t at) const {
    const std::uint32_t signature = events_.operators[at].signature;
    return events_.signatures[signature].format == devices::NumberFormat::kFp32;
  }

  /// Returns how many products have no kernel.
  std::uint64_t add_products() {
    std::uint64_t without = 0;
    for (std::uint32_t at = 0; at < events_.operators.size(); ++at) {
      if (nesting_.owner(at) != at) continue;
      const ProductTime& time = times_[at];
      if (time.device < 0) {
        ++without;
        continue;
      }
      const TorchOperator& product = events_.operators[at];
      const Measurement& signature = events_.signatures[product.signature];
      const bool tf32 = has_fp32(at) && tf32_devices_.contains(time.device);
      groups_.add(devices_.at(time.device), {kOfOperators, product.signature, false},
                  {product.start_ns, time.seconds}, [&] {
                    Measurement copy = signature;
                    if (tf32) copy.format = devices::NumberFormat::kTf32;
                    return copy;
                  });
    }
    return without;
  }

  void number_devices() {
    for (std::uint32_t i = 0; i < events_.kernel_names.size(); ++i) {
      is_tf32_.push_back(events_.kernel_names.name(i).find("tf32") != std::string::npos);
    }
    for (const TorchKernel& kernel : events_.kernels) devices_.try_emplace(kernel.device, 0);
    std::size_t number = 0;
    for (auto& [id, place] : devices_) place = number++;
  }

  /// Devices of the same name are told apart by their numbers.
  std::vector<std::string> device_names() const {
    std::vector<std::string> names;
    std::multiset<std::string> given;
    for (const auto& [id, place] : devices_) {
      const auto found = events_.device_names.find(id);
      names.push_back(found == events_.device_names.end() ? "GPU" : found->second);
      given.insert(names.back());
    }
    for (const auto& [id, place] : devices_) {
      if (given.count(names[place]) > 1) names[place] += fmt::format(" ({})", id);
    }
    return names;
  }

  const TorchEvents& events_;
  Nesting nesting_;
  std::vector<ProductTime> times_;
  std::vector<bool> is_tf32_ = {};
  std::map<std::int32_t, std::size_t> devices_ = {};
  std::set<std::int32_t> tf32_devices_ = {};
  MeasurementGroups groups_ = {};
};

// --- Without kernels -----------------------------------------------------------------------------

/// Each operator's time without that of the operators inside it.
std::vector<std::int64_t> own_times(const TorchEvents& events, const Nesting& nesting) {
  std::vector<std::int64_t> own;
  own.reserve(events.operators.size());
  for (const TorchOperator& each : events.operators) own.push_back(each.end_ns - each.start_ns);
  for (std::uint32_t at = 0; at < events.operators.size(); ++at) {
    if (nesting.parent[at] == kNone) continue;
    own[nesting.parent[at]] -= events.operators[at].end_ns - events.operators[at].start_ns;
  }
  return own;
}

MeasurementFile processor_measurements(const TorchEvents& events) {
  const Nesting nesting = nest(events);
  const std::vector<std::int64_t> own = own_times(events, nesting);
  MeasurementGroups groups;
  for (std::uint32_t at = 0; at < events.operators.size(); ++at) {
    const TorchOperator& each = events.operators[at];
    const std::uint32_t owner = nesting.owner(at);
    const bool is_product = owner == at;
    if (owner != kNone && !is_product) continue;  // its time is in that of its product
    const std::int64_t ns =
        is_product ? each.end_ns - each.start_ns : std::max<std::int64_t>(own[at], 0);
    groups.add(0, {kOfOperators, each.signature, is_product},
               {each.start_ns, static_cast<double>(ns) / 1e9}, [&] {
                 Measurement copy = events.signatures[each.signature];
                 if (is_product) return copy;
                 copy.is_product = false;  // what an outer product does besides the inner one
                 copy.shape.reset();
                 copy.conv.reset();
                 return copy;
               });
  }
  MeasurementFile file;
  file.time_of = "time on the processor, as the file has no kernels";
  file.devices = {"processor"};
  file.measurements = groups.take();
  return file;
}

/// Why no product says its sizes; nullopt if one does, or if there are none.
std::optional<std::string> lacks_shapes(const TorchEvents& events) {
  const Measurement* product = nullptr;  // with sizes, if one has some
  for (const Measurement& each : events.signatures) {
    if (!each.is_product) continue;
    if (each.shape || each.conv) return std::nullopt;
    if (product == nullptr || product->operands.empty()) product = &each;
  }
  if (product == nullptr) return std::nullopt;
  if (!product->operands.empty()) {
    return fmt::format("no product can have the sizes in its Input Dims, such as {} of {}",
                       product->operands, printable(product->name));
  }
  return "its products have no shapes: profile with record_shapes=True, and with PyTorch 2; 1.13 "
         "writes none";
}

}  // namespace

MeasurementFile torch_measurements(const TorchEvents& events) {
  if (events.operators.empty() && events.kernels.empty()) {
    throw InputError(
        "has neither operators nor kernels: no trace of PyTorch's profiler, and no report of weft "
        "compare");
  }
  MeasurementFile file =
      events.kernels.empty() ? processor_measurements(events) : KernelTimes(events).measurements();
  file.format = FileFormat::kTorchTrace;
  if (auto note = lacks_shapes(events)) file.notes.push_back(*std::move(note));
  return file;
}

}  // namespace weft::measurements
