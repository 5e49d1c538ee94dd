// Takes a batch through several layers group by group (depth first). Each layer is cut into parts,
// one for each group of its images; each sheet between them is cut as well, so that only the rows
// of the images that are under way need room. Parts are layers like any other.
//
//   layer    sizes   parts in order
//   conv1      1     [0]     [1]         [2]     [3]
//   conv2      2         [0 1]               [2 3]
//   fc         4                                  [0 1 2 3]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"

namespace weft::compiler {

/// Images [first, first + count) of a batch.
struct ImageRange {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// The part of a layer for some images.
struct LayerPart {
  std::size_t layer = 0;
  ImageRange images;
  bool cuts_rows = false;  // else it is whole, or has all rows of some products
};

/// The part of a sheet that holds the rows of some images.
struct SheetPart {
  std::size_t sheet = 0;
  std::int64_t first_row = 0;
};

struct GroupedSegment {
  Segment segment;                // of parts
  std::vector<LayerPart> layers;  // what each layer of `segment` is a part of
  std::vector<SheetPart> sheets;  // and each sheet
};

/// Finds which layers can take a batch in parts: the rows of an image must depend on rows of that
/// image alone, or on what comes from the host, and each image must have its own rows of every
/// sheet between layers.
class ImageDivision {
 public:
  /// `segment` must outlive this.
  ImageDivision(const Segment& segment, std::int64_t images);

  std::int64_t images() const { return images_; }
  bool divides(std::size_t layer) const { return cuts_[layer] != Cut::kNone; }
  /// The segment in parts. The group sizes of layers that cannot be divided are the whole batch.
  GroupedSegment in_groups(const ImageGroups& groups) const;

 private:
  /// How a layer is cut: each part has some rows of the walk, or some of the products of a batch or
  /// the parts of a concatenation.
  enum class Cut : std::uint8_t { kNone, kRows, kPieces };

  Cut cut_of(const LayerBody& body) const;
  bool apart(const LayerBody& body, Cut cut) const;
  std::optional<LayerBody> part_of(const LayerBody& body, Cut cut, const ImageRange& images) const;
  std::vector<std::int64_t> units_of(const ImageGroups& groups) const;

  const Segment& segment_;
  const std::int64_t images_;
  std::vector<Cut> cuts_;  // of each layer
};

/// The segment in the parts that `groups` asks for; the segment itself if it asks for none.
GroupedSegment in_groups(const Segment& segment, const ImageGroups& groups);

}  // namespace weft::compiler
