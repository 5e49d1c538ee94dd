// Changes a model at random: its fields, which gives models that parse and are wrong in content, or
// its bytes, which mostly gives none at all.
#pragma once

#include <onnx/onnx_pb.h>

#include <random>
#include <string>

namespace weft::onnx_io::testing_support {

/// Changes one field somewhere in the message: another number or name, an element of a list less,
/// twice or exchanged with another.
void mutate_field(google::protobuf::Message& message, std::mt19937& random);
/// Flips, cuts, copies or removes bytes.
void mutate_bytes(std::string& bytes, std::mt19937& random);

}  // namespace weft::onnx_io::testing_support
