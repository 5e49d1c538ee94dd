// Verilated units as functions of Units. Model is the class that Verilator generates for a module.
#pragma once

#include <verilated.h>

#include <memory>

#include "tests/rtl/mutants/units.h"

namespace weft::testing {

template <class Model>
struct Simulation {
  // Verilator takes a model's scopes from the thread's last context, which may be destroyed.
  ~Simulation() { Verilated::threadContextp(&context); }

  VerilatedContext context;
  Model model{&context};
};

template <class Model>
auto fma_of() {
  return [sim = std::make_shared<Simulation<Model>>()](std::uint32_t a, std::uint32_t b,
                                                       std::uint32_t c) {
    Model& model = sim->model;
    model.a_i = a;
    model.b_i = b;
    model.c_i = c;
    model.eval();
    return std::uint32_t{model.result_o};
  };
}

template <class Model>
auto widen_of() {
  return [sim = std::make_shared<Simulation<Model>>()](std::uint16_t element) {
    sim->model.element_i = element;
    sim->model.eval();
    return std::uint32_t{sim->model.binary32_o};
  };
}

template <class Model>
void clock(Model& model) {
  model.clk_i = 1;
  model.eval();
  model.clk_i = 0;
  model.eval();
}

template <class Model>
auto pe_int8_of() {
  auto sim = std::make_shared<Simulation<Model>>();
  for (const bool released : {true, false, true}) {  // a reset is a falling edge
    sim->model.rst_ni = released;
    sim->model.eval();
  }
  return [sim](std::uint8_t act, std::uint8_t weight, std::uint32_t psum) {
    Model& model = sim->model;
    model.push_i = 1;
    model.weight_i = weight;
    clock(model);
    model.push_i = 0;
    model.swap_i = 1;
    model.act_i = act;
    model.psum_i = psum;
    clock(model);
    model.swap_i = 0;
    return std::uint32_t{model.psum_o};
  };
}

template <class Model>
auto accumulator_of() {
  return [sim = std::make_shared<Simulation<Model>>()](const AccumulatorInputs& inputs) {
    Model& model = sim->model;
    model.write_i = inputs.write;
    model.accumulate_i = inputs.accumulate;
    model.row_i = inputs.row;
    model.data_i = inputs.data;
    model.read_row_i = inputs.read_row;
    model.eval();
    const AccumulatorOutputs outputs{model.write_data_o, model.read_data_o};
    clock(model);
    return outputs;
  };
}

}  // namespace weft::testing
