// One processing element: its registers and what one clock edge does to them.
//
//            weight_i, push_i      psum_i
//                  |                 |
//                  v                 v
//             +---------------------------+
//   act_i --> | shadow -> active          | --> act    (one cycle later)
//   swap_i -> |            x  +           | --> swap
//             +---------------------------+
//                  |                 |
//                  v                 v
//             weight_out, push      psum
//
// push_i: weight_out <= weight_shadow; weight_shadow <= weight_i. The tile enters bottom row first,
// and each push moves the earlier weights down. The push itself goes down one row per cycle.
// swap_i (with the first activation row of a tile): weight_active <= weight_shadow, and the product
// of this very cycle uses it. Every output is a register. Source: docs/timing.md.
#pragma once

#include "pe/arithmetic.h"

namespace weft {

template <class Arithmetic>
struct PeInputs {
  typename Arithmetic::Operand act{};
  typename Arithmetic::Operand weight{};
  typename Arithmetic::Psum psum{};
  bool push = false;
  bool swap = false;
};

template <class Arithmetic>
struct PeRegisters {
  typename Arithmetic::Operand act{};
  typename Arithmetic::Operand weight_active{};
  typename Arithmetic::Operand weight_shadow{};
  typename Arithmetic::Operand weight_out{};
  typename Arithmetic::Psum psum{};
  bool push = false;
  bool swap = false;

  friend bool operator==(const PeRegisters&, const PeRegisters&) = default;
};

/// The registers after one clock edge with inputs `in`.
template <class Arithmetic>
PeRegisters<Arithmetic> clock_edge(const PeRegisters<Arithmetic>& q,
                                   const PeInputs<Arithmetic>& in) {
  PeRegisters<Arithmetic> d = q;
  d.act = in.act;
  d.swap = in.swap;
  d.push = in.push;
  d.weight_active = in.swap ? q.weight_shadow : q.weight_active;
  d.psum = Arithmetic::mac(in.act, d.weight_active, in.psum);
  if (in.push) {
    d.weight_out = q.weight_shadow;
    d.weight_shadow = in.weight;
  }
  return d;
}

}  // namespace weft
