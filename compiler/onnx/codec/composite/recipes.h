// How each composite is built. composites.cpp has their table; docs/onnx.md lists it.
#pragma once

#include "compiler/onnx/codec/composite/assembly.h"

namespace weft::onnx_io {

// functions.cpp
graph::ValueId compose_gelu(Assembly& node);
graph::ValueId compose_mish(Assembly& node);
graph::ValueId compose_swish(Assembly& node);
graph::ValueId compose_thresholded_relu(Assembly& node);
graph::ValueId compose_softsign(Assembly& node);
graph::ValueId compose_shrink(Assembly& node);
graph::ValueId compose_celu(Assembly& node);
graph::ValueId compose_less_or_equal(Assembly& node);
graph::ValueId compose_greater_or_equal(Assembly& node);
graph::ValueId compose_cast_like(Assembly& node);

// reductions.cpp
graph::ValueId compose_reduce_l1(Assembly& node);
graph::ValueId compose_reduce_l2(Assembly& node);
graph::ValueId compose_reduce_sum_square(Assembly& node);
graph::ValueId compose_reduce_log_sum(Assembly& node);
graph::ValueId compose_reduce_log_sum_exp(Assembly& node);
graph::ValueId compose_reduce_of_truths(Assembly& node);
graph::ValueId compose_hardmax(Assembly& node);

// normalizations.cpp
graph::ValueId compose_group_normalization(Assembly& node);
graph::ValueId compose_rms_normalization(Assembly& node);
graph::ValueId compose_mean_variance_normalization(Assembly& node);

// movements.cpp
graph::ValueId compose_size(Assembly& node);
graph::ValueId compose_depth_to_space(Assembly& node);
graph::ValueId compose_space_to_depth(Assembly& node);
graph::ValueId compose_trilu(Assembly& node);
graph::ValueId compose_wrapping_pad(Assembly& node);
graph::ValueId compose_rotary_embedding(Assembly& node);

// einsum.cpp
graph::ValueId compose_einsum(Assembly& node);

}  // namespace weft::onnx_io
