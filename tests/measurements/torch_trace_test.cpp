// Traces of PyTorch's profiler. The events are written by hand in its format; times are worked out
// from them by hand.
#include "models/measurements/torch_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/measurements/reading.h"

namespace weft::measurements {
namespace {

std::string op(const std::string& name, double ts, double dur, int id, const std::string& more = "",
               int tid = 1) {
  return fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 7, "tid": {},
    "ts": {}, "dur": {}, "args": {{"External id": {}{}}}}})",
                     name, tid, ts, dur, id, more);
}

std::string kernel(const std::string& name, double ts, double dur, const std::string& args) {
  return fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7,
    "ts": {}, "dur": {}, "args": {{{}}}}})",
                     name, ts, dur, args);
}

std::string trace(const std::vector<std::string>& events, const std::string& devices = "") {
  std::string text =
      R"({"schemaVersion": 1, "deviceProperties": [)" + devices + R"(], "traceEvents": [)";
  for (const std::string& event : events) text += (&event == &events.front() ? "" : ",\n") + event;
  return text + "]}";
}

const std::string kMm =
    R"(, "Input Dims": [[64, 96], [96, 32]], "Input type": ["c10::Half", "c10::Half"])";
const std::string kLinear =
    R"(, "Input Dims": [[64, 96], [32, 96], []], "Input type": ["float", "float", ""])";
const std::string kAddmm =
    R"(, "Input Dims": [[32], [64, 96], [96, 32], [], []], "Input type": ["float", "float", "float"])";

double total(const MeasurementFile& file) {
  return std::accumulate(file.measurements.begin(), file.measurements.end(), 0.0,
                         [](double sum, const Measurement& each) { return sum + each.total; });
}

TEST(TorchTraceTest, AProductTakesTheTimeOfItsKernels) {
  const MeasurementFile file = read_text(trace(
      {op("aten::mm", 0, 10, 1, kMm), op("aten::relu", 20, 5, 2), op("aten::mm", 30, 10, 3, kMm),
       kernel("gemm", 100, 12.5, R"("External id": 1, "device": 0)"),
       kernel("splitk", 120, 1.5, R"("External id": 1, "device": 0)"),
       kernel("relu", 130, 3, R"("External id": 2, "device": 0)"),
       kernel("gemm", 140, 15, R"("External id": 3, "device": 0)"),
       kernel("nccl", 160, 40, R"("device": 0)")},
      R"({"id": 0, "name": "NVIDIA A100"})"));
  ASSERT_EQ(file.devices, (std::vector<std::string>{"NVIDIA A100"}));
  const Measurement mm = named(file, "aten::mm");
  EXPECT_EQ(mm.count, 2U);
  EXPECT_DOUBLE_EQ(mm.median, (14e-6 + 15e-6) / 2);
  EXPECT_EQ(mm.shape, (devices::GemmShape{64, 96, 32}));
  EXPECT_EQ(mm.format, devices::NumberFormat::kFp16);
  EXPECT_DOUBLE_EQ(named(file, "aten::relu").total, 3e-6);
  EXPECT_DOUBLE_EQ(named(file, "nccl").total, 40e-6);
  EXPECT_DOUBLE_EQ(total(file), 72e-6);
}

TEST(TorchTraceTest, AProductThatTakesNoTimeIsRefused) {
  for (const double dur : {0.0, 1e-9}) {
    const std::string gpu = trace({op("aten::mm", 0, 10, 1, kMm),
                                   kernel("gemm", 100, dur, R"("External id": 1, "device": 0)")});
    EXPECT_NE(refusal(gpu).find("'aten::mm' lasts"), std::string::npos) << refusal(gpu);
    const std::string processor = trace({op("aten::mm", 0, dur, 1, kMm)});
    EXPECT_NE(refusal(processor).find("'aten::mm' lasts"), std::string::npos) << refusal(processor);
  }
  // A clock may show 0 for a short kernel that is no product.
  EXPECT_EQ(refusal(trace({op("aten::mm", 0, 10, 1, kMm),
                           kernel("gemm", 100, 2, R"("External id": 1, "device": 0)"),
                           kernel("memset", 110, 0, R"("External id": 1, "device": 0)"),
                           kernel("fill", 120, 0, R"("device": 0)")})),
            "");
}

TEST(TorchTraceTest, NamesOfDevicesArePrintable) {
  const MeasurementFile file = read_text(
      trace({kernel("gemm", 100, 2, R"("device": 0)")}, R"({"id": 0, "name": "A\n\u001b[2J"})"));
  EXPECT_EQ(file.devices, (std::vector<std::string>{R"(A\x0a\x1b[2J)"}));
}

TEST(TorchTraceTest, OnlyTheInnermostProductCounts) {
  const MeasurementFile file =
      read_text(trace({op("aten::linear", 0, 30, 1, kLinear), op("aten::t", 1, 2, 2),
                       op("aten::addmm", 5, 20, 3, kAddmm), op("aten::copy_", 6, 3, 4),
                       kernel("cutlass_tf32_gemm", 50, 8, R"("External id": 3, "device": 0)"),
                       kernel("copy", 60, 2, R"("External id": 4, "device": 0)"),
                       kernel("transpose", 70, 1, R"("External id": 1, "device": 0)")}));
  const Measurement addmm = named(file, "aten::addmm");
  EXPECT_DOUBLE_EQ(addmm.total, 10e-6);
  EXPECT_EQ(addmm.format, devices::NumberFormat::kTf32);
  // What the outer product does besides is no product.
  EXPECT_DOUBLE_EQ(named(file, "aten::linear").total, 1e-6);
  EXPECT_FALSE(named(file, "aten::linear").shape);
}

// PyTorch allows tf32 for convolutions, and the library takes it for some of them. A network then
// has one row, not one for each type with half of its products.
TEST(TorchTraceTest, ProductsOfFp32AndOfTf32AreOfOneType) {
  const MeasurementFile file =
      read_text(trace({op("aten::linear", 0, 10, 1, kLinear), op("aten::addmm", 20, 10, 2, kAddmm),
                       kernel("sm80_xmma_gemm_f32f32", 100, 8, R"("External id": 1, "device": 0)"),
                       kernel("cutlass_tf32_gemm", 120, 4, R"("External id": 2, "device": 0)")}));
  EXPECT_EQ(named(file, "aten::linear").format, devices::NumberFormat::kFp32);
  EXPECT_EQ(named(file, "aten::addmm").format, devices::NumberFormat::kFp32);
  EXPECT_EQ(file.notes,
            (std::vector<std::string>{
                "1 product with operands of fp32 ran kernels of tf32, the others did not"}));
}

TEST(TorchTraceTest, WithoutKernelsTheOperatorsOwnTimeCounts) {
  const MeasurementFile file =
      read_text(trace({op("aten::linear", 0, 30, 1, kLinear), op("aten::addmm", 5, 20, 2, kAddmm),
                       op("aten::copy_", 6, 3, 3), op("aten::relu", 40, 7, 4),
                       op("aten::addmm", 0, 9, 5, kAddmm, 2)}));
  EXPECT_EQ(file.devices, (std::vector<std::string>{"processor"}));
  EXPECT_NE(file.time_of.find("processor"), std::string::npos);
  EXPECT_EQ(named(file, "aten::addmm").count, 2U);
  EXPECT_DOUBLE_EQ(named(file, "aten::addmm").total, 29e-6);
  EXPECT_DOUBLE_EQ(named(file, "aten::linear").total, 10e-6);
  EXPECT_EQ(named(file, "aten::copy_").count, 0U);
  EXPECT_DOUBLE_EQ(total(file), 46e-6);  // of the outermost operators
}

TEST(TorchTraceTest, TwoDevicesOfOneNameAreToldApart) {
  const MeasurementFile file =
      read_text(trace({op("aten::mm", 0, 10, 1, kMm), op("aten::mm", 20, 10, 2, kMm),
                       kernel("gemm", 100, 12, R"("External id": 1, "device": 0)"),
                       kernel("gemm", 120, 18, R"("External id": 2, "device": 1)"),
                       kernel("gemm", 140, 5, R"("External id": 1, "device": 1)")},
                      R"({"id": 0, "name": "A100"}, {"id": 1, "name": "A100"})"));
  EXPECT_EQ(file.devices, (std::vector<std::string>{"A100 (0)", "A100 (1)"}));
  std::vector<double> of_device(2, 0);
  for (const Measurement& each : file.measurements) {
    if (each.shape) of_device.at(each.device) += each.total;
  }
  EXPECT_EQ(of_device, (std::vector<double>{12e-6, 18e-6}));
  EXPECT_DOUBLE_EQ(total(file), 35e-6);
}

TEST(TorchTraceTest, AnIdThatTwoOperatorsHaveDecidesNothing) {
  const MeasurementFile file =
      read_text(trace({op("aten::mm", 0, 10, 1, kMm), op("aten::mm", 20, 10, 1, kMm),
                       kernel("some_gemm", 100, 12, R"("External id": 1, "device": 0)")}));
  EXPECT_EQ(named(file, "aten::mm").count, 0U);
  EXPECT_DOUBLE_EQ(named(file, "some_gemm").total, 12e-6);
  EXPECT_EQ(file.notes.size(), 2U);
}

TEST(TorchTraceTest, TheOldProfilersListHasNoShapes) {
  const MeasurementFile file = read_text(
      R"([{"name": "aten::mm", "ph": "X", "ts": 141, "dur": 158, "tid": 1,
           "pid": "CPU functions", "args": {}}])");
  EXPECT_DOUBLE_EQ(named(file, "aten::mm").total, 158e-6);
  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_NE(file.notes[0].find("record_shapes"), std::string::npos);
}

TEST(TorchTraceTest, ImpossibleSizesAreNoMissingSizes) {
  for (const char* dims : {"[[1000, 1000], [999, 1000]]", "[[-1000, 1000], [1000, 1000]]"}) {
    const MeasurementFile file =
        read_text(trace({op("aten::mm", 0, 10, 1, std::string(R"(, "Input Dims": )") + dims)}));
    ASSERT_EQ(file.notes.size(), 1U);
    EXPECT_TRUE(file.notes[0].starts_with("no product can have the sizes in its Input Dims"))
        << file.notes[0];
  }
}

TEST(TorchTraceTest, TimesKeepTheirDigits) {
  const MeasurementFile file = read_text(
      trace({kernel("a", 0, 12.5, R"("device": 0)"), kernel("b", 20, 15, R"("device": 0)")}));
  EXPECT_EQ(named(file, "a").total, 1.25e-05);
  EXPECT_EQ(named(file, "b").total, 1.5e-05);
}

TEST(TorchTraceTest, AKernelOfADeviceThatCannotBeIsRefused) {
  const auto on = [](const char* device) {
    return refusal(trace({kernel("a", 0, 5, std::string(R"("device": )") + device)}));
  };
  EXPECT_EQ(on("65535"), "");
  for (const char* device : {"-1", "65536", "1e30", "1000000000000000000000000", "0.5"}) {
    EXPECT_NE(on(device).find("has an impossible device"), std::string::npos) << device;
  }
}

TEST(TorchTraceTest, KernelsOfInductorMultiplyIfTheyAreTemplates) {
  for (const char* name : {"triton_tem_fused_mm_0", "triton_mm", "triton_bmm"}) {
    EXPECT_TRUE(names_product(name)) << name;
  }
  for (const char* name : {"triton_poi_fused_convolution_relu_0", "triton_red_fused_addmm_1",
                           "triton_per_fused_native_layer_norm_matmul_2"}) {
    EXPECT_FALSE(names_product(name)) << name;
  }
}

TEST(TorchTraceTest, DamagedFilesAreRefused) {
  const std::string good = trace({op("aten::mm", 0, 10, 1, kMm)});
  EXPECT_EQ(refusal(good), "");
  for (std::size_t size = 1; size < good.size(); ++size) {
    EXPECT_NE(refusal(good.substr(0, size)), "") << size;
  }
  EXPECT_NE(refusal(R"({"traceEvents": []})").find("neither operators"), std::string::npos);
  EXPECT_NE(refusal(R"({"a": [1, {"b": null}], "c": "d"})").find("neither operators"),
            std::string::npos);
  const auto with = [](const std::string& fields) {
    return refusal(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", )" + fields + "}]}");
  };
  EXPECT_EQ(with(R"("name": "a", "ts": 1, "dur": 2)"), "");
  EXPECT_NE(with(R"("ts": 1, "dur": 2)").find("has no name"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "dur": 2)").find("has no number as its ts"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1)").find("has no number as its dur"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": "2")").find("has no number as its dur"),
            std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": -2)").find("lasts"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": 1e300)").find("impossible dur"),
            std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": 1e14)").find("lasts"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": -1e300, "dur": 1)").find("impossible ts"),
            std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": 2,5)").find("no JSON"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": NaN)").find("no JSON"), std::string::npos);
  EXPECT_NE(with(R"("name": "a", "ts": 1, "dur": 1e999)").find("no JSON"), std::string::npos);
}

TEST(TorchTraceTest, AnEndlessStringIsRefused) {
  const std::string text =
      R"({"traceEvents": [{"name": ")" + std::string(std::size_t{20} << 20U, 'x');
  EXPECT_NE(refusal(text).find("16 MiB"), std::string::npos);
}

TEST(TorchTraceTest, DeepNestingIsRefused) {
  EXPECT_NE(refusal(std::string(100'000, '[')).find("too deep"), std::string::npos);
}

TEST(TorchTraceTest, AWeftReportIsTheCallers) {
  EXPECT_EQ(read_text(R"({"schema": 1, "command": "compare", "rows": []})").format,
            FileFormat::kCompareJson);
}

}  // namespace
}  // namespace weft::measurements
