// The host's side of a program's tensors and layers, as every way to write a program begins them.
#pragma once

#include <functional>

#include "compiler/layers/layers.h"
#include "compiler/layers/sheet.h"
#include "compiler/program/network_program.h"
#include "sim/memory/matrix.h"

namespace weft::compiler {

/// A tensor whose elements `make` gives. `fixed`: the same in every run.
HostTensor constant_tensor(std::function<Matrix()> make, bool fixed);

/// The tensor of a sheet: an input, a result, or a constant that the compiler generates.
HostTensor sheet_tensor(const Sheet& sheet);

/// The layer's row of the table, without what depends on its mapping.
LayerInfo info_of(const Layer& layer);

}  // namespace weft::compiler
