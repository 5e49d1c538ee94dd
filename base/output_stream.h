// A std::ostream into an OutputFile, for text that is written piece by piece.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

#include "base/output_file.h"

namespace weft {

class OutputStream : public std::ostream {
 public:
  /// Opens the file. Throws InputError. Each failed write throws it too, through the stream.
  explicit OutputStream(const std::filesystem::path& path,
                        WhileWriting shown = WhileWriting::kHidden);

  /// Writes the rest of the buffer and gives the file its name. Throws InputError.
  void commit();

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer(const std::filesystem::path& path, WhileWriting shown);
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
