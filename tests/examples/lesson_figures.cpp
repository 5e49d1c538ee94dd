#include "tests/examples/lesson_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "tests/cli/console_examples.h"
#include "tests/examples/figure_text.h"

namespace weft::test {
namespace {

using Number = std::uint64_t;

constexpr Grid kTiny = {4, 4};
constexpr Grid kTpuV1 = {256, 256};
constexpr Grid kTpuV2 = {128, 128};

// Jouppi et al., ISCA 2017.
constexpr double kTpuV1Hertz = 700e6;
constexpr double kTpuV1BytesPerSecond = 34e9;

Figure share(std::string what, double value, std::string printed = "") {
  return {std::move(what), percent(value), std::move(printed)};
}

Figure ratio(std::string what, Number above, Number below) {
  return {std::move(what), decimals(static_cast<double>(above) / static_cast<double>(below), 1)};
}

Number tiles(const Grid& grid, Number k, Number n) {
  return ceil_div(k, grid.rows) * ceil_div(n, grid.cols);
}

/// The share of places without a weight in the tiles of K x N weights.
double padding(const Grid& grid, Number k, Number n) {
  const Number places = tiles(grid, k, n) * grid.rows * grid.cols;
  return 1 - static_cast<double>(k * n) / static_cast<double>(places);
}

/// The fetch takes cycles 0 and 1. After the span, the last sum is written, the vector unit takes
/// one cycle per remaining row, and the store takes one cycle.
constexpr Number kFetch = 2;
constexpr Number kWrite = 1;
constexpr Number kStore = 1;

Number total(Number span, Number vector_rows) {
  return kFetch + span + kWrite + vector_rows + kStore;
}

std::vector<Figure> one_pe() {
  const Grid pe = {1, 1};
  const Number span = overlapped_span(pe, 3, 1);
  const Number long_span = overlapped_span(pe, 300, 1);
  const Number last_chunk = 300 / 15;  // the plan prints 15 chunks
  return {count("2 times 5", 2 * 5),
          count("3 times 5", 3 * 5),
          count("4 times 5", 4 * 5, " {}\n"),
          count("all cycles", total(span, 3), "cycles     {} = "),
          count("weight_stall", kFetch, "weight_stall  {}  "),
          count("weight_shift", pe.rows, "weight_shift  {}  "),
          count("array_active", 3, "array_active  {}  "),
          count("fill_drain", pe.rows + pe.cols - 1, "fill_drain    {}  "),
          count("vector", 3, "vector        {}  "),
          count("output", kStore, "output        {}  "),
          count("span", span, "array span {};"),
          share("share of the peak", 3.0 / static_cast<double>(total(span, 3)), ", {} % of the"),
          count("span of 300", long_span, "array span {};"),
          share("share of 300", 300.0 / static_cast<double>(total(long_span, last_chunk)),
                ", {} % of the"),
          count("folds", tiles(pe, 4, 1), ", {} folds"),
          count("span of four folds", overlapped_span(pe, 3, 4), "array span {};")};
}

std::vector<Figure> dot_product() {
  const Grid column = {4, 1};
  const Grid tall = {16, 1};
  return {count("the dot product", 1 * 4 + 2 * 3 + 3 * 2 + 4 * 1),
          count("span of a row", overlapped_span(column, 1, 1), "array span {};"),
          count("span of three", overlapped_span(column, 3, 1), "array span {};"),
          count("16 PEs, a row", overlapped_span(tall, 1, 1), "array span {};"),
          count("16 PEs, 100 rows", overlapped_span(tall, 100, 1), "array span {};"),
          count("three terms", overlapped_span(column, 3, 1), "array span {};"),
          share("padding", padding(column, 3, 1), "{} % padding")};
}

std::vector<Figure> by_hand() {
  const Grid three = {3, 3};
  const Grid two = {2, 2};
  const Number five_rows = overlapped_span(three, 5, 1);
  return {count("3 x 3 from the first activation", overlapped_span(three, 2, 1) - three.rows,
                "last fold {}\n"),
          count("3 x 3 with the weights", overlapped_span(three, 2, 1), "array span {};"),
          count("2 x 2 from the first activation", overlapped_span(two, 3, 1) - two.rows,
                "last fold {}\n"),
          count("2 x 2 with the weights", overlapped_span(two, 3, 1), "array span {};"),
          count("last sum", 4 * 3 + 5 * 6 + 6 * 9, " {}\n"),
          count("five rows", five_rows, "array span {};"),
          count("from their first activation", five_rows - three.rows, "last fold {}\n"),
          count("3 x 2", overlapped_span({3, 2}, 2, 1), "array span {};")};
}

std::vector<Figure> tiling() {
  const Number folds = tiles(kTiny, 8, 8);
  const Number more = tiles(kTiny, 12, 8);
  const Number span = overlapped_span(kTiny, 5, folds);
  const Number longer = overlapped_span(kTiny, 5, more);
  return {count("tiles along K", ceil_div(8, 4), "{} x 2 tiles"),
          count("folds", folds, ", {} folds"),
          count("array_active", folds * 5, "array_active  {}  "),
          count("weight_shift", kTiny.rows, "weight_shift   {}  "),
          count("span", span, "array span {};"),
          count("all cycles", total(span, 5), "cycles     {} = "),
          count("folds of 5 x 12 x 8", more, ", {} folds"),
          count("cycles more", longer - span),
          count("cycles of 5 x 12 x 8", total(longer, 5), "cycles     {} = "),
          count("folds that accumulate", more - ceil_div(8, 4), "{}\n"),
          count("tiles along K of 1000", ceil_div(1000, 128), "{} x 8 tiles"),
          count("tiles of 1000 x 1000", tiles(kTpuV2, 1000, 1000), ", {} folds")};
}

std::vector<Figure> padding_figures() {
  const Grid small = {64, 64};
  return {share("6 x 7 on 4 x 4", padding(kTiny, 6, 7), "{} % padding"),
          count("cycles of one more tile", 1024 * (ceil_div(129, 128) - ceil_div(128, 128))),
          share("N = 129", padding(kTpuV2, 128, 129), "{} % padding"),
          count("tiles of 129 x 129", tiles(kTpuV2, 129, 129)),
          share("129 x 129", padding(kTpuV2, 129, 129), "{} % padding"),
          share("N = 192", padding(kTpuV2, 128, 192), "{} % padding"),
          count("free columns", ceil_div(192, 128) * 128 - 192),
          share("129 x 129 on 64 x 64", padding(small, 129, 129), "{} % padding"),
          count("active, small", 1024 * tiles(small, 129, 129), "array_active  {}  "),
          count("active, large", 1024 * tiles(kTpuV2, 129, 129), "array_active  {}  ")};
}

std::vector<Figure> batching() {
  std::vector<Figure> figures;
  const Number folds = tiles(kTiny, 16, 16);
  for (const Number rows : {1U, 2U, 4U, 8U, 16U}) {
    const Number all = total(overlapped_span(kTiny, rows, folds), rows);
    figures.push_back(count("active", folds * rows, "array_active  {}  "));
    figures.push_back(count("all", all, "cycles     {} = "));
    figures.push_back({"a row", decimals(static_cast<double>(all) / static_cast<double>(rows), 1)});
  }
  const Number mlp0 = 5 * tiles(kTpuV1, 2000, 2000);
  const double bytes = static_cast<double>(mlp0) * 256 * 256;
  const double cycles = bytes / kTpuV1BytesPerSecond * kTpuV1Hertz;
  figures.push_back(count("tiles of mlp0", mlp0));
  figures.push_back(count("cycles for its weights", static_cast<Number>(std::llround(cycles))));
  figures.push_back(count("active, one sample", mlp0, "array_active      {}  "));
  figures.push_back(count("active, 200 samples", 200 * mlp0, "array_active   {}  "));
  return figures;
}

std::vector<Figure> double_buffering() {
  const Number folds = tiles(kTiny, 16, 16);
  const Number lost = 2 * kTiny.rows + kTiny.cols - 2;  // per fold, with one weight register
  return {
      count("active", folds * 8, "array_active  {}  "),
      count("shift, on", kTiny.rows, "weight_shift    {}  "),
      count("shift, off", folds * kTiny.rows, "weight_shift   {}  "),
      count("span, on", overlapped_span(kTiny, 8, folds), "array span {};"),
      count("span, off", serial_span(kTiny, 8, folds), "array span {};"),
      ratio("off to on", serial_span(kTiny, 8, folds), overlapped_span(kTiny, 8, folds)),
      count("two rows, on", overlapped_span(kTiny, 2, folds), "array span {};"),
      count("two rows, off", serial_span(kTiny, 2, folds), "array span {};"),
      ratio("off to on, two rows", serial_span(kTiny, 2, folds), overlapped_span(kTiny, 2, folds)),
      count("rows for 10 %", lost * 10),
      count("100 rows, on", overlapped_span(kTiny, 100, folds), "array span {};"),
      count("100 rows, off", serial_span(kTiny, 100, folds), "array span {};")};
}

std::vector<Figure> roofline() {
  const double tile = 256 * 256 * kTpuV1Hertz / kTpuV1BytesPerSecond;  // cycles, and the ridge
  const double tpu_v2_tile = 128 * 128 * 2 * 700e6 / 350e9;
  std::vector<Figure> figures = {{"ridge", decimals(tile, 1)}};
  for (const Number rows : {256U, 675U, 1350U, 2700U}) {
    figures.push_back({fmt::format("roof of {}", rows), decimals(tpu_v1_roof(rows) / 1e12, 1)});
  }
  figures.push_back(share("active", 200 / tile));
  figures.push_back(share("pushed", 256 / tile));
  figures.push_back({"ridge with twice the bandwidth", decimals(tile / 2, 1)});
  figures.push_back({"a tile of the TPU v2", decimals(tpu_v2_tile, 1)});
  return figures;
}

/// The sum of a pixel and its neighbors in a line of four.
Number three_taps(const std::array<Number, 4>& line, std::size_t at) {
  Number sum = line.at(at);
  if (at > 0) sum += line.at(at - 1);
  if (at < 3) sum += line.at(at + 1);
  return sum;
}

std::vector<Figure> convolution() {
  const Number image = 6 * 6 * 4;
  const Number bias = 4 * 4;  // one word per filter
  return {count("first pixel", three_taps({1, 2, 3, 4}, 0), " {} "),
          count("second pixel", three_taps({1, 2, 3, 4}, 1), " {} "),
          count("last pixel", three_taps({5, 6, 7, 8}, 3), " {} "),
          count("active, three taps", 3 * 4 * 2, "array_active  {}  "),
          count("active, nine taps", 3 * 3 * 6 * 6, "array_active  {}  "),
          count("tiles", 3 * 3 * tiles(kTiny, 4, 4), "{} x 1 tiles"),
          count("chunks", ceil_div(36, 6), "{} chunks of rows"),
          count("input", image + bias, "input {} B"),
          count("copied out", 3 * 3 * image),
          share("padding", padding(kTiny, 3, 4), "{} % padding"),
          count("tiles, packed taps", tiles(kTiny, 3 * 3 * 3, 4), "{} x 1 tiles"),
          share("padding, packed taps", padding(kTiny, 3 * 3 * 3, 4), "{} % padding"),
          count("active, packed taps", tiles(kTiny, 3 * 3 * 3, 4) * 6 * 6, "array_active  {}  "),
          count("active, stride 2", 3 * 3 * 3 * 3, "array_active  {}  ")};
}

/// Rounds to `bits` significant bits, ties to even.
double rounded(double value, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

/// Nine decimals without trailing zeros.
std::string trimmed(double value) {
  std::string text = decimals(value, 9);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// The data of a float32 .npy file, after its header of 128 bytes.
std::vector<float> floats_in(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = content.str();
  if (bytes.size() < 128) throw std::runtime_error("no such file: " + path);
  std::vector<float> values((bytes.size() - 128) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(float));
  return values;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b.at(i))));
  }
  return largest;
}

std::vector<float> lenet5_in(const std::string& dtype) {
  const std::string folder = "build/figures-" + dtype;
  run_in_shell("weft run lenet5 --quiet --output-dir " + folder +
               (dtype == "float32" ? " --backend cpu"
                                   : " --machine tpu-v2 --array.rows 16 --array.cols 16 "
                                     "--array.dtype " +
                                         dtype));
  return floats_in(folder + "/logits.npy");
}

std::vector<Figure> network_differences() {
  const std::vector<float> exact = lenet5_in("float32");
  std::vector<Figure> figures;
  for (const char* dtype : {"fp16", "bf16", "int8"}) {
    figures.push_back({dtype, decimals(largest_difference(exact, lenet5_in(dtype)), 4)});
  }
  const double once = static_cast<double>(std::ranges::max(exact)) / 256;
  figures.push_back({"bf16, in roundings of the largest output",
                     decimals(largest_difference(exact, lenet5_in("bf16")) / once, 1)});
  return figures;
}

std::vector<Figure> number_formats() {
  std::vector<Figure> figures = {
      {"half the distance of bf16's neighbors", decimals(100.0 / 256, 2)}};
  const double scale = 1000.5 / 127;
  for (const float value : {1.00390625F, 3.1415927F, 0.1F, 1000.5F}) {
    const double wide = static_cast<double>(value);
    figures.push_back({"bf16", trimmed(rounded(wide, 8)), " {}\n"});
    figures.push_back({"int8", trimmed(std::nearbyint(wide / scale) * scale)});
  }
  std::ranges::move(network_differences(), std::back_inserter(figures));
  figures.push_back({"pi in fp16", trimmed(rounded(3.1415927, 11)), " {}\n"});
  figures.push_back({"0.1 in fp16", trimmed(rounded(0.1, 11)), " {}\n"});
  figures.push_back(count("safe products", ((Number{1} << 31) - 1) / (128 * 128)));
  return figures;
}

std::vector<Figure> waveform() {
  const Number first_push = kFetch;
  const Number first_row = first_push + kTiny.rows;
  const Number folds = tiles(kTiny, 6, 7);
  const Number last_row = first_row + folds * 5 - 1;
  const Number to_write = kTiny.rows + kTiny.cols - 1;
  const Number skew = kTiny.rows + kTiny.cols - 2;
  const Number late_push = first_push + 1;  // the matmul is the third instruction
  return {count("first push", first_push),
          count("last push of the first tile", first_push + kTiny.rows - 1),
          count("weight_stall", first_push, "weight_stall   {}  "),
          count("first row", first_row),
          count("last row", last_row),
          count("array_active", folds * 5, "array_active  {}  "),
          count("first write", first_row + to_write),
          count("last write", last_row + to_write),
          count("fill_drain", to_write, "fill_drain     {}  "),
          count("first push, single", late_push, "#{}0\n"),
          count("skew", skew),
          count("second push, single", late_push + kTiny.rows + 5 + skew, "#{}0\n")};
}

std::vector<Figure> gpu() {
  const Number fits = tiles({256, 128}, 1792, 1792);
  const Number exceeds = tiles({256, 128}, 1793, 1793);
  const Number sms = 108;
  const Number waves = ceil_div(exceeds, sms);
  const Number before = tiles({128, 128}, 256, 256);
  const Number after = tiles({128, 128}, 256, 257);
  return {
      {"Titan RTX, TFLOP/s", decimals(72 * 8 * (4 * 4 * 4 * 2) * 1770e6 / 1e12, 1)},
      {"A100, TFLOP/s", decimals(108 * 2048 * 1410e6 / 1e12, 1)},
      count("tiles of 1792", fits, "{} tiles, 1 wave\n"),
      count("tiles of 256 x 256", before),
      count("tiles of 256 x 257", after),
      ratio("their ratio", after, before),
      count("active, N = 136", 1024 * tiles(kTpuV2, 128, 136), "array_active  {}  "),
      count("active, N = 128", 1024 * tiles(kTpuV2, 128, 128), "array_active  {}  "),
      share("padding, N = 136", padding(kTpuV2, 128, 136), "{} % padding"),
      count("tiles of 1793", exceeds, "{} tiles, 2 waves"),
      count("waves", waves, "tiles, {} waves"),
      count("tiles in the last wave", exceeds - (waves - 1) * sms, "{} tiles in the last"),
      share("use of the waves", static_cast<double>(exceeds) / static_cast<double>(waves * sms)),
      share("K = 129 in steps of 8", padding({8, 1}, 129, 1)),
      share("K = 129 in steps of 128", padding(kTpuV2, 129, 128), "{} % padding")};
}

/// The first layer of LeNet-5 on an array of 16 x 16.
std::vector<Figure> five_mappings() {
  const Grid array = {16, 16};
  const Number pixels = 28 * 28;
  const Number taps = 5 * 5;
  const Number filters = 6;
  const Number packed = tiles(array, taps, filters);
  const Number both = tiles(array, 6 * 5, 2 * filters);  // windows and filters of two lines
  const double useful = static_cast<double>(2 * taps * filters) / static_cast<double>(both * 256);
  const double useful_3x3 = static_cast<double>(2 * 3 * 3 * filters) / 256;  // in one tile
  return {count("products", pixels * taps * filters),
          count("rows, tap by tap", taps * pixels),
          {"padding, tap by tap", decimals(100 * padding(array, 1, filters), 0), " 25x1x4   {} "},
          count("rows, packed", packed * pixels),
          {"padding, packed", decimals(100 * padding(array, taps, filters), 0), " 2x1x7    {} "},
          count("rows, two lines", both * pixels / 2),
          {"padding, two lines", decimals(100 * (1 - useful), 0), " 2x1x14   {} "},
          count("chunks", ceil_div(28 / 2, 32 / 28), " 2x1x{} "),  // of whole pairs of lines
          share("padding of 3 x 3", 1 - useful_3x3, "{} % padding"),
          count("folds of lines", 5 * tiles(array, 5 * filters, 1), " {}x1x4 ")};
}

}  // namespace

std::uint64_t overlapped_span(const Grid& grid, std::uint64_t rows, std::uint64_t folds) {
  return grid.rows + (folds - 1) * std::max(rows, grid.rows) + rows + grid.rows + grid.cols - 2;
}

std::uint64_t serial_span(const Grid& grid, std::uint64_t rows, std::uint64_t folds) {
  return folds * (grid.rows + rows + grid.rows + grid.cols - 2);
}

double tpu_v1_roof(std::uint64_t rows) {
  const double peak = 2 * 256 * 256 * kTpuV1Hertz;
  return std::min(peak, 2 * static_cast<double>(rows) * kTpuV1BytesPerSecond);
}

std::vector<Figure> figures_of(int lesson) {
  constexpr std::array kFigures = {one_pe,          dot_product,    by_hand,          tiling,
                                   padding_figures, batching,       double_buffering, roofline,
                                   convolution,     number_formats, waveform,         gpu,
                                   five_mappings,   picojoules,     gpu_and_array};
  return kFigures.at(static_cast<std::size_t>(lesson) - 1)();
}

}  // namespace weft::test
