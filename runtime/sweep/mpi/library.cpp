// The only symbol that mpi.so exports.
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>
#include <optional>

#include "runtime/sweep/mpi/ranks.h"

namespace weft::sweep {
namespace {

namespace mpi = boost::mpi;

constexpr int kTag = 1;

std::optional<mpi::environment> environment;

void begin(bool aborts) {
  environment.emplace(mpi::threading::funneled, aborts);
}

int rank() {
  return mpi::communicator().rank();
}

int count() {
  return mpi::communicator().size();
}

void send(int to, std::string_view bytes) {
  // Boost.MPI binds a reference to the first byte, even of a message without bytes.
  const char none = 0;
  mpi::communicator().send(to, kTag, bytes.empty() ? &none : bytes.data(),
                           static_cast<int>(bytes.size()));
}

std::optional<RankMessage> receive() {
  const mpi::communicator world;
  const auto status = world.iprobe(mpi::any_source, kTag);
  if (!status) return std::nullopt;
  RankMessage message{status->source(),
                      std::string(static_cast<std::size_t>(*status->count<char>()), '\0')};
  world.recv(message.from, kTag, message.bytes.data(), static_cast<int>(message.bytes.size()));
  return message;
}

std::vector<std::string> gather(const std::string& own) {
  std::vector<std::string> all;
  mpi::all_gather(mpi::communicator(), own, all);
  return all;
}

void end() {
  environment.reset();
}

}  // namespace
}  // namespace weft::sweep

// NOLINTNEXTLINE(readability-identifier-naming): a symbol of C
extern "C" __attribute__((visibility("default"))) const weft::sweep::Ranks weft_sweep_ranks = {
    WEFT_MPI_INTERFACE, weft::sweep::begin,   weft::sweep::rank,   weft::sweep::count,
    weft::sweep::send,  weft::sweep::receive, weft::sweep::gather, weft::sweep::end};
