#include "models/imports/scalesim_topology.h"

#include <gtest/gtest.h>

#include "tests/cli/temporary_folder.h"
#include "tests/imports/refused.h"

namespace weft::imports {
namespace {

const std::string kHeader =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\n";

class ScaleSimTopologyTest : public testing::Test {
 protected:
  ScaleSimTopology conv(const std::string& rows) {
    return read_scalesim_topology(folder_.write("t.csv", kHeader + rows),
                                  TopologyKind::kConvolution);
  }
  ScaleSimTopology gemm(const std::string& rows) {
    return read_scalesim_topology(folder_.write("t.csv", "Layer, M, N, K,\n" + rows),
                                  TopologyKind::kGemm);
  }
  /// M, K and N of the only layer.
  static std::vector<std::uint64_t> sizes(const ScaleSimTopology& topology) {
    EXPECT_EQ(topology.layers.size(), 1U);
    const ScaleSimLayer& layer = topology.layers.front();
    return {layer.m(), layer.k(), layer.n()};
  }
  std::string refused(const std::string& rows) {
    const std::string message = refusal([&] { conv(rows); });
    const std::string file = folder_.file("t.csv");
    EXPECT_TRUE(message.starts_with(file)) << message;
    return message.substr(std::min(file.size(), message.size()));
  }

  test::TemporaryFolder folder_;
};

using Sizes = std::vector<std::uint64_t>;

TEST_F(ScaleSimTopologyTest, CountsPositionsWithoutPadding) {
  // 224 rows, windows of 7 at 0, 2, ... 216 and 217 not: ceil((224 - 7 + 2) / 2) = 110.
  EXPECT_EQ(sizes(conv("c, 224, 224, 7, 7, 3, 64, 2,\n")), (Sizes{110 * 110, 147, 64}));
  // 10 rows, windows of 3 at 0, 4 and 8; the last one hangs over by one row.
  const ScaleSimTopology hanging = conv("c, 10, 3, 3, 3, 2, 5, 4,\n");
  EXPECT_EQ(sizes(hanging), (Sizes{3, 18, 5}));
  EXPECT_EQ(hanging.layers.front().ifmap_words(), (3U + 3 + 2) * 3 * 2);
  EXPECT_EQ(sizes(gemm("g, 5, 7, 11,\n")), (Sizes{5, 11, 7}));
}

TEST_F(ScaleSimTopologyTest, CountsEachWordOfOverlappingWindowsOnce) {
  EXPECT_EQ(conv("c, 9, 8, 3, 2, 4, 1, 1,\n").layers.front().ifmap_words(), 9U * 8 * 4);
  EXPECT_EQ(gemm("g, 5, 7, 11,\n").layers.front().ifmap_words(), 55U);
}

TEST_F(ScaleSimTopologyTest, TakesRowsAsTheyAreShipped) {
  EXPECT_EQ(
      conv("a, 5,5,3,3,1,2,1\nb,5,5,3,3,1,2,1,\r\n\n,,,,,,,\n  \nc,5,5,3,3,1,2,1").layers.size(),
      3U);
  EXPECT_EQ(sizes(read_scalesim_topology(folder_.write("t.csv", "L,M,N,K\ra,5,7,11\r"),
                                         TopologyKind::kGemm)),
            (Sizes{5, 11, 7}));
  EXPECT_EQ(sizes(conv("a\t6\t5\t3\t3\t1\t2\t1\t\n")), (Sizes{12, 9, 2}));
  const ScaleSimTopology marked =
      read_scalesim_topology(folder_.write("t.csv", "\xEF\xBB\xBF" + kHeader + "a,5,5,3,3,1,2,1,"),
                             TopologyKind::kConvolution);
  EXPECT_EQ(marked.layers.front().name, "a");
}

TEST_F(ScaleSimTopologyTest, SaysWhatItIgnores) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(conv("Network,\na,5,5,3,3,1,2,1,#dw\n").ignored,
            (Texts{"1 row with a title only", "column 9"}));
  EXPECT_EQ(conv("a,5,5,3,3,1,2,1,2:4,\nb,5,5,3,3,1,2,1,1:4,\n").ignored,
            (Texts{"the sparsity of 2 layers: all are dense"}));
  EXPECT_EQ(conv("a,5,5,3,3,1,2,1,,,7\n").ignored, (Texts{"column 11"}));
  const ScaleSimTopology named = read_scalesim_topology(
      folder_.write("t.csv", "n,h,w,y,x,c,f,Strides,Batch Size,\na,5,5,3,3,1,2,1,4,\n"),
      TopologyKind::kConvolution);
  EXPECT_EQ(named.ignored, (Texts{"column 'Batch Size'"}));
  EXPECT_EQ(named.layers.front().stride_width, 1U);
  const ScaleSimTopology headless =
      read_scalesim_topology(folder_.write("t.csv", "a,5,5,3,3,1,2,1,7,7\nb,5,5,3,3,1,2,1,,6\n"),
                             TopologyKind::kConvolution);
  EXPECT_EQ(headless.layers.size(), 1U);
  EXPECT_TRUE(headless.header_is_layer);
  EXPECT_FALSE(named.header_is_layer);
  EXPECT_EQ(headless.ignored, (Texts{"column 10"}));
  const std::string windows = "Layer name, IFMAP Height, IFMAP Width, Filter Height,\na,5,6,7,\n";
  const std::string sizes = "Layer, M, N, K,\na,5,6,7,\n";
  const auto gemm = [&](const std::string& text) {
    return read_scalesim_topology(folder_.write("t.csv", text), TopologyKind::kGemm);
  };
  EXPECT_TRUE(gemm(windows).header_is_conv);
  EXPECT_FALSE(gemm(sizes).header_is_conv);
  EXPECT_FALSE(conv("a,5,5,3,3,1,2,1\n").header_is_conv);
  EXPECT_EQ(conv("a,5,5,3,3,1,2,1,x,x,x\n").ignored, (Texts{"columns 9, 10, 11"}));
  EXPECT_EQ(conv("a,5,5,3,3,1,2,1,x,x,x,x,x,x,x,x,x,x,x,x\n").ignored,
            (Texts{"columns 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 and 2 more"}));
}

TEST_F(ScaleSimTopologyTest, TakesASecondStrideForTheWidth) {
  EXPECT_EQ(sizes(conv("a,9,9,3,3,1,2,2,3,\n")), (Sizes{4 * 3, 9, 2}));
}

TEST_F(ScaleSimTopologyTest, MakesALayerOfEachChannelOfADepthwiseOne) {
  const ScaleSimTopology topology = conv("Conv2_DP, 9, 9, 3, 3, 32, 1, 1,\n");
  EXPECT_EQ(topology.layers.front().copies, 32U);
  EXPECT_EQ(sizes(topology), (Sizes{49, 9, 1}));
}

TEST_F(ScaleSimTopologyTest, RefusesRowsWithFileLineAndColumn) {
  EXPECT_EQ(refused("a,5,5,3,3,1,2,0,\n"),
            ":2: the stride = '0': must be a whole number from 1 to 2147483648");
  EXPECT_EQ(refused("\na,5,5,3,3,x,2,1,\n"),
            ":3: the channels (column 6) = 'x': must be a whole number");
  EXPECT_EQ(refused("a,5,5,3,,1,2,1,\n"),
            ":2: the filter width (column 5) = '': must be a whole number");
  EXPECT_EQ(refused("a,5,5,3,3.5,1,2,1,\n"),
            ":2: the filter width (column 5) = '3.5': must be a whole number");
  EXPECT_EQ(refused("a,5,-5,3,3,1,2,1,\n"),
            ":2: the ifmap width (column 3) = '-5': must be a whole number");
  EXPECT_EQ(refused("a,5,5,3,3,1,\n"),
            ":2: has 6 columns, but a convolution needs 8: the name, the ifmap height, the ifmap "
            "width, the filter height, the filter width, the channels, the filters, the stride");
  EXPECT_EQ(refused("a,5,5,3,6,1,2,1,\n"),
            ":2: the filter width 6 is larger than the ifmap width 5");
  EXPECT_EQ(refused("a,99999999999999999999,5,3,3,1,2,1,\n"),
            ":2: the ifmap height = '99999999999999999999': must be a whole number from 1 to "
            "2147483648");
  EXPECT_EQ(refused("a,2000000000,2000000000,1,1,1,2,1,\n"),
            ":2: M of the layer's product exceeds 2^40; use smaller sizes");
  EXPECT_EQ(refused("aDP,5,5,3,3,2000000,1,1,\n"),
            ":2: with this row there are more than 1,000,000 layers");
  EXPECT_EQ(refused("a;5;5;3;3;1;2;1\n"),
            ":2: separates its columns by ';'; put commas in their place");
  EXPECT_NE(
      refused("a,5,7,11,\n").find("the stride; or give -i gemm, if they are the name, M, N, K"),
      std::string::npos);
  EXPECT_EQ(conv("Block 1; wide\na,5,5,3,3,1,2,1,\n").layers.size(), 1U);
  EXPECT_EQ(refused(""), ": has no layer after its first line, the header");
  EXPECT_EQ(refusal([&] { gemm("g,1,2,\n"); }),
            folder_.file("t.csv") + ":2: has 3 columns, but a product needs 4: the name, M, N, K");
}

}  // namespace
}  // namespace weft::imports
