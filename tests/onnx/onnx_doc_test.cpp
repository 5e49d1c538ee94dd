// docs/onnx.md must list everything that can be read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "compiler/graph/data_type.h"
#include "compiler/graph/op.h"

namespace weft {
namespace {

std::string documentation() {
  std::ostringstream text;
  text << std::ifstream(WEFT_SOURCE_DIR "/docs/onnx.md").rdbuf();
  return text.str();
}

TEST(OnnxDocTest, NamesEveryOperator) {
  const std::string text = documentation();
  for (const std::string_view name : graph::kOpNames) {
    EXPECT_NE(text.find(fmt::format("`{}`", name)), std::string::npos) << name;
  }
}

TEST(OnnxDocTest, NamesEveryElementType) {
  const std::string text = documentation();
  const std::size_t at = text.find("| element types |");
  ASSERT_NE(at, std::string::npos);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  for (const auto* name :
       {"float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool"}) {
    ASSERT_TRUE(graph::data_type_from_string(name)) << name;
    EXPECT_NE(line.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace weft
