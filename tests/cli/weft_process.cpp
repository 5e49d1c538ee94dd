#include "tests/cli/weft_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;

int wait_for(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string command() {
  const char* other = std::getenv("WEFT_TEST_COMMAND");
  return other == nullptr ? WEFT_BINARY : other;
}

Finished run_weft(const std::vector<std::string>& arguments, const char* out_file) {
  const TemporaryFolder folder;
  const std::string out = out_file == nullptr ? folder.file("out") : out_file;
  const std::string err = folder.file("err");
  std::vector<std::string> words = {command()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kWrite, 0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kWrite, 0600);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv.front(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words.front());

  Finished finished;
  finished.code = wait_for(child);
  if (out_file == nullptr) finished.out = folder.read("out");
  finished.err = folder.read("err");
  return finished;
}

}  // namespace weft::test
