// Usage: weft_isa_doc FILE: replaces the text between the generated-text markers of FILE
// (docs/isa.md) with the tables of the instruction set.
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/isa_doc/instruction_doc.h"

namespace {

constexpr std::string_view kBegin = "<!-- begin generated: weft_isa_doc -->\n";
constexpr std::string_view kEnd = "<!-- end generated -->\n";

void rewrite(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream read;
  read << in.rdbuf();
  const std::string text = read.str();
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw std::runtime_error(path + ": has no markers for generated text");
  }
  std::ofstream out(path);
  out << text.substr(0, begin) << kBegin << '\n' << weft::instruction_set_markdown();
  if (!(out << text.substr(end)).flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: weft_isa_doc FILE");
    rewrite(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "weft_isa_doc: " << error.what() << '\n';
    return 2;
  }
}
