// Builds .npy files by hand from the format's description, independently of the tested code.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace weft::test {

/// Returns the magic, the version, the header length and the given header.
inline std::string npy_start(int version, std::string_view header) {
  std::string file("\x93NUMPY");
  file.push_back(static_cast<char>(version));
  file.push_back('\0');
  const std::size_t length = header.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    file.push_back(static_cast<char>((length >> (8 * i)) & 0xFFU));
  }
  return file.append(header);
}

inline std::string npy_header(std::string_view descr, std::string_view shape,
                              bool fortran = false) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }  \n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::string npy(std::string_view descr, std::string_view shape, const std::vector<T>& values,
                bool fortran = false, int version = 1) {
  return npy_start(version, npy_header(descr, shape, fortran)) + bytes_of(values);
}

}  // namespace weft::test
