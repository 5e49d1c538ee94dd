// The parts in which a schedule runs the layers of a segment. A layer has a part for each body of
// its form and for each group of images. Parts are layers like any other.
//
// Groups take a batch through several layers (depth first). Each sheet between these is cut as
// well, so that only the rows of the images that are under way need room:
//
//   layer    sizes   parts in order
//   conv1      1     [0]     [1]         [2]     [3]
//   conv2      2         [0 1]               [2 3]
//   fc         4                                  [0 1 2 3]
//
// The lines of an image may be divided as well (compiler/layers/line_bands.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layers/chunks.h"
#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"

namespace weft::compiler {

/// Images [first, first + count) of a batch.
struct ImageRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// What a part of a layer runs.
struct LayerPart {
  std::size_t layer = 0;
  std::size_t body = 0;  // of the layer's form
  bool is_last = true;   // body of the form: it writes the layer's result
  ImageRange images = {};
  PositionRange rows = {};  // of the result's sheet that it writes
  bool cuts_rows = false;   // else it has all rows, perhaps of some products only
  std::int64_t band = 0;    // number of its lines (compiler/layers/line_bands.h)
  std::int64_t bands = 1;

  /// An earlier part is the same for other images or lines.
  bool repeats() const { return images.first > 0 || band > 0; }
};

/// The part of a sheet that holds the rows of some images.
struct SheetPart {
  std::size_t sheet = 0;
  std::int64_t first_row = 0;
  std::int64_t whole_rows = 0;  // of the sheet
  /// The part with whose tensor it lies in host memory. What is_of_host() is one tensor, of the
  /// first part; what comes back to the machine has a tensor for each part.
  std::size_t in_tensor_of = 0;
};

struct PartedSegment {
  Segment segment;                // of parts
  std::vector<LayerPart> layers;  // what each layer of `segment` is a part of
  std::vector<SheetPart> sheets;  // and each sheet
};

/// The segment with the chosen form of each layer (Schedule::forms) and no groups. Forms of several
/// bodies give several layers.
PartedSegment in_forms(const Segment& segment, const std::vector<std::size_t>& forms);

/// Finds which layers can take a batch in parts: the rows of an image must depend on rows of that
/// image alone, or on what comes from the host, and each image must have its own rows of every
/// sheet between layers.
class ImageDivision {
 public:
  ImageDivision(PartedSegment formed, std::int64_t images);

  std::int64_t images() const { return images_; }
  /// False if any body of the layer's form cannot be cut.
  bool divides(std::size_t layer) const;
  /// The first `count` images of a body of the segment, in any form; nullopt if it cannot be
  /// divided.
  std::optional<LayerBody> first_of(const LayerBody& body, std::int64_t count) const;
  /// The segment in groups. Layers that cannot be divided must take the whole batch.
  PartedSegment in_groups(const ImageGroups& groups) const;

 private:
  /// How a layer is cut: each part has some rows of the walk, or some of the products of a batch or
  /// the parts of a concatenation.
  enum class Cut : std::uint8_t { kNone, kRows, kPieces };

  const Segment& segment() const { return formed_.segment; }
  /// True if rows `first` to `last`, both included, belong to the image.
  bool is_of_image(std::size_t sheet, std::int64_t first, std::int64_t last,
                   std::int64_t image) const;
  Cut cut_of(const LayerBody& body) const;
  bool apart(const LayerBody& body, Cut cut) const;
  std::optional<LayerBody> part_of(const LayerBody& body, Cut cut, const ImageRange& images) const;
  std::vector<bool> find_own_rows() const;
  std::vector<std::int64_t> units_of(const ImageGroups& groups) const;
  /// All images share it, and rounds under way at once have a copy each.
  bool is_copied(std::size_t sheet, const ImageGroups& groups) const;

  const PartedSegment formed_;
  const std::int64_t images_;
  std::vector<Cut> cuts_;  // of each layer of `formed_`
  std::vector<bool> own_;  // of each sheet: each image has rows of its own
};

}  // namespace weft::compiler
