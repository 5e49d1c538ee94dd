// The addresses of transfers against an enumeration, byte by byte, of the layouts in docs/isa.md.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "compiler/emit/matmul.h"
#include "sim/timing/transfers.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;
using Addresses = std::multiset<std::uint64_t>;

/// Byte `byte` of element `element` in host row `row`.
std::uint64_t host_byte(const MachineConfig& config, std::uint64_t row, std::uint64_t element,
                        std::uint64_t byte) {
  return (row * config.array_rows + element) * element_bytes(config.dtype) + byte;
}

/// Byte `byte` of element [row][col] in tile `tile`.
std::uint64_t tile_byte(const MachineConfig& config, std::uint64_t tile, std::uint64_t row,
                        std::uint64_t col, std::uint64_t byte) {
  const std::uint64_t element = (tile * config.array_rows + row) * config.array_cols + col;
  return 9'223'372'036'854'775'808U + element * element_bytes(config.dtype) + byte;
}

Addresses bytes_of(const MachineConfig& config, const Operation& operation) {
  Addresses bytes;
  const auto add_rows = [&](std::uint64_t first, std::uint32_t rows) {
    for (std::uint64_t row = first; row < first + rows; ++row) {
      for (std::uint32_t element = 0; element < config.array_rows; ++element) {
        for (std::uint32_t byte = 0; byte < element_bytes(config.dtype); ++byte) {
          bytes.insert(host_byte(config, row, element, byte));
        }
      }
    }
  };
  if (const auto* load = std::get_if<Load>(&operation)) add_rows(load->host, load->rows);
  if (const auto* store = std::get_if<Store>(&operation)) add_rows(store->host, store->rows);
  const auto* fetch = std::get_if<Fetch>(&operation);
  if (fetch == nullptr || fetch->buffer) return bytes;
  for (std::uint32_t row = 0; row < config.array_rows; ++row) {
    for (std::uint32_t col = 0; col < config.array_cols; ++col) {
      for (std::uint32_t byte = 0; byte < element_bytes(config.dtype); ++byte) {
        bytes.insert(tile_byte(config, fetch->tile, row, col, byte));
      }
    }
  }
  return bytes;
}

Addresses bytes_of(const TransferRequest& request) {
  Addresses bytes;
  for (std::uint64_t i = 0; i < request.bytes; ++i) bytes.insert(request.address + i);
  return bytes;
}

/// "load shared" and so on: the cases of the channel.
std::string kind_of(const Operation& operation, const MachineConfig& config) {
  constexpr const char* kOpcodes[] = {"load ", "fetch ", "matmul ", "vector ", "store "};
  constexpr const char* kMemories[] = {"ideal", "shared", "split"};
  return kOpcodes[operation.index()] + std::string(kMemories[static_cast<int>(config.memory_kind)]);
}

/// A load of patches asks for the needed elements, from the first one on; at least for one.
void check_patches(const Load& load, const TransferRequest& request, const MachineConfig& config) {
  const std::uint64_t bytes = element_bytes(config.dtype);
  std::set<std::uint64_t> needed = testing_support::needed_elements(load);
  if (needed.empty()) needed.insert(load.patches->offset);
  EXPECT_EQ(request.bytes, needed.size() * bytes);
  EXPECT_EQ(request.address, load.host * config.row_bytes() + *needed.begin() * bytes);
}

TEST(TransferAddressesTest, AreThoseOfEachByteOnRandomPrograms) {
  const std::map<std::string, std::optional<Channel>> channels = {
      {"load ideal", std::nullopt},       {"load shared", Channel::kMemory},
      {"load split", Channel::kHost},     {"fetch ideal", std::nullopt},
      {"fetch shared", Channel::kMemory}, {"fetch split", Channel::kMemory},
      {"store ideal", std::nullopt},      {"store shared", Channel::kMemory},
      {"store split", Channel::kHost}};
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    Program program = testing::RandomProgram(config, random.between(1, 60), random).program();
    for (Instruction& instruction : program.code) {
      auto* fetch = std::get_if<Fetch>(&instruction.operation);
      if (fetch != nullptr && !fetch->buffer) fetch->tile = random.between(0, 1'000'000);
      const Addresses expected = bytes_of(config, instruction.operation);
      const auto request = transfer_request(instruction.operation, config);
      ASSERT_EQ(request.has_value(), !expected.empty());
      if (!request) continue;
      const std::string kind = kind_of(instruction.operation, config);
      ++hits[kind];
      const auto* load = std::get_if<Load>(&instruction.operation);
      if (load != nullptr && load->patches) {
        check_patches(*load, *request, config);
        ++hits["patches"];
      } else {
        ASSERT_EQ(bytes_of(*request), expected) << kind;
      }
      ASSERT_EQ(request->channel, channels.at(kind)) << kind;
      const bool writes = std::holds_alternative<Store>(instruction.operation);
      ASSERT_EQ(request->direction, writes ? Direction::kWrite : Direction::kRead);
    }
  }
  for (const auto& [kind, channel] : channels) EXPECT_GT(hits[kind], 100) << kind;
  EXPECT_GT(hits["patches"], 100);
}

/// The bytes of the elements of a tensor [rows, cols] that is not a weight, as docs/isa.md lays it
/// out.
Addresses host_bytes(const MachineConfig& config, const TensorDecl& tensor) {
  Addresses bytes;
  const std::uint64_t size = element_bytes(tensor.type);
  for (std::uint64_t m = 0; m < tensor.rows; ++m) {
    for (std::uint64_t n = 0; n < tensor.cols; ++n) {
      for (std::uint64_t byte = 0; byte < size; ++byte) {
        if (tensor.role == TensorRole::kActivation) {
          const std::uint64_t row = tensor.base + n / config.array_rows * tensor.rows + m;
          bytes.insert(host_byte(config, row, n % config.array_rows, byte));
          continue;
        }
        // Words of C columns begin at a row and run over as many rows as they need.
        const std::uint64_t block = n / config.array_cols * tensor.rows + m;
        const std::uint64_t row = tensor.base + block * config.result_row_rows();
        bytes.insert(host_byte(config, row, 0, n % config.array_cols * size + byte));
      }
    }
  }
  return bytes;
}

Addresses weight_bytes(const MachineConfig& config, const TensorDecl& tensor) {
  Addresses bytes;
  const std::uint64_t k_tiles = (tensor.rows + config.array_rows - 1) / config.array_rows;
  for (std::uint64_t k = 0; k < tensor.rows; ++k) {
    for (std::uint64_t n = 0; n < tensor.cols; ++n) {
      const std::uint64_t tile =
          tensor.base + n / config.array_cols * k_tiles + k / config.array_rows;
      for (std::uint64_t byte = 0; byte < element_bytes(tensor.type); ++byte) {
        bytes.insert(tile_byte(config, tile, k % config.array_rows, n % config.array_cols, byte));
      }
    }
  }
  return bytes;
}

TEST(TransferAddressesTest, OfACompiledProductReachEveryElementOfItsTensors) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MachineConfig config = testing::random_machine(random);
    config.array_rows = random.between(1, 5);
    config.array_cols = random.between(1, 5);
    config.unified_buffer_kib = random.between(1, 2);
    config.accumulator_rows = random.between(1, 24);
    const MatmulSpec spec = {random.between(1, 20), random.between(1, 16), random.between(1, 16),
                             random.chance(50)};
    const Program program = lower_matmul(plan_matmul(spec, config), config);
    Addresses read;
    Addresses written;
    for (const Instruction& instruction : program.code) {
      const auto request = transfer_request(instruction.operation, config);
      if (!request) continue;
      (request->direction == Direction::kWrite ? written : read).merge(bytes_of(*request));
    }
    for (const TensorDecl& tensor : program.tensors) {
      const Addresses elements = tensor.role == TensorRole::kWeights ? weight_bytes(config, tensor)
                                                                     : host_bytes(config, tensor);
      for (const std::uint64_t address : elements) {
        const bool result = tensor.role == TensorRole::kResult;
        ASSERT_GE((result ? written : read).count(address), 1U) << tensor.name;
        ASSERT_TRUE(!result || written.count(address) == 1U) << tensor.name;
      }
    }
  }
}

}  // namespace
}  // namespace weft
