// Encoded instructions: what is accepted has no other encoding. Its text is read as another that
// has the same text: only valid programs promise the same instruction.
#include "sim/isa/text/encoding.h"
#include "sim/isa/text/text.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool instruction(std::string_view bytes) {
  return accepts([&] {
    const auto encoded = std::as_bytes(std::span(bytes));
    const Instruction decoded = decode(encoded);
    const std::vector<std::byte> again = encode(decoded);
    require(std::equal(again.begin(), again.end(), encoded.begin(), encoded.end()),
            "one encoding for each instruction");
    const std::string text = format(decoded);
    accepts([&] { require(format(parse_instruction(text)) == text, "the same text again"); });
  });
}

}  // namespace weft::fuzz
