#include "tests/network/training_graphs.h"

#include <utility>
#include <vector>

namespace weft::network::testing {

using graph::Attributes;
using graph::Builder;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

class TrainingBuilder {
 public:
  explicit TrainingBuilder(Random& random)
      : random_(random), weights_(std::make_shared<Weights>()), builder_("training") {}

  Builder& builder() { return builder_; }

  ValueId input(const std::string& name, const Tensor& tensor) {
    inputs_.insert_or_assign(name, tensor);
    return builder_.input(name, tensor.value_type());
  }
  ValueId learnt(const std::string& name, const Shape& shape, float spread) {
    weights_->insert_or_assign(name, random_.reals(shape, spread));
    const graph::ValueType type = weights_->at(name).value_type();
    return builder_.constant({type, [weights = weights_, name] { return weights->at(name); }},
                             name);
  }
  ValueId number(float value) { return builder_.constant(Tensor::scalar(value)); }
  ValueId list(std::vector<std::int64_t> values) {
    return builder_.constant(Tensor::vector(std::move(values)));
  }
  ValueId transposed(ValueId value) {
    return builder_.add(Op::kTranspose, {value}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  }
  ValueId sum(ValueId value, std::vector<std::int64_t> axes) {
    return builder_.add(Op::kReduceSum, {value, list(std::move(axes))},
                        {{"keepdims", std::int64_t{0}}});
  }
  /// dy where x > 0, else 0.
  ValueId relu_gradient(ValueId x, ValueId dy) {
    const ValueId mask = builder_.add(Op::kGreater, {x, number(0)});
    return builder_.add(Op::kWhere, {mask, dy, number(0)});
  }
  /// (softmax(logits) - targets) / batch
  ValueId loss_gradient(ValueId logits) {
    const Shape shape = builder_.type(logits).shape;
    Tensor targets(graph::DataType::kFloat32, shape);
    for (std::int64_t row = 0; row < shape[0]; ++row) {
      const std::int64_t at = row * shape[1] + random_.between(0, shape[1] - 1);
      targets.mutable_data<float>()[static_cast<std::size_t>(at)] = 1;
    }
    const ValueId difference =
        builder_.add(Op::kSub, {builder_.add(Op::kSoftmax, {logits}), input("targets", targets)});
    return builder_.add(Op::kMul, {difference, number(1 / static_cast<float>(shape[0]))});
  }

  TrainingCase finish() { return {builder_.finish(), weights_, std::move(inputs_)}; }

 private:
  Random& random_;
  std::shared_ptr<Weights> weights_;
  Builder builder_;
  cli::NamedTensors inputs_;
};

}  // namespace

TrainingCase mlp_training(const MlpSizes& sizes, Random& random) {
  TrainingBuilder make(random);
  Builder& b = make.builder();
  const ValueId x = make.input("x", random.reals({sizes.batch, sizes.inputs}, 1));
  const ValueId w1 = make.learnt("w1", {sizes.inputs, sizes.hidden}, 0.5F);
  const ValueId w2 = make.learnt("w2", {sizes.hidden, sizes.classes}, 0.5F);
  const ValueId sum =
      b.add(Op::kAdd, {b.add(Op::kMatMul, {x, w1}), make.learnt("b1", {sizes.hidden}, 0.5F)});
  const ValueId hidden = b.add(Op::kRelu, {sum});
  const ValueId logits =
      b.add(Op::kAdd, {b.add(Op::kMatMul, {hidden, w2}), make.learnt("b2", {sizes.classes}, 0.5F)});
  b.output(logits, "logits");
  const ValueId dlogits = make.loss_gradient(logits);
  b.output(b.add(Op::kMatMul, {make.transposed(hidden), dlogits}), "gradient/w2");
  b.output(make.sum(dlogits, {0}), "gradient/b2");
  const ValueId dhidden = b.add(Op::kMatMul, {dlogits, make.transposed(w2)});
  const ValueId dsum = make.relu_gradient(sum, dhidden);
  b.output(b.add(Op::kMatMul, {make.transposed(x), dsum}), "gradient/w1");
  b.output(make.sum(dsum, {0}), "gradient/b1");
  return make.finish();
}

}  // namespace weft::network::testing
