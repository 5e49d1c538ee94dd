#include "models/networks/digits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "models/counter_random.h"

namespace weft::networks {
namespace {

struct Point {
  float x;
  float y;
};

using Stroke = std::vector<Point>;

// The points of each digit's stroke in writing order, in a square of 100 by 100, x right and y
// down.
constexpr Point kZero[] = {{50, 10}, {68, 16}, {78, 34}, {80, 50}, {78, 66}, {68, 84}, {50, 90},
                           {32, 84}, {22, 66}, {20, 50}, {22, 34}, {32, 16}, {50, 10}};
constexpr Point kOne[] = {{35, 25}, {52, 10}, {52, 90}};
constexpr Point kTwo[] = {{24, 30}, {30, 16}, {46, 10}, {64, 13}, {75, 27},
                          {72, 43}, {56, 60}, {36, 76}, {22, 90}, {80, 90}};
constexpr Point kThree[] = {{25, 18}, {42, 10}, {62, 12}, {73, 26}, {67, 41}, {46, 48},
                            {68, 54}, {78, 70}, {66, 86}, {44, 91}, {23, 82}};
constexpr Point kFour[] = {{64, 90}, {64, 10}, {20, 66}, {82, 66}};
constexpr Point kFive[] = {{76, 10}, {32, 10}, {27, 46}, {48, 40}, {68, 47},
                           {77, 65}, {68, 84}, {46, 91}, {23, 82}};
constexpr Point kSix[] = {{70, 12}, {48, 20}, {30, 40}, {22, 62}, {28, 82}, {48, 91},
                          {69, 84}, {77, 67}, {67, 52}, {46, 50}, {27, 60}};
constexpr Point kSeven[] = {{21, 10}, {79, 10}, {60, 44}, {43, 90}};
constexpr Point kEight[] = {{50, 48}, {31, 38}, {27, 24}, {37, 12}, {50, 10}, {64, 12},
                            {73, 24}, {69, 38}, {50, 48}, {30, 57}, {22, 72}, {32, 87},
                            {50, 91}, {68, 87}, {78, 72}, {70, 57}, {50, 48}};
constexpr Point kNine[] = {{74, 40}, {54, 51}, {34, 47}, {25, 31}, {34, 15},
                           {53, 10}, {71, 18}, {75, 38}, {70, 66}, {52, 91}};
constexpr std::array<std::span<const Point>, kDigitClasses> kStrokes = {
    kZero, kOne, kTwo, kThree, kFour, kFive, kSix, kSeven, kEight, kNine};

/// First random stream of the digits. Streams from 0 on are for a network's weights.
constexpr std::uint64_t kFirstDigitStream = std::uint64_t{1} << 32U;

/// How one image differs from the stroke of its class. Uses draws 0 to 6; the points use later
/// draws.
struct Hand {
  explicit Hand(const CounterRandom& random)
      : width(0.20F + 0.02F * random.symmetric(0)),
        height(0.22F + 0.02F * random.symmetric(1)),
        turn(0.15F * random.symmetric(2)),
        shear(0.20F * random.symmetric(3)),
        center{14.0F + 1.5F * random.symmetric(4), 14.0F + 1.5F * random.symmetric(5)},
        pen(1.1F + 0.35F * random.symmetric(6)) {}
  static constexpr std::uint64_t kFirstPointDraw = 7;
  static constexpr float kPointJitter = 3.0F;  // hundredths of the square

  float width;  // pixels per hundredth of the square
  float height;
  float turn;  // tangent of the angle
  float shear;
  Point center;  // pixels
  float pen;     // half the width of the line, in pixels
};

Stroke write_digit(int digit, const Hand& hand, const CounterRandom& random) {
  const std::span<const Point> points = kStrokes.at(static_cast<std::size_t>(digit));
  Stroke stroke(points.begin(), points.end());
  std::uint64_t draw = Hand::kFirstPointDraw;
  for (Point& point : stroke) {
    const float x = point.x - 50 + Hand::kPointJitter * random.symmetric(draw);
    const float y = point.y - 50 + Hand::kPointJitter * random.symmetric(draw + 1);
    draw += 2;
    const float u = hand.width * (x - hand.shear * y);
    const float v = hand.height * y;
    point = {hand.center.x + u - hand.turn * v, hand.center.y + v + hand.turn * u};
  }
  return stroke;
}

/// Distance from `p` to the nearest point of the line from `a` to `b`.
float distance(Point p, Point a, Point b) {
  const Point along{b.x - a.x, b.y - a.y};
  const float length = along.x * along.x + along.y * along.y;
  const float projected = (p.x - a.x) * along.x + (p.y - a.y) * along.y;
  const float share = length > 0 ? std::clamp(projected / length, 0.0F, 1.0F) : 0.0F;
  const float dx = p.x - a.x - share * along.x;
  const float dy = p.y - a.y - share * along.y;
  return std::sqrt(dx * dx + dy * dy);
}

/// Ink at the pixel whose center is `p`: 1 under the pen, fading over the width of a pixel.
float ink(const Stroke& stroke, float pen, Point p) {
  float nearest = std::numeric_limits<float>::max();
  for (std::size_t i = 1; i < stroke.size(); ++i) {
    nearest = std::min(nearest, distance(p, stroke[i - 1], stroke[i]));
  }
  return std::clamp(pen + 0.5F - nearest, 0.0F, 1.0F);
}

void draw(const Stroke& stroke, float pen, std::span<float> image) {
  constexpr auto kEdge = static_cast<std::size_t>(kDigitSize);
  for (std::size_t y = 0; y < kEdge; ++y) {
    for (std::size_t x = 0; x < kEdge; ++x) {
      const Point center{static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F};
      image[y * kEdge + x] = ink(stroke, pen, center);
    }
  }
}

}  // namespace

Digits draw_digits(std::int64_t count, std::uint64_t seed) {
  constexpr auto kPixels = static_cast<std::size_t>(kDigitSize * kDigitSize);
  Digits digits{graph::Tensor(graph::DataType::kFloat32, {count, 1, kDigitSize, kDigitSize}), {}};
  const std::span<float> pixels = digits.images.mutable_data<float>();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const int label = static_cast<int>(i % kDigitClasses);
    const CounterRandom random(seed, kFirstDigitStream + i);
    const Hand hand(random);
    draw(write_digit(label, hand, random), hand.pen, pixels.subspan(i * kPixels, kPixels));
    digits.labels.push_back(label);
  }
  return digits;
}

}  // namespace weft::networks
