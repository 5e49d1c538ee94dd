#include "models/reference/cuda/weft_gpu/report.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

#include "base/error.h"

namespace weft::cuda {
namespace {

void print_rate(std::ostream& out, const MatmulMeasurement& rate) {
  const double operations =
      2.0 * static_cast<double>(rate.m) * static_cast<double>(rate.k) * static_cast<double>(rate.n);
  const double per_second = operations / rate.seconds;
  out << "| " << to_string(rate.type) << " | " << std::setprecision(4) << rate.seconds * 1e3
      << " | " << rate.fastest_seconds * 1e3 << " | " << std::setprecision(1) << per_second / 1e12
      << " | " << std::setprecision(0) << rate.clock_mhz
      << (rate.clock_measured ? " measured" : " stated") << " | ";
  if (rate.peak_ops > 0) {
    out << std::setprecision(1) << rate.peak_ops / 1e12 << " | " << 100 * per_second / rate.peak_ops
        << " % |\n";
  } else {
    out << "not known | |\n";
  }
}

}  // namespace

bool print_checks(std::ostream& out, const std::vector<Outcome>& outcomes) {
  const auto failed = std::ranges::count(outcomes, false, &Outcome::passed);
  if (failed > 0) out << "| failed check | |\n|---|---|\n";
  for (const Outcome& outcome : outcomes) {
    if (!outcome.passed) out << "| " << outcome.name << " | " << outcome.detail << " |\n";
  }
  if (failed > 0) out << '\n';
  out << "| check | |\n|---|---|\n";
  for (const Outcome& outcome : outcomes) {
    if (outcome.passed && !outcome.detail.empty()) {
      out << "| " << outcome.name << " | " << outcome.detail << " |\n";
    }
  }
  const auto passed = static_cast<std::ptrdiff_t>(outcomes.size()) - failed;
  out << '\n' << passed << " of " << outcomes.size() << " checks passed.\n";
  return failed == 0;
}

void print_device(std::ostream& out, const DeviceInfo& device) {
  out << device.name << ": compute capability " << device.major << '.' << device.minor << ", "
      << device.multiprocessors << " multiprocessors, " << (device.memory_bytes >> 30)
      << " GiB, clock up to " << device.boost_mhz << " MHz, driver for CUDA " << device.driver
      << ".\n";
}

void print_rates(std::ostream& out, std::int64_t size) {
  out << "| " << size
      << "³ in | ms, median | ms, fastest | TFLOP/s or TOP/s | clock, MHz | peak at "
      << "that clock | share |\n|---|---|---|---|---|---|---|\n"
      << std::fixed;
  for (const MatmulType type : kMatmulTypes) {
    try {
      print_rate(out, measure_matmul(type, size, size, size));
    } catch (const InputError& error) {
      out << "| " << to_string(type) << " | " << error.what() << " | | | | | |\n";
    }
  }
}

}  // namespace weft::cuda
