// A std::ostream onto an OutputFile, for what is written as it comes into being.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

#include "base/output_file.h"

namespace weft {

class OutputStream : public std::ostream {
 public:
  /// Opens the file. Throws InputError; so does every write that fails, through the stream.
  explicit OutputStream(const std::filesystem::path& path);

  /// Writes what is left and gives the file its name. Throws InputError.
  void commit();

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(const std::filesystem::path& path);
    void commit();

   protected:
    int_type overflow(int_type character) override;
    int sync() override;

   private:
    void write_out();

    OutputFile file_;
    std::array<char, 1 << 16> bytes_;
  };

  Buffer buffer_;
};

}  // namespace weft
