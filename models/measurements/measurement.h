// What a file measured elsewhere says: operators, kernels, products or layers of a network, with
// how long each took on which device. Readers of all formats give these; runtime/compare matches
// them with what is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/devices/gemm_model.h"
#include "models/devices/number_format.h"

namespace weft::measurements {

/// The formats of files, recognized by their content.
enum class FileFormat : std::uint8_t {
  kTorchTrace,   // PyTorch's profiler, Chrome's JSON
  kNcuCsv,       // Nsight Compute, ncu --csv
  kNsysTrace,    // Nsight Systems, nsys stats --format csv: each kernel
  kNsysSummary,  // the same: sums by kernel
  kNsysSqlite,   // nsys export --type sqlite
  kProductsCsv,  // docs/compare.md: name,shape,seconds
  kCompareCsv,   // weft compare --csv
  kCompareJson   // weft compare --json
};

/// "a trace of PyTorch's profiler".
std::string_view title_of(FileFormat format);

/// The operands of a convolution, as they are in ONNX and PyTorch: [N, C, ...] and [O, C/g, ...].
struct ConvOperands {
  std::vector<std::int64_t> input = {};
  std::vector<std::int64_t> weights = {};
  friend bool operator==(const ConvOperands&, const ConvOperands&) = default;
};

/// One run.
struct Occurrence {
  std::int64_t start_ns = 0;  // orders the runs of a file
  double seconds = 0;
};

/// All runs of one thing on one device.
struct Measurement {
  std::string name = {};                             // of the operator, kernel or layer
  std::string operands = {};                         // as the file has them, for people
  std::size_t device = 0;                            // index in MeasurementFile::devices
  std::optional<devices::GemmShape> shape = {};      // of a product, also of a convolution's
  std::optional<ConvOperands> conv = {};             // of a convolution
  std::optional<devices::NumberFormat> format = {};  // of the operands, if the file says so
  bool is_product = false;                           // a product or convolution, shape or not
  std::vector<Occurrence> occurrences = {};          // empty if the file has only sums
  std::uint64_t count = 0;                           // of runs
  double median = 0;                                 // seconds
  double total = 0;                                  // seconds of all runs
  bool is_mean = false;                              // `median` is a mean: the file has no median
};

struct MeasurementFile {
  std::string file = {};
  FileFormat format = FileFormat::kTorchTrace;
  std::vector<std::string> devices = {};  // "NVIDIA A100-SXM4-40GB"; "" if the file does not say
  std::string time_of = {};               // what a time is: "GPU time of the operator's kernels"
  std::deque<Measurement> measurements = {};  // which grows without a copy of those it has
  std::vector<std::string> notes = {};        // sentences about what the file lacks
};

/// Sorts the occurrences by time and sets count, median and total from them.
void summarize(Measurement& measurement);

/// The median of a list that is not empty; the mean of the middle two of an even number.
double median_of(std::vector<double> seconds);

/// True if a kernel's name says that it multiplies matrices or convolves.
bool names_product(std::string_view kernel);

/// A shape as in the products' CSV: "64x576x128", or "96*64x64x128" for 96 products.
std::string shape_text(const devices::GemmShape& shape);

/// nullopt if a size is 0 or above 2^40, or if all four together multiply to more than 2^62.
std::optional<devices::GemmShape> checked_shape(std::uint64_t m, std::uint64_t k, std::uint64_t n,
                                                std::uint64_t count = 1);

/// The shortest time of a row that is believed, of a product or of a comparison: a clock of a GPU
/// counts ns. Other kernels may last 0.
inline constexpr double kLeastSeconds = 1e-9;
/// The longest run that is believed.
inline constexpr double kMostSeconds = 1e6;
/// The largest number of a device that a file may give.
inline constexpr std::int64_t kMostDeviceNumber = 65535;

/// Throws InputError unless `least` <= `seconds` <= kMostSeconds. `what` says what lasts.
double checked_seconds(double seconds, std::string_view what, double least = 0);

/// Throws InputError if the median of a product is less than kLeastSeconds.
void check_product_time(const Measurement& product);

}  // namespace weft::measurements
