// The tables of ncu and nsys, and the products' CSV, in the forms that their programs write.
#include <gtest/gtest.h>

#include "models/measurements/csv_tables.h"
#include "tests/measurements/reading.h"

namespace weft::measurements {
namespace {

using devices::GemmShape;

void expect_refused(std::string_view text, std::string_view part) {
  const std::string why = refusal(text);
  EXPECT_NE(why.find(part), std::string::npos) << part << " in: " << why;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// --- ncu -----------------------------------------------------------------------------------------

const std::string kNcuLong = R"csv(the program's own words, before the table
==PROF== Profiling "ampere_sgemm_128x64_nn" - 0: 0%....50%....100% - 1 passes
"ID","Process ID","Process Name","Kernel Name","Block Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","python","ampere_sgemm_128x64_nn","(128, 1, 1)","0","8.0","x","dram__bytes_read.sum","byte","53,261,312"
"0","1","python","ampere_sgemm_128x64_nn","(128, 1, 1)","0","8.0","x","gpu__time_duration.sum","ns","117,344"
"0","1","python","ampere_sgemm_128x64_nn","(128, 1, 1)","0","8.0","x","Duration","ns","117,344"
"1","1","python","relu","(128, 1, 1)","0","8.0","x","gpu__time_duration.sum","usecond","2.5"
"2","1","python","ampere_sgemm_128x64_nn","(128, 1, 1)","0","8.0","x","gpu__time_duration.sum","ns","117,346"
==PROF== Disconnected from process 1
)csv";

TEST(NcuCsvTest, ARowForEachMetric) {
  const MeasurementFile file = read_text(kNcuLong);
  EXPECT_EQ(file.format, FileFormat::kNcuCsv);
  EXPECT_EQ(file.devices, (std::vector<std::string>{"GPU 0, compute capability 8.0"}));
  const Measurement gemm = named(file, "ampere_sgemm_128x64_nn");
  EXPECT_EQ(gemm.count, 2U);
  EXPECT_DOUBLE_EQ(gemm.median, 117345e-9);
  EXPECT_TRUE(gemm.is_product);
  EXPECT_DOUBLE_EQ(named(file, "relu").total, 2.5e-6);
}

// As ncu 2025.3 writes it without options: metrics have no columns for rules, rules have no metric.
TEST(NcuCsvTest, RowsOfMetricsAndOfRules) {
  const std::string header =
      R"("ID","Process ID","Kernel Name","Device","CC","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description")";
  const MeasurementFile file = read_text(header +
                                         R"(
"0","7","sm80_xmma_gemm_f32f32","0","9.0","SM Frequency","hz","1,574,526,081.25",
"0","7","sm80_xmma_gemm_f32f32","0","9.0","Duration","ns","71,584",
"0","7","sm80_xmma_gemm_f32f32","0","9.0","","","","SOLBottleneck","OPT","This kernel exhibits low throughput."
)");
  EXPECT_EQ(file.format, FileFormat::kNcuCsv);
  ASSERT_EQ(file.measurements.size(), 1U);
  EXPECT_DOUBLE_EQ(file.measurements[0].median, 71584e-9);
  expect_refused(header + "\n\"0\",\"7\",\"gemm\",\"0\",\"9.0\",\"Duration\",\"ns\",\"71\",\"x\"\n",
                 "line 2: has 9 fields, but the header 11");
}

TEST(NcuCsvTest, ARowForEachKernelAfterARowOfUnits) {
  const MeasurementFile file = read_text(
      R"("ID","Kernel Name","Device","device__attribute_display_name","gpu__time_duration.sum"
"","","","","msecond"
"0","sgemm","0","NVIDIA A100","1.25"
"1","sgemm","1","NVIDIA T4","0.5"
)");
  EXPECT_EQ(file.devices, (std::vector<std::string>{"NVIDIA A100", "NVIDIA T4"}));
  EXPECT_DOUBLE_EQ(file.measurements.at(0).total, 1.25e-3);
  EXPECT_DOUBLE_EQ(file.measurements.at(1).total, 0.5e-3);
  expect_refused("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"sgemm\",\"1.25\"\n",
                 "row of units");
  expect_refused("name,shape,time\nfc,8x8x8,0.001\n",
                 "'0.001' is no time greater than 0; write a number and its unit");
  expect_refused("name;shape;seconds\nfc;8x8x8;0,001\n", "line 1: has semicolons");
  expect_refused("device;kind;dtype;workload;m;k;n;seconds\na;imported;fp16;matmul;8;8;8;0,001\n",
                 "line 1: has semicolons");
  // A table whose rows have all metrics of a kernel may have one that is called so.
  expect_refused(
      "\"Metric Name\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"sgemm\",\"1.25\"\n",
      "row of units");
}

TEST(NcuCsvTest, DecimalCommasAreReadIfTheFileTellsThem) {
  const std::string german = replaced(
      replaced(replaced(replaced(kNcuLong, "117,34", "117.34"), "53,261,312", "53.261.312"), "2.5",
               "2,5"),
      "117,346", "117.346");
  const MeasurementFile file = read_text(german);
  EXPECT_DOUBLE_EQ(named(file, "ampere_sgemm_128x64_nn").median, 117345e-9);
  EXPECT_DOUBLE_EQ(named(file, "relu").total, 2.5e-6);
  // 117.344 ns alone may be either.
  const std::string open = replaced(replaced(kNcuLong, "117,34", "117.34"), "53,261,312", "53");
  expect_refused(replaced(open, "2.5", "2"), "LC_ALL=C");
  EXPECT_DOUBLE_EQ(named(read_text(open), "ampere_sgemm_128x64_nn").median, 117.345e-9);
  expect_refused(replaced(kNcuLong, "2.5", "2,5"), "LC_ALL=C");
}

std::string two_kernels(const std::string& unit, const std::string& a, const std::string& b) {
  const auto row = [&](const std::string& value) {
    return "\"1\",\"sgemm\",\"gpu__time_duration.sum\",\"" + unit + "\",\"" + value + "\"\n";
  };
  return "\"X\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" + row(a) +
         row(b);
}

TEST(NcuCsvTest, ACommaBeforeThreeDigitsNeedsANumberThatTells) {
  for (const char* unit : {"us", "ms", "s", "usecond"}) {
    expect_refused(two_kernels(unit, "7,123", "7,456"), "'7,123' " + std::string(unit));
    expect_refused(two_kernels(unit, "7,123", "7,456"), "without separators");
  }
  const auto total = [](const std::string& unit, const std::string& a, const std::string& b) {
    return read_text(two_kernels(unit, a, b)).measurements.at(0).total;
  };
  EXPECT_DOUBLE_EQ(total("us", "7,123", "0,336"), 7.459e-6);
  EXPECT_DOUBLE_EQ(total("us", "0,336", "0,336"), 0.672e-6);
  EXPECT_DOUBLE_EQ(total("us", "7,123", "142,34"), 149.463e-6);
  EXPECT_DOUBLE_EQ(total("us", "7,123", "1,234,567"), 1.24169);
  EXPECT_DOUBLE_EQ(total("us", "7,123", "12.5"), 7135.5e-6);
  EXPECT_DOUBLE_EQ(total("us", "7.123", "7.456"), 14.579e-6);
  EXPECT_DOUBLE_EQ(total("ns", "7,123", "7,456"), 14579e-9);  // a GPU counts whole ns
}

TEST(NcuCsvTest, ImpossibleTimesAreRefused) {
  expect_refused(replaced(kNcuLong, "\"2.5\"", "\"-2.5\""), "lasts");
  expect_refused(replaced(kNcuLong, "\"2.5\"", "\"1e300\""), "lasts");
  expect_refused(replaced(kNcuLong, "\"2.5\"", "\"nan\""), "is no time");
  expect_refused(replaced(kNcuLong, "usecond", "furlong"), "is no time");
  expect_refused(replaced(kNcuLong, "\"relu\",", ""), "fields");
  expect_refused(replaced(replaced(kNcuLong, "gpu__time_duration", "x"), "\"Duration\"", "\"x\""),
                 "no duration");
  expect_refused(kNcuLong + "\"3\",\"never closed", "never closed");
}

// --- nsys ----------------------------------------------------------------------------------------

const std::string kNsysTrace = R"csv(
NOTICE: Existing SQLite export found: x.sqlite

Processing [x.sqlite] with [cuda_gpu_trace.py]...
Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Device,Ctx,Strm,Name
200,14000,3,4,,A100 (0),1,7,"void cutlass::Kernel<gemm_128x128>(T1, int)"
100,12000,1,4,,A100 (0),1,7,"void cutlass::Kernel<gemm_128x128>(T1, int)"
300,500,4,,0.004,A100 (0),1,7,[CUDA memcpy Host-to-Device]

Processing [x.sqlite] with [cuda_api_sum.py]...
Time (%),Total Time (ns),Num Calls,Avg (ns),Name
81.2,131012864,1,131012864.0,cudaMalloc
)csv";

TEST(NsysCsvTest, ATraceHasEachKernel) {
  const MeasurementFile file = read_text(kNsysTrace);
  EXPECT_EQ(file.format, FileFormat::kNsysTrace);
  EXPECT_EQ(file.devices, (std::vector<std::string>{"A100 (0)"}));
  ASSERT_EQ(file.measurements.size(), 2U);  // and nothing of another table
  EXPECT_EQ(file.measurements[0].occurrences.at(0).start_ns, 100);
  EXPECT_DOUBLE_EQ(file.measurements[0].median, 13e-6);
  EXPECT_DOUBLE_EQ(file.measurements[1].total, 0.5e-6);
}

TEST(NsysCsvTest, ASummaryHasMedians) {
  const MeasurementFile file = read_text(
      "Time (%),Total Time (us),Instances,Avg (us),Med (us),Name\n90.0,26,2,13,12.5,sgemm\n");
  EXPECT_EQ(file.format, FileFormat::kNsysSummary);
  EXPECT_EQ(file.measurements.at(0).count, 2U);
  EXPECT_DOUBLE_EQ(file.measurements.at(0).median, 12.5e-6);
  EXPECT_DOUBLE_EQ(file.measurements.at(0).total, 26e-6);
  const MeasurementFile old =
      read_text("Time(%),Total Time (ns),Instances,Average,Name\n90.0,26,2,13.0,sgemm\n");
  EXPECT_TRUE(old.measurements.at(0).is_mean);
  EXPECT_DOUBLE_EQ(old.measurements.at(0).median, 13e-9);
}

TEST(NsysCsvTest, DamagedTablesAreRefused) {
  expect_refused(replaced(kNsysTrace, "14000", "-5"), "lasts");
  const std::string still = replaced(replaced(kNsysTrace, "14000", "0"), "12000", "0");
  expect_refused(still, "gemm_128x128>(T1, int)' lasts 0 s");
  EXPECT_EQ(refusal(replaced(kNsysTrace, ",500,", ",0,")), "");  // a copy, no product
  expect_refused("Time (%),Total Time (ns),Instances,Med (ns),Name\n90,0,2,0,sgemm\n", "lasts 0 s");
  expect_refused(replaced(kNsysTrace, "14000", "x"), "is no number");
  expect_refused(replaced(kNsysTrace, "14000,3", "14000"), "fields");
  expect_refused(replaced(kNsysTrace, "Duration (ns)", "Duration (furlong)"), "unit of time");
  expect_refused("Time (%),Total Time (ns),Instances,Med (ns),Name\n90,26,0,13,sgemm\n",
                 "instances");
}

// --- Products ------------------------------------------------------------------------------------

TEST(ProductsCsvTest, NamesShapesAndTimes) {
  const MeasurementFile file = read_text(
      "\xEF\xBB\xBF# device: My GPU, 2 of them\r\n# dtype: fp16\r\n# any other comment\r\n"
      "name,shape,seconds,count\r\n"
      "\"conv, first\",64x576x128,0.25,10\r\n"
      ",96*64x32x16,442 us,\r\n"
      "# dtype: fp32\r\n"
      "fc,,1.5 ms,\r\n"
      "\"# no comment\",,1 s,\r\n");
  EXPECT_EQ(file.format, FileFormat::kProductsCsv);
  EXPECT_EQ(file.devices, (std::vector<std::string>{"My GPU, 2 of them"}));
  ASSERT_EQ(file.measurements.size(), 4U);
  EXPECT_EQ(file.measurements[0].name, "conv, first");
  EXPECT_EQ(file.measurements[0].shape, (GemmShape{64, 576, 128}));
  EXPECT_EQ(file.measurements[0].median, 0.25);
  EXPECT_EQ(file.measurements[0].total, 2.5);
  EXPECT_EQ(file.measurements[0].format, devices::NumberFormat::kFp16);
  EXPECT_EQ(file.measurements[1].shape, (GemmShape{64, 32, 16, 96}));
  EXPECT_DOUBLE_EQ(file.measurements[1].median, 442e-6);
  EXPECT_EQ(file.measurements[2].format, devices::NumberFormat::kFp32);
  EXPECT_FALSE(file.measurements[2].shape);
  EXPECT_EQ(file.measurements[3].name, "# no comment");
}

TEST(ProductsCsvTest, WrongRowsAreRefusedWithTheirLine) {
  const std::string head = "shape,seconds\n1x2x3,0.5\n";
  EXPECT_EQ(refusal(head), "");
  for (const char* shape :
       {"1x2", "1x2x3x4", "0x2x3", "1x-2x3", "axbxc", "*1x2x3", "1x2x", "1099511627777x2x3",
        "99999999999999999999x1x1", "0*1x2x3", "1099511627776x1099511627776x1099511627776"}) {
    expect_refused(head + shape + ",0.5\n", "line 3: '" + std::string(shape));
  }
  for (const char* time : {"0", "x", "nan", "inf", "5 furlongs", "1e999"}) {
    expect_refused(head + "2x2x2," + time + "\n", "is no time");
  }
  expect_refused(head + "2x2x2,-1\n", "lasts");
  expect_refused(head + "2x2x2,1e300\n", "lasts");
  expect_refused(head + "2x2x2,1e-15\n", "line 3: '2x2x2' lasts 1e-15 s");
  EXPECT_EQ(refusal(head + "2x2x2,1 ns\n"), "");
  expect_refused(head + "2x2x2,\"0,5\"\n", "'0,5' has a comma; write a decimal point");
  expect_refused(head + "2x2x2,0,5\n", "decimal point");
  expect_refused(head + "1x2x3,0.25\n", "keep one");
  expect_refused(head + ",0.25\n", "neither a name nor a shape");
  expect_refused("shape,seconds,dtype\n1x2x3,0.5,fp64\n", "is no type");
  expect_refused("shape,seconds,price\n1x2x3,0.5,1\n", "the column 'price'");
  expect_refused("shape,seconds,time_us\n1x2x3,0.5,1\n", "'seconds' and 'time_us'");
  expect_refused("shape,seconds,shape\n1x2x3,0.5,1x2x3\n", "the column 'shape' twice");
  expect_refused("shape,time\n1x2x3,0.5\n", "is no time");
  expect_refused("shape,seconds\n", "no rows");
}

TEST(MeasurementsTest, NamesArePrintable) {
  const MeasurementFile file = read_text(
      "# device: A\xE2\x80\xAE"
      "B \xFF\nname,shape,seconds\n\"c\n1\",,1\n");
  EXPECT_EQ(file.devices, (std::vector<std::string>{R"(A\xe2\x80\xaeB \xff)"}));
  EXPECT_EQ(file.measurements.at(0).name, R"(c\x0a1)");
}

TEST(MeasurementsTest, OtherFilesAreRefused) {
  expect_refused("", "is empty");
  expect_refused("hello\n", "no measurements that weft knows");
  expect_refused(std::string("a\0b", 3), "no text");
  expect_refused("\xFF\xFEn\0a\0", "UTF-16");
  expect_refused("\x1F\x8B\x08\x00garbage", "damaged");
  EXPECT_EQ(read_text("device,kind,dtype,workload,m,k,n,seconds\n").format,
            FileFormat::kCompareCsv);
}

}  // namespace
}  // namespace weft::measurements
