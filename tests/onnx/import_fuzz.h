// The fuzzing function, with the signature that libFuzzer expects.
#pragma once

#include <cstddef>
#include <cstdint>

/// Imports the bytes as a model. The importer either throws an InputError or gives a graph that
/// holds its invariants and that can be written and read again. Anything else aborts. Returns 0.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace weft::onnx_io::testing_support {

/// Does the same; returns true if the importer accepts the bytes.
bool import_any_bytes(const std::uint8_t* data, std::size_t size);

}  // namespace weft::onnx_io::testing_support
