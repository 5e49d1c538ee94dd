// The function that fuzzing calls, in libFuzzer's form.
#pragma once

#include <cstddef>
#include <cstdint>

/// Imports the bytes as a model. What is accepted must be a graph that holds its invariant, can be
/// written, and is then read again; what is refused, refused by an InputError. Anything else
/// aborts. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace weft::onnx_io::testing_support {

/// The same; true if the bytes were accepted.
bool import_any_bytes(const std::uint8_t* data, std::size_t size);

}  // namespace weft::onnx_io::testing_support
