#include "runtime/sweep/mpi/ranks.h"

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/loaded_library.h"

namespace weft::sweep {
namespace {

const char* rank_variable() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

}  // namespace

bool is_rank() {
  return rank_variable() != nullptr;
}

bool is_first_rank() {
  const char* rank = rank_variable();
  return rank == nullptr || std::string_view(rank) == "0";
}

const Ranks& ranks() {
  const std::filesystem::path file = library_folder() / "mpi.so";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw ConfigError(
        "mpirun: this weft was built without MPI; run tools/mpi.sh in Weft's sources, then use "
        "their build/release/cli/weft");
  }
  static const Ranks& loaded = load_library<Ranks>(file, "weft_sweep_ranks", WEFT_MPI_INTERFACE);
  return loaded;
}

}  // namespace weft::sweep
