// Text for standard output. Names in it come from files of others: an ESC in the name of a layer
// could control the user's terminal. So control characters become question marks, except line
// ends, tabs and the colors of report::Style. The files that commands write keep every character.
#pragma once

#include <ostream>
#include <streambuf>
#include <string_view>

namespace weft::cli {

class TerminalOutput : public std::ostream {
 public:
  /// Writes to `target`, which must outlive this.
  explicit TerminalOutput(std::streambuf& target) : std::ostream(&buffer_), buffer_(target) {}

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::streambuf& target) : target_(target) {}

   protected:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override { return target_.pubsync(); }

   private:
    bool put(std::string_view text);

    std::streambuf& target_;
  };

  Buffer buffer_;
};

}  // namespace weft::cli
