// The kernels must round as the numerics contract says. PTX, nvcc's intermediate code, names the
// rounding of each float32 instruction, and reading it needs no device.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "models/reference/cuda/bodies/body.h"

namespace weft::cuda {
namespace {

std::string kernels() {
  std::ostringstream text;
  text << std::ifstream(WEFT_PTX_FILE).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(CudaPtxTest, HasAKernelForEveryBody) {
  EXPECT_EQ(count(kernels(), ".entry "), std::variant_size_v<Body>);
}

TEST(CudaPtxTest, FusesNoMultiplicationWithAnAddition) {
  const std::string text = kernels();
  EXPECT_EQ(count(text, "fma.rn.f32"), 0U);
  EXPECT_GT(count(text, "mul.rn.f32") + count(text, "mul.f32"), 0U);
  EXPECT_GT(count(text, "add.rn.f32") + count(text, "add.f32"), 0U);
}

TEST(CudaPtxTest, RoundsDivisionsAndSquareRootsCorrectly) {
  const std::string text = kernels();
  EXPECT_GT(count(text, "div.rn.f32"), 0U);
  EXPECT_GT(count(text, "sqrt.rn.f32"), 0U);
  for (const char* rough : {"div.full.f32", "div.approx.f32", "sqrt.approx.f32", "rcp.approx.f32",
                            "rsqrt.approx.f32", "lg2.approx", "tanh.approx", "sin.approx"}) {
    EXPECT_EQ(count(text, rough), 0U) << rough;
  }
}

// CUDA's binary64 functions (erf, tanh) compute a power of two with the float32 unit. It is exact
// for whole exponents, and the next instruction widens it. No other such instruction is allowed.
TEST(CudaPtxTest, FlushesSubnormalsAndApproximatesOnlyInsideBinary64Functions) {
  const std::string text = kernels();
  const std::string power = "ex2.approx.ftz.f32";
  EXPECT_EQ(count(text, ".ftz.f32"), count(text, power));
  EXPECT_EQ(count(text, "ex2.approx"), count(text, power));
  for (std::size_t at = text.find(power); at != std::string::npos; at = text.find(power, at + 1)) {
    const std::size_t line = text.find('\n', at) + 1;
    EXPECT_EQ(text.substr(line, 12), "\tcvt.f64.f32");
  }
}

}  // namespace
}  // namespace weft::cuda
