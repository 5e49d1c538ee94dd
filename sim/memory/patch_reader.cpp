#include "sim/memory/patch_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/isa/patches.h"

namespace weft {
namespace {

/// Cuts the patches of one load out of its image, line by line.
class PatchReader {
 public:
  PatchReader(const HostMemory& memory, const Load& load, const MachineConfig& config,
              std::span<std::byte> out)
      : memory_(memory),
        load_(load),
        patches_(*load.patches),
        row_bytes_(config.row_bytes()),
        element_bytes_(element_bytes(config.dtype)),
        out_(out) {}

  void run() {
    fill();
    for_each_patch_line(load_, [&](std::uint64_t first, std::uint64_t last) {
      read_line(first, last);
      const std::uint64_t at = first - patches_.offset;
      const std::uint64_t line_of_image = at / patches_.x.limit;
      scatter(line_of_image / patches_.y.limit,
              static_cast<std::int64_t>(line_of_image % patches_.y.limit),
              static_cast<std::int64_t>(at % patches_.x.limit), last - first + 1);
    });
  }

 private:
  /// Writes padding into the lanes of the patch, and zeros into the other lanes.
  void fill() {
    std::ranges::fill(out_, std::byte{0});
    for (std::size_t row = 0; row < load_.rows; ++row) {
      for (std::size_t lane = 0; lane < patches_.lanes; ++lane) {
        std::memcpy(out_.data() + row * row_bytes_ + lane * element_bytes_, &patches_.pad,
                    element_bytes_);
      }
    }
  }

  /// Reads elements first .. last, whole host rows at a time.
  void read_line(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t row_elements = row_bytes_ / element_bytes_;
    const std::uint64_t first_row = first / row_elements;
    const std::uint64_t rows = last / row_elements - first_row + 1;
    line_.resize(rows * row_bytes_);
    memory_.read_rows(load_.host + first_row, line_);
    lead_ = (first - first_row * row_elements) * element_bytes_;
  }

  /// Copies the line's elements, from column `column` on, to all patches and lanes that have them.
  void scatter(std::uint64_t channel, std::int64_t y, std::int64_t column, std::uint64_t count) {
    const PatchAxis& axis = patches_.y;
    const std::int64_t windows = load_.rows / patches_.width;
    for (std::int64_t tap = 0; tap < std::int64_t{axis.taps}; ++tap) {
      const std::int64_t from = y - axis.origin - tap * axis.dilation;
      if (from < 0 || from % axis.step != 0 || from / axis.step >= windows) continue;
      const std::uint64_t element =
          (channel * axis.taps + static_cast<std::uint64_t>(tap)) * patches_.x.taps;
      scatter_taps(element, from / axis.step, column, static_cast<std::int64_t>(count));
    }
  }

  void scatter_taps(std::uint64_t element, std::int64_t window_line, std::int64_t column,
                    std::int64_t count) {
    const PatchAxis& axis = patches_.x;
    for (std::uint64_t tap = 0; tap < axis.taps; ++tap) {
      const std::uint64_t number = element + tap;
      if (number < patches_.first || number - patches_.first >= patches_.lanes) continue;
      const std::size_t lane = number - patches_.first;
      const std::int64_t offset =
          axis.origin + static_cast<std::int64_t>(tap) * axis.dilation - column;
      for (std::int64_t i = 0; i < std::int64_t{patches_.width}; ++i) {
        const std::int64_t at = offset + i * axis.step;
        if (at < 0 || at >= count) continue;
        const auto row = static_cast<std::size_t>(window_line * patches_.width + i);
        std::memcpy(out_.data() + row * row_bytes_ + lane * element_bytes_,
                    line_.data() + lead_ + static_cast<std::size_t>(at) * element_bytes_,
                    element_bytes_);
      }
    }
  }

  const HostMemory& memory_;
  const Load& load_;
  const Patches& patches_;
  const std::size_t row_bytes_;
  const std::size_t element_bytes_;
  std::span<std::byte> out_;
  std::vector<std::byte> line_;
  std::size_t lead_ = 0;  // bytes of line_ before its first needed element
};

}  // namespace

void read_load(const HostMemory& memory, const Load& load, const MachineConfig& config,
               std::span<std::byte> out) {
  if (load.patches) {
    PatchReader(memory, load, config, out).run();
  } else {
    memory.read_rows(load.host, out);
  }
}

}  // namespace weft
