// Checkpoints: what is accepted can be written and read again. The fingerprint would refuse almost
// every input, so bytes that begin like a checkpoint get the one that suits them first.
#include "models/training/checkpoint.h"

#include <cstring>

#include "models/data/fingerprint.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

constexpr std::size_t kFingerprintAt = 12;  // behind the name and the version
constexpr std::size_t kRestAt = kFingerprintAt + sizeof(std::uint64_t);

std::string with_fingerprint(std::string_view bytes) {
  std::string file(bytes);
  if (file.size() < kRestAt) return file;
  data::Fingerprint sum;
  sum.add(std::string_view(file).substr(kRestAt));
  const std::uint64_t value = sum.value();
  std::memcpy(file.data() + kFingerprintAt, &value, sizeof(value));
  return file;
}

}  // namespace

bool checkpoint(std::string_view bytes) {
  accepts([&] { training::decode_checkpoint(bytes, "fuzz"); });
  const std::string file = with_fingerprint(bytes);
  return accepts([&] {
    const training::Checkpoint read = training::decode_checkpoint(file, "fuzz");
    const std::string written = training::encode_checkpoint(read);
    require(training::encode_checkpoint(training::decode_checkpoint(written, "written")) == written,
            "a written checkpoint is read as it was");
  });
}

}  // namespace weft::fuzz
