#include "compiler/graph/attributes.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::graph {
namespace {

template <class T>
const T* find(const std::map<std::string, Attribute, std::less<>>& entries, std::string_view name) {
  const auto entry = entries.find(name);
  if (entry == entries.end()) return nullptr;
  const T* value = std::get_if<T>(&entry->second);
  if (value == nullptr) throw InputError(fmt::format("attribute {}: has the wrong type", name));
  return value;
}

}  // namespace

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* value = find<std::int64_t>(entries_, name);
  return value == nullptr ? otherwise : *value;
}

float Attributes::real(std::string_view name, float otherwise) const {
  const auto* value = find<float>(entries_, name);
  return value == nullptr ? otherwise : *value;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) const {
  const auto* value = find<std::string>(entries_, name);
  return value == nullptr ? std::string(otherwise) : *value;
}

std::vector<std::int64_t> Attributes::integers(std::string_view name,
                                               const std::vector<std::int64_t>& otherwise) const {
  const auto* value = find<std::vector<std::int64_t>>(entries_, name);
  return value == nullptr ? otherwise : *value;
}

std::vector<float> Attributes::reals(std::string_view name,
                                     const std::vector<float>& otherwise) const {
  const auto* value = find<std::vector<float>>(entries_, name);
  return value == nullptr ? otherwise : *value;
}

std::vector<std::string> Attributes::texts(std::string_view name) const {
  const auto* value = find<std::vector<std::string>>(entries_, name);
  return value == nullptr ? std::vector<std::string>{} : *value;
}

const Tensor* Attributes::tensor(std::string_view name) const {
  return find<Tensor>(entries_, name);
}

}  // namespace weft::graph
