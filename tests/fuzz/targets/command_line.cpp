// Command lines: words, one a line of the input. Commands run to their end, in a folder with small
// files, so the words are tamed first: no path leaves the folder, numbers and networks are small,
// nothing is measured, and no other process starts. A large legal simulation would find nothing.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/program_options/errors.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "compiler/graph/builder/builder.h"
#include "compiler/onnx/export.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWords = 32;
constexpr std::size_t kLongestWord = 256;

// --- The folder ----------------------------------------------------------------------------------

/// A product with a bias: [2,3] times [3,4].
std::string small_network() {
  graph::Builder builder("small");
  const auto type = [](graph::Shape shape) {
    return graph::ValueType{graph::DataType::kFloat32, std::move(shape)};
  };
  const graph::ValueId x = builder.input("x", type({2, 3}));
  const graph::ValueId w = builder.constant(graph::Constant(graph::Tensor(type({3, 4}))), "w");
  builder.output(builder.add(graph::Op::kMatMul, {x, w}), "y");
  return onnx_io::to_onnx_bytes(builder.finish());
}

std::string npy_of(std::string_view shape, std::size_t bytes) {
  std::string header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + std::string(bytes, '\x01');
}

/// The files that words can name.
const std::map<std::string, std::string>& small_files() {
  static const std::map<std::string, std::string> kFiles = {
      {"a.npy", npy_of("(2, 3)", 6)},
      {"b.npy", npy_of("(3, 4)", 12)},
      {"m.ini", "[machine]\nname = m\n[array]\nrows = 2\ncols = 3\n"},
      {"n.onnx", small_network()},
      {"p.weft", "weft 1\narray 4 4 int8\nend\n"},
      {"s.ini", "workload = matmul 4 5 6\nmachine = tiny\n"},
  };
  return kFiles;
}

/// The folder in which commands run: this process's own, which is entered once and for all.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "weft-fuzz-XXXXXX").string()) {
    require(::mkdtemp(path_.data()) != nullptr && ::chdir(path_.c_str()) == 0, "a folder");
    fill();
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Makes the folder as it was, if a command wrote into it.
  void restore() {
    if (fs::last_write_time(path_) == filled_) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) fs::remove_all(entry);
    fill();
  }

 private:
  void fill() {
    for (const auto& [name, content] : small_files()) {
      std::ofstream(fs::path(path_) / name, std::ios::binary) << content;
    }
    filled_ = fs::last_write_time(path_);
  }

  std::string path_;
  fs::file_time_type filled_;
};

// --- Words ---------------------------------------------------------------------------------------

/// Shortens runs of 2 to 17 digits to a number below 24. Longer ones are beyond every limit. Zeros
/// before a number stay and do not count.
std::string with_small_numbers(std::string_view word) {
  constexpr std::size_t kBeyondLimits = 18;
  constexpr int kMost = 24;
  std::string tame;
  while (!word.empty()) {
    const std::size_t zeros = std::min(word.find_first_not_of('0'), word.size());
    tame += word.substr(0, zeros);
    word.remove_prefix(zeros);
    if (word.empty()) break;
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    if (digits < 2 || digits >= kBeyondLimits) {
      tame += word.substr(0, std::max<std::size_t>(digits, 1));
    } else {
      tame += std::to_string(std::stoll(std::string(word.substr(0, digits))) % kMost);
    }
    word.remove_prefix(std::max<std::size_t>(digits, 1));
  }
  return tame;
}

cli::Words words_of(std::string_view bytes) {
  cli::Words words;
  while (!bytes.empty() && words.size() < kMostWords) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    words.push_back(with_small_numbers(bytes.substr(0, std::min(end, kLongestWord))));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return words;
}

/// True if the words hold this option, with or without a value behind an equals sign.
bool has_option(const cli::Words& words, const std::string& option) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  });
}

bool leaves_folder(const std::string& word) {
  return word.find('/') != std::string::npos || word.find("..") == 0;
}

/// A product without sizes is one of 1000 x 1000 x 1000: true unless some word is a size.
bool lacks_sizes(const cli::Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool number = !words[i].empty() && words[i].front() >= '0' && words[i].front() <= '9';
    if (number && !words[i - 1].starts_with('-')) return false;
  }
  return true;
}

/// The words as they may run; empty if they may not.
cli::Words tamed(cli::Words words) {
  if (words.empty()) return {};
  for (const std::string& word : words) {
    if (leaves_folder(word) || names_large_network(word)) return {};
  }
  const std::string command = words.front();
  // The search for schedules takes seconds even for the networks of digits.
  if (command == "run" || command == "conv") {
    if (has_option(words, "digits-mlp") || has_option(words, "digits-cnn")) return {};
    if (!has_option(words, "--optimize")) words.insert(words.end(), {"--optimize", "0"});
  }
  const bool sized = command == "matmul" || command == "explain" || command == "compile";
  if (sized && lacks_sizes(words) && !has_option(words, "--help")) return {};
  if (command == "sweep" && !has_option(words, "--report")) words.emplace_back("--dry-run");
  if (command == "train") {
    if (has_option(words, "--epochs") || has_option(words, "sim")) return {};
    words.insert(words.end(), {"--epochs", "0"});
  }
  if (command == "compare") {
    const bool measures = std::ranges::any_of(words, [](const std::string& word) {
      return word.find("cpu") != std::string::npos || word.find("cuda") != std::string::npos;
    });
    const bool results = has_option(words, "matmul") || has_option(words, "n.onnx");
    if (measures || (results && !has_option(words, "--with"))) return {};
  }
  return words;
}

}  // namespace

bool command_line(std::string_view bytes) {
  const cli::Words words = tamed(words_of(bytes));
  if (words.empty()) return false;
  static Folder folder;
  std::ostringstream out;
  std::ostringstream err;
  const report::Streams streams{out, err, report::Style(false), false};
  bool done = false;
  try {
    cli::run_command(words, streams);
    done = true;
  } catch (const Error&) {
    // weft's main() shows it, control characters replaced.
  } catch (const boost::program_options::error&) {
  } catch (const std::bad_alloc&) {
  }
  folder.restore();
  return done;
}

}  // namespace weft::fuzz
