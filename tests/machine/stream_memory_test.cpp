// A streamed run needs no more memory for a long product or network than for a short one. Each test
// counts the bytes that are allocated and not freed, at their highest.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/passes/optimize.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "sim/simulate.h"

namespace {

std::atomic<std::size_t> allocated = 0;
std::atomic<std::size_t> highest = 0;

// Each block begins with its size.
constexpr std::size_t kHeader = alignof(std::max_align_t);

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-owning-memory): these functions are the owner
void* operator new(std::size_t size) {
  void* block = std::malloc(size + kHeader);
  if (block == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(block) = size;
  const std::size_t now = allocated += size;
  if (now > highest) highest = now;
  return static_cast<char*>(block) + kHeader;
}

// By default this calls the one above, but a sanitizer has its own.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* block = static_cast<char*>(memory) - kHeader;
  allocated -= *static_cast<std::size_t*>(block);
  std::free(block);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
// NOLINTEND(cppcoreguidelines-owning-memory)

namespace weft {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 20U;

/// The most bytes that the run has allocated at one time.
std::size_t bytes_of(const MatmulSpec& spec, const MachineConfig& config, bool skip,
                     Result& result) {
  const TilingPlan plan = plan_matmul(spec, config);
  const std::size_t before = allocated;
  highest = before;
  result = simulate(config, *matmul_stream(plan, config), nullptr, skip);
  return highest - before;
}

MatmulSpec product(std::uint64_t m, std::uint64_t k, std::uint64_t n) {
  return {m, k, n, true, Activation::kNone};
}

TEST(StreamMemoryTest, TheCountCounts) {
  const std::size_t before = allocated;
  highest = before;
  { const std::vector<char> block(1'000'000); }
  EXPECT_GE(highest - before, 1'000'000U);
  EXPECT_EQ(allocated, before);
}

// Long along K, M and N: the loops along which a buffer, a queue or a history could grow. A held
// program would take 240 bytes for each instruction.
TEST(StreamMemoryTest, AReplayDoesNotGrowWithTheProduct) {
  const MachineConfig config = load_preset("tiny");
  for (const MatmulSpec& spec :
       {product(8, 600'000, 8), product(600'000, 8, 8), product(8, 8, 600'000),
        product(600'000, 4, 4), product(400, 400, 400)}) {
    Result result;
    EXPECT_LT(bytes_of(spec, config, false, result), kMostBytes)
        << spec.m << " x " << spec.k << " x " << spec.n;
    EXPECT_GT(result.instructions, 100'000U);
    EXPECT_EQ(result.skipped_instructions, 0U);
  }
}

TEST(StreamMemoryTest, SkippingNeedsLittle) {
  Result result;
  EXPECT_LT(bytes_of(product(200, 2'147'483'648, 111), load_preset("tpu-v2"), true, result),
            kMostBytes);
  EXPECT_EQ(result.instructions, 50'331'651U);
  EXPECT_GT(result.skipped_instructions, 50'000'000U);
  EXPECT_EQ(result.ledger.sum(), result.total);
  EXPECT_EQ(result.ledger.array_active, 200 * std::int64_t{16'777'216});
}

/// Two convolutions of `images` images, whose values all pass through host memory, and between
/// them a pool if wanted.
graph::Graph images_through_the_host(std::int64_t images, bool pool) {
  networks::Layers net("images", 1);
  auto x = net.input("x", graph::DataType::kFloat32, {images, 2, 12, 12});
  x = net.relu(net.conv(x, {.channels = 8, .kernel = 3, .padding = 1}, "c1"), "relu");
  if (pool) x = net.pool(graph::Op::kMaxPool, x, {}, "pool");
  x = net.conv(x, {.channels = 8, .kernel = 3, .padding = 1}, "c2");
  return passes::optimize(net.finish(x, "y"), reference::evaluate);
}

// The tracker of dependences sees every row of host memory that is written and read again.
TEST(StreamMemoryTest, ANetworkDoesNotGrowWithItsBatch) {
  MachineConfig config = load_preset("tiny");
  config.dtype = ElementType::kBf16;
  config.unified_buffer_kib = 2;
  std::array<std::size_t, 2> bytes = {};
  std::array<std::uint64_t, 2> instructions = {};
  for (const std::size_t run : {0U, 1U}) {
    const compiler::ScheduledNetwork network = compiler::schedule_network(
        images_through_the_host(run == 0 ? 100 : 1000, false), config,
        {.mapping = {.image_groups = false, .effort = compiler::SearchEffort::kNone}});
    const std::size_t before = allocated;
    highest = before;
    instructions[run] = runtime::time_network(network, config).instructions;
    bytes[run] = highest - before;
  }
  EXPECT_GT(instructions[0], 50'000U);
  EXPECT_GT(instructions[1], 9 * instructions[0]);
  EXPECT_LT(bytes[1], bytes[0] + kMostBytes / 16);
}

// The longest stretch without a matmul is that of the pool, as long as no images go on without the
// others.
TEST(StreamMemoryTest, AStretchWithoutMatmulsThatDoesNotFitIsRefused) {
  MachineConfig config = load_preset("tiny");
  config.dtype = ElementType::kBf16;
  const compiler::ScheduledNetwork network = compiler::schedule_network(
      images_through_the_host(10, true), config,
      {.mapping = {.image_groups = false, .effort = compiler::SearchEffort::kNone}});
  EXPECT_NO_THROW(runtime::time_network(network, config, {}, 1'000'000));
  try {
    runtime::time_network(network, config, {}, 4'200);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the network takes more than 20 instructions between two matmuls, the most that "
                 "the memory of this computer has room for; choose a smaller input or batch");
  }
}

}  // namespace
}  // namespace weft
