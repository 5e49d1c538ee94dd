// Changes a model at random. Changed fields give models that parse but have wrong content; changed
// bytes mostly give no model.
#pragma once

#include <onnx/onnx_pb.h>

#include <random>
#include <string>

namespace weft::onnx_io::testing_support {

/// Changes one field anywhere in the message: sets another number or name, or removes, copies,
/// swaps or changes an element of a list.
void mutate_field(google::protobuf::Message& message, std::mt19937& random);
/// Flips, cuts, copies or removes bytes.
void mutate_bytes(std::string& bytes, std::mt19937& random);

}  // namespace weft::onnx_io::testing_support
