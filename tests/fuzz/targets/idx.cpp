// Files of data sets, plain or compressed: what is accepted has as many values as its extents say.
#include "models/data/idx.h"

#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool idx(std::string_view bytes) {
  const BytesFile file(bytes);
  bool any = false;
  for (const int rank : {1, 3}) {
    any |= accepts([&] {
      const data::IdxArray array = data::read_idx(file.path(), rank);
      std::uint64_t values = 1;
      for (const std::int64_t extent : array.shape) values *= static_cast<std::uint64_t>(extent);
      require(values == array.values.size(), "as many values as the extents say");
    });
  }
  return any;
}

}  // namespace weft::fuzz
