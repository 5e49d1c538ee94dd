// What a sweep needs of MPI. The code that links to MPI is a library that weft loads when mpirun
// has started it: MPI takes 0.1 s to load, and most computers do not have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::sweep {

struct RankMessage {
  int from = 0;
  std::string bytes;
};

/// The functions of the library mpi.so. Only the thread that called begin() may call the others.
struct Ranks {
  std::string interface;
  /// If `aborts`, an exception that ends the session ends the whole job. Without it, this process
  /// must see to it that the others call end() too.
  void (*begin)(bool aborts);
  int (*rank)();   // of this process
  int (*count)();  // of all
  void (*send)(int to, std::string_view bytes);
  /// A message that has come, from any rank; does not wait.
  std::optional<RankMessage> (*receive)();
  /// What each rank gave, by rank. Waits until all ranks have called it.
  std::vector<std::string> (*gather)(const std::string& own);
  /// Waits until all ranks have called it.
  void (*end)();
};

/// True if mpirun, or another launcher of Open MPI, has started this process as one of several.
bool is_rank();
/// True for the one rank that writes.
bool is_first_rank();

/// Loads the library. Throws ConfigError if there is none: Weft was built without MPI.
const Ranks& ranks();

}  // namespace weft::sweep
