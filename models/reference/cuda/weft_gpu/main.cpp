// weft_gpu: checks and measures the CUDA backend, and prints Markdown or writes CSV. Its help is
// below.
#include <exception>
#include <iostream>
#include <string>

#include "base/error.h"
#include "models/reference/cuda/device/loop_device.h"
#include "models/reference/cuda/weft_gpu/measure.h"
#include "models/reference/cuda/weft_gpu/report.h"

namespace weft::cuda {
namespace {

constexpr std::uint64_t kSeed = 1;

void append(std::vector<Outcome>& to, const std::vector<Outcome>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

int run(bool loops) {
  std::shared_ptr<Device> device;
  if (loops) {
    device = std::make_shared<LoopDevice>();
    std::cout << "On this processor, without a CUDA device.\n\n";
  } else {
    device = make_cuda_device();
    print_device(std::cout, cuda_device_info());
    std::cout << '\n';
  }
  std::vector<Outcome> outcomes = check_bodies(*device, kSeed);
  append(outcomes, check_products(*device, kSeed));
  append(outcomes, check_graphs(device, !loops));
  const bool passed = print_checks(std::cout, outcomes);
  if (!loops) {
    std::cout << '\n';
    print_rates(std::cout, 4096);
  }
  return passed ? 0 : 1;
}

constexpr const char* kUsage =
    "usage: weft_gpu [--loops] [--measure MxKxN,... --csv FILE [--dtype TYPE]]; --help says more";

constexpr const char* kHelp =
    R"(usage: weft_gpu [--loops] [--measure MxKxN,... --csv FILE [--dtype TYPE]]

Checks the CUDA backend on this computer's device and prints its rates as Markdown, or measures
products by cuBLAS.

  --loops              run on the processor, for a computer without a CUDA device
  --measure MxKxN,...  measure these products instead of checking
  --csv FILE           write their times to FILE, for weft compare --measured FILE
  --dtype TYPE         of their operands: fp32, tf32, bf16, fp16 or int8; fp16 if not given
  -h, --help           print this text

Exit codes: 0 all checks passed, 1 one failed, 2 no CUDA device or a wrong argument.
)";

int run_command(int argc, char** argv) {
  MeasureRequest request;
  bool has_type = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      std::cout << kHelp;
      return 0;
    }
    if (option == "--loops") {
      request.loops = true;
      continue;
    }
    if (++i == argc) throw InputError(kUsage);
    const std::string value = argv[i];
    if (option == "--measure") {
      request.shapes = parse_shapes(value);
    } else if (option == "--csv") {
      request.csv = value;
    } else if (option == "--dtype") {
      const auto type = matmul_type_from_string(value);
      if (!type) throw InputError("--dtype: must be fp32, tf32, bf16, fp16 or int8");
      request.type = *type;
      has_type = true;
    } else {
      throw InputError(kUsage);
    }
  }
  const bool measures = !request.shapes.empty();
  if (measures == request.csv.empty() || (has_type && !measures)) throw InputError(kUsage);
  if (!measures) return run(request.loops);
  measure_products(request);
  return 0;
}

}  // namespace
}  // namespace weft::cuda

int main(int argc, char** argv) {
  try {
    return weft::cuda::run_command(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "weft_gpu: " << error.what() << '\n';
    return 2;
  }
}
