// A product, compiled as a network of one layer.
#pragma once

#include <string_view>

#include "compiler/mapping/tiling_plan.h"
#include "runtime/workload/memory_check.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// The plan that runtime::schedule() chooses for the product, without its program. Throws
/// InputError, ConfigError as matmul_plans() does.
TilingPlan scheduled_plan(const MatmulSpec& spec, const MachineConfig& config);

struct CompiledProduct {
  TilingPlan plan;
  Program program;
};

/// Compiles the product with runtime::compile(). Throws InputError before it takes the memory if
/// the program, or the program and the product's matrices, do not fit this computer; ConfigError as
/// matmul_plans() does.
CompiledProduct compile_product(const MatmulSpec& spec, const MachineConfig& config,
                                std::string_view advice = kValuesAdvice);

}  // namespace weft::runtime
