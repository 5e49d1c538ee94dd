// Compares values that the command computes with a triple loop over the arrays in its files.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

constexpr std::size_t kM = 7;
constexpr std::size_t kK = 10;  // three tiles of four rows, the last one padded
constexpr std::size_t kN = 9;

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(generator());
  return values;
}

std::string shape(std::size_t rows, std::size_t cols) {
  return "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
}

template <class A, class B>
std::vector<std::int32_t> triple_loop(const std::vector<A>& a, const std::vector<B>& b,
                                      const std::vector<std::int32_t>& bias) {
  std::vector<std::int32_t> result(kM * kN);
  for (std::size_t m = 0; m < kM; ++m) {
    for (std::size_t n = 0; n < kN; ++n) {
      std::int64_t sum = bias.empty() ? 0 : bias[n];
      for (std::size_t k = 0; k < kK; ++k) {
        sum += std::int64_t{a[m * kK + k]} * std::int64_t{b[k * kN + n]};
      }
      result[m * kN + n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
    }
  }
  return result;
}

class ValuesTest : public testing::Test {
 protected:
  /// Returns the data of an <i4 or <f4 file whose shape must be M x N.
  template <class T>
  std::vector<T> read_result(const std::string& name) {
    const std::string file = folder_.read(name);
    EXPECT_NE(file.find("'shape': " + shape(kM, kN)), std::string::npos);
    std::vector<T> values(kM * kN);
    const std::size_t bytes = values.size() * sizeof(T);
    EXPECT_GT(file.size(), bytes);
    if (file.size() > bytes) std::memcpy(values.data(), &file[file.size() - bytes], bytes);
    return values;
  }

  void expect_success(const Words& arguments) {
    const Finished finished = run_weft(arguments);
    ASSERT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
  }

  /// Multiplies files `a` and `b`, perhaps with a bias, on the tiny machine with each engine.
  template <class A, class B>
  void expect_product(std::string_view a_type, std::string_view b_type, bool with_bias) {
    const auto a = random_values<A>(kM * kK, 1);
    const auto b = random_values<B>(kK * kN, 2);
    const auto bias = with_bias ? random_values<std::int32_t>(kN, 3) : std::vector<std::int32_t>{};
    Words words = {"matmul", "--machine",
                   "tiny",   "--quiet",
                   "--a",    folder_.write("a.npy", npy(a_type, shape(kM, kK), a)),
                   "--b",    folder_.write("b.npy", npy(b_type, shape(kK, kN), b)),
                   "--out",  folder_.file("out.npy")};
    if (with_bias) {
      const std::string one = "(" + std::to_string(kN) + ",)";
      words.insert(words.end(), {"--bias", folder_.write("bias.npy", npy("<i4", one, bias))});
    }
    for (const std::string engine : {"fast", "stepped"}) {
      Words all = words;
      all.insert(all.end(), {"--engine", engine});
      expect_success(all);
      EXPECT_EQ(read_result<std::int32_t>("out.npy"), triple_loop(a, b, bias)) << engine;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ValuesTest, Int8TimesInt8) {
  expect_product<std::int8_t, std::int8_t>("|i1", "|i1", false);
  expect_product<std::int8_t, std::int8_t>("|i1", "|i1", true);
}

TEST_F(ValuesTest, Uint8EntersAsItsTrueValue) {
  expect_product<std::uint8_t, std::int8_t>("|u1", "|i1", false);
  expect_product<std::uint8_t, std::int8_t>("|u1", "|i1", true);
  expect_product<std::int8_t, std::uint8_t>("|i1", "|u1", true);
  expect_product<std::uint8_t, std::uint8_t>("|u1", "|u1", false);
}

TEST_F(ValuesTest, ReluAndRelu6ComeLast) {
  const auto a = random_values<std::int8_t>(kM * kK, 4);
  std::vector<std::int8_t> b(kK * kN);
  for (std::size_t n = 0; n < kN; ++n) b[n] = static_cast<std::int8_t>(n % 2 == 0 ? 1 : -1);
  Words words = {"matmul",       "--machine",
                 "tiny",         "--quiet",
                 "--a",          folder_.write("a.npy", npy("|i1", shape(kM, kK), a)),
                 "--b",          folder_.write("b.npy", npy("|i1", shape(kK, kN), b)),
                 "--out",        folder_.file("out.npy"),
                 "--activation", "relu"};
  expect_success(words);
  std::vector<std::int32_t> expected = triple_loop(a, b, {});
  for (std::int32_t& value : expected) value = std::max(value, 0);
  EXPECT_EQ(read_result<std::int32_t>("out.npy"), expected);
  words.back() = "relu6";
  expect_success(words);
  for (std::int32_t& value : expected) value = std::min(value, 6);
  EXPECT_EQ(read_result<std::int32_t>("out.npy"), expected);
}

TEST_F(ValuesTest, FloatsEnterFortranOrderedAndAreExactOnSmallIntegers) {
  std::vector<double> a(kM * kK);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 11) - 5;
  std::vector<float> b(kK * kN);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  expect_success({"matmul", "--machine", "tiny", "--array.dtype", "bf16", "--quiet", "--a",
                  folder_.write("a.npy", npy("<f8", shape(kM, kK), a, true)), "--b",
                  folder_.write("b.npy", npy("<f4", shape(kK, kN), b)), "--out",
                  folder_.file("out.npy")});
  const auto result = read_result<float>("out.npy");
  for (std::size_t i = 0; i < kM * kN; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < kK; ++k) sum += a[k * kM + i / kN] * double{b[k * kN + i % kN]};
    EXPECT_EQ(double{result[i]}, sum) << "element " << i;
  }
}

TEST_F(ValuesTest, ACompiledProgramRunsLikeMatmul) {
  for (const std::string machine : {"tiny", "tpu-v1", "tpu-v2"}) {
    SCOPED_TRACE(machine);
    expect_success({"compile", "7", "10", "9", "--with-bias", "--activation", "relu", "--machine",
                    machine, "-o", folder_.file("p.weft")});
    expect_success({"exec", folder_.file("p.weft"), "--machine", machine, "--quiet", "--json",
                    folder_.file("exec.json"), "--out", folder_.file("exec.npy")});
    expect_success({"matmul", "7", "10", "9", "--with-bias", "--activation", "relu", "--machine",
                    machine, "--quiet", "--json", folder_.file("matmul.json"), "--out",
                    folder_.file("matmul.npy")});
    EXPECT_EQ(folder_.read("exec.npy"), folder_.read("matmul.npy"));
    auto exec = nlohmann::json::parse(folder_.read("exec.json"));
    auto matmul = nlohmann::json::parse(folder_.read("matmul.json"));
    for (auto* report : {&exec, &matmul}) {
      report->erase("command");
      report->erase("simulator");
    }
    EXPECT_EQ(exec, matmul);
  }
}

TEST_F(ValuesTest, ExecTakesArraysFromFiles) {
  const auto a = random_values<std::uint8_t>(kM * kK, 5);
  const auto b = random_values<std::uint8_t>(kK * kN, 6);
  const auto bias = random_values<std::int32_t>(kN, 7);
  expect_success({"compile", "7", "10", "9", "--machine", "tiny", "--with-bias", "-o",
                  folder_.file("p.weft")});
  expect_success({"exec", folder_.file("p.weft"), "--quiet", "--a",
                  folder_.write("a.npy", npy("|u1", shape(kM, kK), a)), "--b",
                  folder_.write("b.npy", npy("|u1", shape(kK, kN), b)), "--bias",
                  folder_.write("bias.npy", npy("<i4", shape(1, kN), bias)), "--out",
                  folder_.file("out.npy")});
  EXPECT_EQ(read_result<std::int32_t>("out.npy"), triple_loop(a, b, bias));
}

TEST_F(ValuesTest, TheSeedDecidesAndThreadsDoNot) {
  const auto result = [&](const std::string& seed, const std::string& threads) {
    expect_success({"matmul", "7", "10", "9", "--quiet", "--seed", seed, "--threads", threads,
                    "--out", folder_.file("out.npy")});
    return folder_.read("out.npy");
  };
  const std::string one = result("1", "1");
  EXPECT_EQ(one, result("1", "3"));
  EXPECT_NE(one, result("2", "1"));
}

}  // namespace
}  // namespace weft::test
