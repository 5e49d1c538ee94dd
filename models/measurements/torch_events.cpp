#include "models/measurements/torch_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/measurement.h"
#include "models/measurements/torch_operators.h"

namespace weft::measurements {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostEvents = std::size_t{1} << 23U;
constexpr std::size_t kMostArguments = 64;
constexpr std::size_t kMostRank = 16;
constexpr std::size_t kMostDepth = 1000;
/// Times in ns with this magnitude can be added.
constexpr double kMostNs = 0x1p61;

/// What an object or list is; all within kOther is skipped.
enum class Place : std::uint8_t {
  kTop,
  kEvents,
  kEvent,
  kArguments,
  kDims,
  kDim,
  kTypes,
  kConcrete,
  kDevices,
  kDevice,
  kOther
};

enum class Kind : std::uint8_t { kOther, kOperator, kKernel };

/// What an event has so far.
struct Event {
  std::string name = {};
  std::string category = {};
  std::string process = {};  // a pid that is text
  std::size_t thread = 0;
  bool is_span = true;  // ph is X
  bool has_name = false;
  std::optional<double> start_us = {};
  std::optional<double> duration_us = {};
  std::uint64_t external_id = kNoExternalId;
  std::optional<std::int32_t> device = 0;  // nullopt: not a device's number
  TorchArguments arguments = {};

  void clear() {
    name.clear();
    category.clear();
    process.clear();
    thread = 0;
    is_span = true;
    has_name = false;
    start_us.reset();
    duration_us.reset();
    external_id = kNoExternalId;
    device = 0;
    arguments.dims.clear();
    arguments.types.clear();
    arguments.concrete.clear();
  }
};

Kind kind_of(const Event& event) {
  const std::string& category = event.category;
  if (!event.is_span) return Kind::kOther;
  if (category == "cpu_op" || category == "Operator") return Kind::kOperator;
  for (const char* name : {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}) {
    if (category == name) return Kind::kKernel;
  }
  if (!category.empty()) return Kind::kOther;
  if (event.process == "CPU functions") return Kind::kOperator;
  return event.process == "CUDA functions" ? Kind::kKernel : Kind::kOther;
}

/// Receives the parts of the JSON in their order; holds one event at a time.
class Handler {
 public:
  Handler(ByteSource& source, TorchEvents& events) : source_(source), events_(events) {}

  // NOLINTBEGIN(readability-identifier-naming): nlohmann's names
  bool null() { return seen(); }
  bool boolean(bool) { return seen(); }
  bool number_integer(std::int64_t value) { return whole(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) {
      return whole(static_cast<std::int64_t>(value));
    }
    return real(static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) { return real(value); }
  bool string(std::string& value) { return text(value); }
  bool binary(Json::binary_t&) { return seen(); }
  bool key(std::string& value) {
    if (inside() != Place::kOther) key_.swap(value);
    return seen();
  }
  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) {
    throw InputError(fmt::format("is damaged or cut off: no JSON after byte {}", source_.place()));
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  bool seen() {
    source_.mark();
    return true;
  }

  Place inside() const { return skipped_ > 0 || places_.empty() ? Place::kOther : places_.back(); }

  /// What begins here.
  Place place_of(bool is_object) const {
    if (places_.empty()) return is_object ? Place::kTop : Place::kEvents;
    switch (places_.back()) {
      case Place::kTop:
        if (is_object) return Place::kOther;
        if (key_ == "traceEvents") return Place::kEvents;
        return key_ == "deviceProperties" ? Place::kDevices : Place::kOther;
      case Place::kEvents:
        return is_object ? Place::kEvent : Place::kOther;
      case Place::kEvent:
        return is_object && key_ == "args" ? Place::kArguments : Place::kOther;
      case Place::kArguments:
        return is_object ? Place::kOther : list_of_arguments();
      case Place::kDims:
        return is_object ? Place::kOther : Place::kDim;
      case Place::kDevices:
        return is_object ? Place::kDevice : Place::kOther;
      default:
        return Place::kOther;
    }
  }

  Place list_of_arguments() const {
    if (key_ == "Input Dims" || key_ == "Input dims") return Place::kDims;
    if (key_ == "Input type") return Place::kTypes;
    return key_ == "Concrete Inputs" ? Place::kConcrete : Place::kOther;
  }

  bool open(bool is_object) {
    source_.mark();
    const Place place = skipped_ > 0 ? Place::kOther : place_of(is_object);
    // A list within a list of types or values, as for a list of tensors, takes one place there.
    if (skipped_ == 0 && (inside() == Place::kTypes || inside() == Place::kConcrete)) {
      add_word("");
    }
    if (skipped_ == 0 && inside() == Place::kDim && !event_.arguments.dims.empty()) {
      event_.arguments.dims.back().clear();  // a list of tensors has no extents
    }
    if (place == Place::kOther) {
      if (++skipped_ > kMostDepth) throw InputError("is nested too deep: no profiler writes that");
      return true;
    }
    places_.push_back(place);
    if (place == Place::kEvent) event_.clear();
    if (place == Place::kDim && event_.arguments.dims.size() < kMostArguments) {
      event_.arguments.dims.emplace_back();
    }
    if (place == Place::kDevice) device_ = {};
    return true;
  }

  bool close() {
    source_.mark();
    if (skipped_ > 0) {
      --skipped_;
      return true;
    }
    const Place place = places_.back();
    places_.pop_back();
    if (place == Place::kEvent) finish_event();
    if (place == Place::kDevice && device_.id && device_.name) {
      constexpr std::size_t kMostDevices = 1024;
      if (events_.device_names.size() < kMostDevices) {
        events_.device_names.emplace(*device_.id, *device_.name);
      }
    }
    return true;
  }

  bool whole(std::int64_t value) {
    switch (inside()) {
      case Place::kDim: {
        auto& dims = event_.arguments.dims;
        if (!dims.empty() && dims.back().size() < kMostRank) dims.back().push_back(value);
        break;
      }
      case Place::kArguments:
        if (key_ == "External id" || key_ == "external id") {
          event_.external_id = static_cast<std::uint64_t>(value);
        } else if (key_ == "device") {
          event_.device = std::nullopt;
          if (value >= 0 && value <= kMostDeviceNumber) {
            event_.device = static_cast<std::int32_t>(value);
          }
        }
        break;
      case Place::kDevice:
        if (key_ == "id") device_.id = value;
        break;
      case Place::kEvent:
        if (key_ == "tid" || key_ == "pid") add_thread(std::hash<std::int64_t>{}(value));
        return real(static_cast<double>(value));
      default:
        break;
    }
    return seen();
  }

  bool real(double value) {
    if (inside() == Place::kEvent) {
      if (key_ == "ts") event_.start_us = value;
      if (key_ == "dur") event_.duration_us = value;
    } else if (inside() == Place::kArguments && key_ == "device") {
      event_.device = std::nullopt;  // a fraction, or beyond 64 bits
    }
    return seen();
  }

  bool text(std::string& value) {
    switch (inside()) {
      case Place::kEvent:
        event_text(value);
        break;
      case Place::kTypes:
      case Place::kConcrete:
        add_word(value);
        break;
      case Place::kDims:
        if (event_.arguments.dims.size() < kMostArguments) event_.arguments.dims.emplace_back();
        break;
      case Place::kDevice:
        if (key_ == "name") device_.name = value;
        break;
      case Place::kTop:
        if (key_ == "command") events_.command = value;
        break;
      default:
        break;
    }
    return seen();
  }

  void event_text(std::string& value) {
    if (key_ == "name") {
      event_.name.swap(value);
      event_.has_name = true;
    } else if (key_ == "cat") {
      event_.category.swap(value);
    } else if (key_ == "ph") {
      event_.is_span = value == "X";
    } else if (key_ == "tid") {
      add_thread(std::hash<std::string>{}(value));
    } else if (key_ == "pid") {
      add_thread(std::hash<std::string>{}(value));
      event_.process.swap(value);
    }
  }

  void add_thread(std::size_t hash) {
    event_.thread += hash * (key_ == "pid" ? 0x9E3779B97F4A7C15U : 1U);
  }

  void add_word(const std::string& value) {
    auto& words = inside() == Place::kTypes ? event_.arguments.types : event_.arguments.concrete;
    if (words.size() < kMostArguments) words.push_back(value);
  }

  // --- An event ----------------------------------------------------------------------------------

  void finish_event() {
    const Kind kind = kind_of(event_);
    if (kind == Kind::kOther) return;
    if (events_.operators.size() + events_.kernels.size() >= kMostEvents) {
      throw InputError(
          fmt::format("has more than {} operators and kernels; profile fewer steps", kMostEvents));
    }
    if (!event_.has_name) fail("has no name");
    const std::int64_t start = nanoseconds(event_.start_us, "ts");
    const std::int64_t duration = nanoseconds(event_.duration_us, "dur");
    const double seconds =
        checked_seconds(*event_.duration_us / 1e6, "the event " + printable(event_.name));
    if (kind == Kind::kOperator) {
      events_.operators.push_back(
          {start, start + duration, event_.external_id, signature(), number_of_thread()});
    } else {
      if (!event_.device) fail("has an impossible device");
      events_.kernels.push_back({start, seconds, event_.external_id,
                                 events_.kernel_names.number_of(event_.name), *event_.device});
    }
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("the event {} before byte {} {}; is the file damaged?",
                                 printable(event_.name), source_.place(), what));
  }

  std::int64_t nanoseconds(const std::optional<double>& us, const char* key) const {
    if (!us) fail(fmt::format("has no number as its {}", key));
    if (!(std::abs(*us) * 1e3 < kMostNs)) fail(fmt::format("has an impossible {}", key));
    return std::llround(*us * 1e3);
  }

  std::uint32_t number_of_thread() {
    return threads_.try_emplace(event_.thread, static_cast<std::uint32_t>(threads_.size()))
        .first->second;
  }

  /// The operators with this name and these arguments.
  std::uint32_t signature() {
    signature_key_ = event_.name;
    if (is_product_operator(event_.name)) {
      for (const auto& dims : event_.arguments.dims) {
        signature_key_ += '[';
        for (const std::int64_t extent : dims) {
          signature_key_ += fmt::format_int(extent).c_str();
          signature_key_ += ',';
        }
      }
      for (const auto* words : {&event_.arguments.types, &event_.arguments.concrete}) {
        for (const std::string& word : *words) (signature_key_ += ';') += word;
      }
    }
    const std::uint32_t number = signature_names_.number_of(signature_key_);
    if (number == events_.signatures.size()) {
      events_.signatures.push_back(measured_operator(event_.name, event_.arguments));
    }
    return number;
  }

  struct Device {
    std::optional<std::int64_t> id = {};
    std::optional<std::string> name = {};
  };

  ByteSource& source_;
  TorchEvents& events_;
  std::vector<Place> places_ = {};
  std::size_t skipped_ = 0;  // objects and lists that are open and of no interest
  std::string key_ = {};
  Event event_ = {};
  Device device_ = {};
  std::string signature_key_ = {};
  NameTable signature_names_{sizeof(Measurement)};
  std::unordered_map<std::size_t, std::uint32_t> threads_ = {};
};

}  // namespace

TorchEvents read_torch_events(ByteSource& source) {
  TorchEvents events;
  Handler handler(source, events);
  const ByteIterator bytes(source);
  Json::sax_parse(bytes, bytes, &handler);
  return events;
}

}  // namespace weft::measurements
