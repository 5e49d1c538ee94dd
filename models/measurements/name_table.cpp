#include "models/measurements/name_table.h"

#include "base/error.h"

namespace weft::measurements {
namespace {

constexpr std::size_t kMostNameBytes = std::size_t{64} << 20U;
/// What a name takes besides its characters.
constexpr std::size_t kEntryBytes = 96;

}  // namespace

std::uint32_t NameTable::number_of(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  bytes_ += name.size() + kEntryBytes + bytes_beside_;
  if (bytes_ > kMostNameBytes) {
    throw InputError("has more than 64 MiB of names and shapes; profile fewer steps");
  }
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back(&numbers_.emplace(name, number).first->first);
  return number;
}

}  // namespace weft::measurements
