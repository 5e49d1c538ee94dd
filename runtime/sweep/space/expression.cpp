#include "runtime/sweep/space/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"

namespace weft::sweep {
namespace {

constexpr const char* kNameCharacters =
    "0123456789_.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// muParser takes a lone = as an assignment, which no user of a condition means.
bool assigns(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const char before = i > 0 ? text[i - 1] : ' ';
    const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
    if (doubled) {
      ++i;
    } else if (std::string_view("<>!").find(before) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Names that end in the unknown one, the similar one, or where all are told.
std::string advice_for(const std::string& unknown, std::span<const std::string> names) {
  std::vector<std::string> endings;
  for (const std::string& name : names) {
    if (name.ends_with("." + unknown)) endings.push_back(name);
  }
  if (!endings.empty()) return fmt::format("give {}", fmt::join(endings, " or "));
  const std::string meant = most_similar(unknown, names);
  return meant.empty() ? "see docs/sweep.md" : "did you mean " + meant + "?";
}

}  // namespace

struct Expression::Parser {
  std::mutex mutex;  // the first rank of an MPI job runs points in a thread of its own
  mu::Parser parser;
  std::vector<double> values;
};

Expression::Expression(std::string text, std::span<const std::string> names, std::string what)
    : text_(std::move(text)), what_(std::move(what)), parser_(std::make_unique<Parser>()) {
  if (assigns(text_)) {
    throw InputError(fmt::format("{} {}: = assigns; compare with ==", what_, printable(text_)));
  }
  mu::Parser& parser = parser_->parser;
  parser_->values.resize(names.size());
  try {
    parser.DefineNameChars(kNameCharacters);
    for (std::size_t i = 0; i < names.size(); ++i) {
      parser.DefineVar(names[i], &parser_->values[i]);
    }
    parser.SetExpr(text_);
    for (const auto& [name, place] : parser.GetUsedVar()) {
      if (place == nullptr) {
        throw InputError(fmt::format("{} {}: {} is not a number that is known here; {}", what_,
                                     printable(text_), printable(name), advice_for(name, names)));
      }
      used_.push_back(static_cast<std::size_t>(place - parser_->values.data()));
    }
    std::ranges::sort(used_);
    parser.Eval();
    if (parser.GetNumResults() != 1) {
      throw InputError(fmt::format("{} {}: must have one value", what_, printable(text_)));
    }
  } catch (const mu::ParserError& error) {
    std::string reason = error.GetMsg();
    while (reason.ends_with('.')) reason.pop_back();
    // muParser quotes the text as it is.
    std::ranges::replace_if(
        reason, [](char c) { return c < ' ' || c > '~'; }, '?');
    throw InputError(fmt::format("{} {}: {}", what_, printable(text_), reason));
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&& other) noexcept = default;
Expression& Expression::operator=(Expression&& other) noexcept = default;

double Expression::value(std::span<const double> values) const {
  const std::lock_guard lock(parser_->mutex);
  for (const std::size_t name : used_) parser_->values[name] = values[name];
  try {
    return parser_->parser.Eval();
  } catch (const mu::ParserError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace weft::sweep
