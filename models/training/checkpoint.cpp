#include "models/training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "base/printable.h"
#include "models/data/fingerprint.h"

namespace weft::training {
namespace {

using graph::Tensor;

static_assert(std::endian::native == std::endian::little,
              "numbers are written in native byte order");

constexpr std::string_view kMagic = "WEFTCKPT";
constexpr std::uint64_t kMostExtents = 64;

std::uint64_t fingerprint_of(std::string_view bytes) {
  data::Fingerprint sum;
  sum.add(bytes);
  return sum.value();
}

class CheckpointWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_.append(value);
  }
  void tensor(const Tensor& value) {
    text(to_string(value.type()));
    number<std::uint64_t>(value.shape().size());
    for (const std::int64_t extent : value.shape()) number(extent);
    const auto data = value.bytes();
    bytes_.append(reinterpret_cast<const char*>(data.data()), data.size());
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what CheckpointWriter wrote. Throws InputError if the bytes are damaged.
class CheckpointReader {
 public:
  CheckpointReader(std::string_view bytes, const std::string& file) : left_(bytes), file_(file) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string text() {
    const auto size = number<std::uint64_t>();
    return std::string(take(size));
  }
  /// Number of entries that follow, each of at least `bytes` bytes.
  std::uint64_t count(std::uint64_t bytes) {
    const auto value = number<std::uint64_t>();
    if (value > left_.size() / bytes) fail();
    return value;
  }
  Tensor tensor() {
    const auto type = graph::data_type_from_string(text());
    const auto rank = number<std::uint64_t>();
    if (!type || rank > kMostExtents) fail();
    graph::Shape shape;
    for (std::uint64_t i = 0; i < rank; ++i) shape.push_back(number<std::int64_t>());
    const auto size = static_cast<std::uint64_t>(graph::element_count(shape));
    if (size > left_.size() / graph::size_bytes(*type)) fail();
    Tensor tensor(*type, std::move(shape));
    const std::span<std::byte> out = tensor.mutable_bytes();
    const std::string_view data = take(out.size());
    if (!data.empty()) std::memcpy(out.data(), data.data(), data.size());
    return tensor;
  }
  void check_end() const {
    if (!left_.empty()) fail();
  }

  std::string_view take(std::uint64_t size) {
    if (size > left_.size()) fail();
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::string_view rest() const { return left_; }
  [[noreturn]] void fail() const {
    throw InputError(file_ + ": is damaged; choose an older copy or begin again without --resume");
  }

 private:
  std::string_view left_;
  const std::string& file_;
};

void put(CheckpointWriter& to, const Identity& identity) {
  to.number<std::uint64_t>(identity.size());
  for (const auto& [name, value] : identity) {
    to.text(name);
    to.text(value);
  }
}

Identity get_identity(CheckpointReader& from) {
  Identity identity;
  for (std::uint64_t left = from.count(2 * sizeof(std::uint64_t)); left > 0; --left) {
    std::string name = from.text();
    identity[std::move(name)] = from.text();
  }
  return identity;
}

void put(CheckpointWriter& to, const EpochRecord& record) {
  to.number(record.epoch);
  to.number(record.step);
  for (const double value : {record.train_loss, record.train_accuracy, record.test_loss,
                             record.test_accuracy, record.loss_scale, record.seconds}) {
    to.number(value);
  }
  to.number<std::uint64_t>(record.cycles.size());
  for (const auto& [name, cycles] : record.cycles) {
    to.text(name);
    to.number(cycles);
  }
}

EpochRecord get_record(CheckpointReader& from) {
  EpochRecord record;
  record.epoch = from.number<std::uint64_t>();
  record.step = from.number<std::uint64_t>();
  for (double* value : {&record.train_loss, &record.train_accuracy, &record.test_loss,
                        &record.test_accuracy, &record.loss_scale, &record.seconds}) {
    *value = from.number<double>();
  }
  for (std::uint64_t left = from.count(2 * sizeof(std::uint64_t)); left > 0; --left) {
    std::string name = from.text();
    record.cycles[std::move(name)] = from.number<std::uint64_t>();
  }
  return record;
}

void put(CheckpointWriter& to, const TrainingState& state) {
  for (const std::uint64_t value : {state.epoch, state.position, state.step, state.updates,
                                    state.loss_scale.good_steps, state.loss_scale.skipped}) {
    to.number(value);
  }
  to.number(state.loss_scale.factor);
  to.number(state.epoch_seconds);
  to.number<std::uint64_t>(state.values.size());
  for (const auto& [name, tensor] : state.values) {
    to.text(name);
    to.tensor(tensor);
  }
  to.number<std::uint64_t>(state.log.size());
  for (const EpochRecord& record : state.log) put(to, record);
  to.number<std::uint64_t>(state.step_losses.size());
  for (const double loss : state.step_losses) to.number(loss);
}

TrainingState get_state(CheckpointReader& from) {
  TrainingState state;
  for (std::uint64_t* value : {&state.epoch, &state.position, &state.step, &state.updates,
                               &state.loss_scale.good_steps, &state.loss_scale.skipped}) {
    *value = from.number<std::uint64_t>();
  }
  state.loss_scale.factor = from.number<double>();
  state.epoch_seconds = from.number<double>();
  for (std::uint64_t left = from.count(3 * sizeof(std::uint64_t)); left > 0; --left) {
    std::string name = from.text();
    state.values.insert_or_assign(std::move(name), from.tensor());
  }
  for (std::uint64_t left = from.count(9 * sizeof(std::uint64_t)); left > 0; --left) {
    state.log.push_back(get_record(from));
  }
  for (std::uint64_t left = from.count(sizeof(double)); left > 0; --left) {
    state.step_losses.push_back(from.number<double>());
  }
  return state;
}

void check_version(std::uint32_t version, const std::string& file) {
  if (version == kCheckpointVersion) return;
  throw InputError(fmt::format(
      "{}: is a checkpoint of version {}, this weft reads version {}; use the weft that wrote it",
      file, version, kCheckpointVersion));
}

}  // namespace

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  CheckpointWriter payload;
  put(payload, checkpoint.identity);
  put(payload, checkpoint.state);
  const std::string bytes = payload.take();
  CheckpointWriter head;
  head.number(kCheckpointVersion);
  head.number(fingerprint_of(bytes));
  return std::string(kMagic) + head.take() + bytes;
}

Checkpoint decode_checkpoint(std::string_view bytes, const std::string& file) {
  if (!bytes.starts_with(kMagic)) {
    throw InputError(file + ": is not a Weft checkpoint; choose another folder");
  }
  CheckpointReader reader(bytes.substr(kMagic.size()), file);
  check_version(reader.number<std::uint32_t>(), file);
  const auto fingerprint = reader.number<std::uint64_t>();
  if (fingerprint != fingerprint_of(reader.rest())) reader.fail();
  Checkpoint checkpoint;
  checkpoint.identity = get_identity(reader);
  checkpoint.state = get_state(reader);
  reader.check_end();
  return checkpoint;
}

void check_identity(const Identity& saved, const Identity& wanted, const std::string& file) {
  for (const auto& [name, value] : wanted) {
    const auto found = saved.find(name);
    const std::string was = found == saved.end() ? "something else" : printable(found->second);
    if (found != saved.end() && found->second == value) continue;
    throw InputError(fmt::format("{}: was written with {} {}, this run has {}; {}", file, name, was,
                                 printable(value), "use the same or another --checkpoint"));
  }
}

}  // namespace weft::training
