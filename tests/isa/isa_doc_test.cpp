// docs/isa.md must show the assembler's instruction set, and only programs that it accepts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/config/config_keys.h"
#include "sim/isa/text/text.h"
#include "tools/isa_doc/instruction_doc.h"

namespace weft {
namespace {

std::string isa_page() {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/docs/isa.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Returns the text between `begin` and the next `end` after `from`, and moves `from` past it.
std::string between(const std::string& text, const std::string& begin, const std::string& end,
                    std::size_t& from) {
  const std::size_t first = text.find(begin, from);
  if (first == std::string::npos) return "";
  const std::size_t last = text.find(end, first + begin.size());
  if (last == std::string::npos) return "";
  from = last + end.size();
  return text.substr(first + begin.size(), last - first - begin.size());
}

TEST(IsaDocTest, TheTablesAreThoseOfTheInstructionSet) {
  std::size_t from = 0;
  EXPECT_EQ(between(isa_page(), "<!-- begin generated: weft_isa_doc -->\n",
                    "<!-- end generated -->", from),
            fmt::format("\n{}", instruction_set_markdown()))
      << "run `ninja isa_doc` to bring docs/isa.md up to date";
}

TEST(IsaDocTest, TheExamplesAreProgramsForTheTinyMachine) {
  const std::string page = isa_page();
  std::size_t from = 0;
  int examples = 0;
  for (;;) {
    const std::string example = between(page, "```weft\n", "```", from);
    if (example.empty()) break;
    ++examples;
    std::istringstream in(example);
    EXPECT_NO_THROW(validate(assemble(in, "docs/isa.md"), load_preset("tiny")));
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace weft
