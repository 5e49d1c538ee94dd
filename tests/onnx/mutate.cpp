#include "tests/onnx/mutate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::onnx_io::testing_support {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

struct Place {
  Message* message;
  const FieldDescriptor* field;
};

/// Collects every set field of the message and its submessages.
void collect(Message& message, std::vector<Place>& places) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    places.push_back({&message, field});
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      collect(*reflection.MutableMessage(&message, field), places);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      collect(*reflection.MutableRepeatedMessage(&message, field, i), places);
    }
  }
}

std::int64_t any_number(std::mt19937& random) {
  constexpr auto kTelling = std::to_array<std::int64_t>({0,
                                                         1,
                                                         2,
                                                         3,
                                                         -1,
                                                         -2,
                                                         6,
                                                         7,
                                                         11,
                                                         16,
                                                         17,
                                                         127,
                                                         128,
                                                         255,
                                                         256,
                                                         65536,
                                                         std::int64_t{1} << 31,
                                                         std::int64_t{1} << 40,
                                                         std::numeric_limits<std::int64_t>::max(),
                                                         std::numeric_limits<std::int64_t>::min()});
  return kTelling[random() % kTelling.size()];
}

const std::string& any_text(std::mt19937& random) {
  static const std::vector<std::string> kTelling = {
      "",       "x",          "y",    "w",       "a",       "b",     "axis",   "pads",
      "Conv",   "Relu",       "Add",  "Reshape", "Softmax", "LSTM",  "Resize", "Constant",
      "linear", "SAME_UPPER", "mode", "value",   "Gather",  "Slice", "Concat", "Clip"};
  return kTelling[random() % kTelling.size()];
}

void set_single(const Place& place, std::mt19937& random) {
  const auto& reflection = *place.message->GetReflection();
  switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(place.message, place.field,
                                 static_cast<std::int32_t>(any_number(random) % 32));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(place.message, place.field, any_number(random));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.SetFloat(place.message, place.field,
                                 static_cast<float>(any_number(random)));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(place.message, place.field, any_text(random));
    default:
      return reflection.ClearField(place.message, place.field);
  }
}

void set_element(const Place& place, int at, std::mt19937& random) {
  const auto& reflection = *place.message->GetReflection();
  switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetRepeatedInt32(place.message, place.field, at,
                                         static_cast<std::int32_t>(any_number(random) % 512));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetRepeatedInt64(place.message, place.field, at, any_number(random));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.SetRepeatedFloat(place.message, place.field, at,
                                         static_cast<float>(any_number(random)));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetRepeatedString(place.message, place.field, at, any_text(random));
    default:
      return reflection.RemoveLast(place.message, place.field);
  }
}

void change_list(const Place& place, std::mt19937& random) {
  const auto& reflection = *place.message->GetReflection();
  const int size = reflection.FieldSize(*place.message, place.field);
  const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(size)); };
  switch (random() % 4) {
    case 0:
      return reflection.SwapElements(place.message, place.field, any(), any());
    case 1:
      reflection.SwapElements(place.message, place.field, any(), size - 1);
      return reflection.RemoveLast(place.message, place.field);
    case 2:
      if (place.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        const Message& element = reflection.GetRepeatedMessage(*place.message, place.field, any());
        Message* const copy = element.New();
        copy->CopyFrom(element);
        return reflection.AddAllocatedMessage(place.message, place.field, copy);
      }
      [[fallthrough]];
    default:
      return set_element(place, any(), random);
  }
}

}  // namespace

void mutate_field(Message& message, std::mt19937& random) {
  std::vector<Place> places;
  collect(message, places);
  if (places.empty()) return;
  const Place& place = places[random() % places.size()];
  if (place.field->is_repeated()) {
    change_list(place, random);
  } else {
    set_single(place, random);
  }
}

void mutate_bytes(std::string& bytes, std::mt19937& random) {
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  const std::size_t length = std::min<std::size_t>(random() % 16, bytes.size() - at);
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<char>(random() % 256);
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << (random() % 7)));
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, length));
      break;
    default:
      bytes.erase(at, length);
  }
}

}  // namespace weft::onnx_io::testing_support
