// A node's attributes by name, as in ONNX. An operator's signature (shapes/signature.h) lists its
// attributes; a builder refuses any other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::graph {

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, Tensor>;

class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> entries)
      : entries_(entries) {}

  void set(std::string name, Attribute value) { entries_[std::move(name)] = std::move(value); }
  void erase(const std::string& name) { entries_.erase(name); }
  bool has(std::string_view name) const { return entries_.contains(name); }

  /// The attribute's value, or `otherwise` if the node does not have the attribute. Throws
  /// InputError with the attribute's name if it has another type.
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  float real(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::vector<std::int64_t> integers(std::string_view name,
                                     const std::vector<std::int64_t>& otherwise = {}) const;
  std::vector<float> reals(std::string_view name, const std::vector<float>& otherwise = {}) const;
  std::vector<std::string> texts(std::string_view name) const;
  /// Returns null if the node does not have the attribute.
  const Tensor* tensor(std::string_view name) const;

  const std::map<std::string, Attribute, std::less<>>& entries() const { return entries_; }
  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  std::map<std::string, Attribute, std::less<>> entries_;
};

}  // namespace weft::graph
