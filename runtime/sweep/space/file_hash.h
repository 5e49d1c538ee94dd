#pragma once

#include <string>

namespace weft::sweep {

/// 16 hexadecimal digits that change when the file's bytes change. Throws InputError for a file
/// that cannot be read.
std::string file_hash(const std::string& file);

}  // namespace weft::sweep
