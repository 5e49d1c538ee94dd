// Names of operators and kernels, each kept once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::measurements {

class NameTable {
 public:
  NameTable() = default;
  /// `bytes_beside` is what the caller keeps for each name; it counts like the name's characters.
  explicit NameTable(std::size_t bytes_beside) : bytes_beside_(bytes_beside) {}

  /// The number of the name, from 0 on. Throws InputError if the names, with what is kept beside
  /// them, take more than 64 MiB.
  std::uint32_t number_of(std::string_view name);
  const std::string& name(std::uint32_t number) const { return *names_[number]; }
  std::size_t size() const { return names_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> names_;  // keys of numbers_, which stay where they are
  std::size_t bytes_beside_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace weft::measurements
