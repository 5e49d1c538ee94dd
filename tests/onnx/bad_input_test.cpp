// Every unusable model must give a one-line error that names the file, the place and the problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::DataType;
using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;
using testing_support::set_tensor;
using testing_support::TemporaryFolder;

using Ints = std::vector<std::int64_t>;

std::string error_of_model(const Model& model, const ImportOptions& options = {}) {
  return error_of([&] { model.import(options); });
}

/// Output y is one node applied to x [1, 1, 4, 4] with weights w [1, 1, 3, 3].
Model image_model(const std::string& op, const std::function<void(::onnx::NodeProto&)>& change) {
  Model model;
  model.input("x", {1, 1, 4, 4}).output("y");
  TensorProto& weights = model.initializer("w", TensorProto::FLOAT, {1, 1, 3, 3});
  for (int i = 0; i < 9; ++i) weights.add_float_data(1.0F);
  auto& node = op == "Conv" ? model.node(op, {"x", "w"}, {"y"}) : model.node(op, {"x"}, {"y"});
  node.set_name("n");
  change(node);
  return model;
}

TEST(BadModelTest, NamesAFileThatIsNotThere) {
  EXPECT_EQ(error_of([] { import_onnx("/nowhere/net.onnx"); }),
            "/nowhere/net.onnx: cannot be opened");
  EXPECT_EQ(error_of([] { import_onnx("/"); }), "/: is a folder, not a file");
}

TEST(BadModelTest, RefusesAPipeInsteadOfWaitingForIt) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path() / "pipe.onnx";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { import_onnx(pipe); }),
              HasSubstr("pipe.onnx: is a pipe or a device, not a file"));
}

TEST(BadModelTest, RefusesBytesThatAreNoModel) {
  for (const char* text : {"this is no protobuf", "\x08", "\x3a\xff\xff\xff\xff\x0f"}) {
    EXPECT_EQ(error_of([&] { testing_support::import_text(text); }),
              "test.onnx: is not an ONNX model, or is broken or cut short");
  }
  EXPECT_THAT(error_of([] { testing_support::import_text(""); }), HasSubstr("holds no network"));
}

TEST(BadModelTest, RefusesEveryTruncation) {
  const Model model = image_model("Conv", [](auto&) {});
  const std::string bytes = model.bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THAT(error_of([&] { testing_support::import_text(bytes.substr(0, length)); }),
                StartsWith("test.onnx: "))
        << length;
  }
}

TEST(BadModelTest, RefusesVersionsThatItDoesNotKnow) {
  Model model;
  model.proto().set_ir_version(2);
  EXPECT_EQ(error_of_model(model),
            "test.onnx: IR version 2 is not supported; export it as 3 to 13");
  model.proto().set_ir_version(14);
  EXPECT_THAT(error_of_model(model), HasSubstr("IR version 14 is not supported"));
  model.proto().set_ir_version(8);
  for (const std::int64_t opset : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 32}) {
    model.proto().mutable_opset_import(0)->set_version(opset);
    EXPECT_EQ(error_of_model(model),
              "test.onnx: opset " + std::to_string(opset) + " does not exist");
  }
  model.proto().add_opset_import()->set_version(13);
  EXPECT_THAT(error_of_model(model), HasSubstr("two opsets"));
  model.proto().clear_opset_import();
  model.input("x", {2});
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'y' (Relu): the file declares no opset for ONNX's own operators");
}

TEST(BadModelTest, NamesTheFirstUnsupportedNodeAndCountsTheOthers) {
  Model model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"a"});
  model.node("If", {"a"}, {"b"}).set_name("branch");
  EXPECT_EQ(error_of_model(model), "test.onnx: node 'branch' (If): the operator is not supported");
  auto& fused = model.node("Gelu", {"b"}, {"c"});
  fused.set_domain("com.microsoft");
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'branch' (If): the operator is not supported; 1 more node cannot be "
            "imported either: com.microsoft::Gelu");
  model.node("Loop", {"c"}, {"y"});
  model.node("Loop", {"c"}, {"z"});
  EXPECT_THAT(error_of_model(model),
              HasSubstr("; 3 more nodes cannot be imported either: Loop, com.microsoft::Gelu"));
}

TEST(BadModelTest, NamesAKnownOperatorOfAnotherDomain) {
  Model model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"y"}).set_domain("my.own");
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'y' (my.own::Relu): the operator is not supported");
}

TEST(BadModelTest, NamesANodeInACycle) {
  Model model;
  model.input("x", {2}).output("d");
  model.node("Abs", {"x"}, {"a"});
  model.node("Neg", {"c"}, {"d"}).set_name("behind");
  model.node("Add", {"a", "c"}, {"b"}).set_name("one");
  model.node("Relu", {"b"}, {"c"}).set_name("two");
  const std::string error = error_of_model(model);
  EXPECT_THAT(error, HasSubstr("is part of a cycle; its input depends on its output"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("behind")));
}

TEST(BadModelTest, NamesAValueThatNobodyMakesOrTwoMake) {
  Model model;
  model.input("x", {2}).output("y");
  model.node("Add", {"x", "ghost"}, {"y"}).set_name("sum");
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'sum' (Add): no node, input or initializer makes its input 'ghost'");
  model.graph().mutable_node(0)->set_input(1, "x");
  model.node("Relu", {"x"}, {"y"}).set_name("again");
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'again' (Relu): its output 'y' is also made elsewhere");
  model.graph().mutable_node(1)->set_output(0, "x");
  EXPECT_THAT(error_of_model(model), HasSubstr("its output 'x' is also made elsewhere"));
}

TEST(BadModelTest, NamesAnOutputThatNobodyMakes) {
  Model model;
  model.input("x", {2}).output("y");
  EXPECT_EQ(error_of_model(model), "test.onnx: output 'y': no node, input or initializer makes it");
  Model typed;
  typed.input("x", {2}).output("x", TensorProto::INT64);
  EXPECT_EQ(error_of_model(typed),
            "test.onnx: output 'x': its type is float32, the file declares another");
}

TEST(BadModelTest, RefusesADeclaredShapeThatTheOutputHasNot) {
  Model model;
  model.input("x", {2, 3}).output("y");
  model.node("Relu", {"x"}, {"y"});
  auto& shape =
      *model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.add_dim()->set_dim_param("N");
  EXPECT_EQ(error_of_model(model), "test.onnx: output 'y': its shape is 2x3, the file declares N");
  shape.add_dim()->set_dim_value(4);
  EXPECT_EQ(error_of_model(model),
            "test.onnx: output 'y': its shape is 2x3, the file declares Nx4");
  shape.mutable_dim(1)->set_dim_value(3);
  EXPECT_NO_THROW(model.import());
}

TEST(BadModelTest, RefusesAModelWithoutOutputs) {
  Model model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"y"});
  model.graph().clear_output();
  EXPECT_THAT(error_of_model(model), StartsWith("test.onnx: declares no output"));
}

TEST(BadModelTest, SaysHowToGiveWhatMustBeKnown) {
  Model model;
  model.input("x", {2, 3}).input("to", {2}, TensorProto::INT64).output("y");
  model.node("Reshape", {"x", "to"}, {"y"});
  EXPECT_THAT(error_of_model(model), HasSubstr("give them with --input NAME=FILE"));
}

TEST(BadModelTest, SaysHowToCloseAnOpenDimension) {
  Model model;
  model.input("data", {"size", 3, "", 224}).output("y");
  model.node("Relu", {"data"}, {"y"});
  EXPECT_EQ(
      error_of_model(model),
      "test.onnx: input 'data': the dimension size of sizex3x?x224 is open; give the shape like "
      "--shape data=1,3,1,224");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_EQ(error_of_model(model),
            "test.onnx: input 'data': its shape is open; give it like --shape data=1,3,224,224");
}

TEST(BadModelTest, RefusesShapesAndValuesThatContradictTheFile) {
  Model model;
  model.input("x", {"N", 3}).input("z", {"N"}).output("y");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(error_of_model(model, {.shapes = {{"x", {1, 4}}}}),
            "test.onnx: input 'x': the shape 1x4 was given, the file has Nx3");
  EXPECT_EQ(error_of_model(model, {.shapes = {{"x", {1, 3, 1}}}}),
            "test.onnx: input 'x': the shape 1x3x1 was given, the file has Nx3");
  EXPECT_EQ(error_of_model(model, {.shapes = {{"x", {1, 3}}, {"z", {2}}}}),
            "test.onnx: input 'z': dimension 'N' is 2 here and 1 in another input");
  EXPECT_THAT(error_of_model(model, {.shapes = {{"x", {-1, 3}}}}), HasSubstr("negative"));
  EXPECT_EQ(error_of_model(model, {.shapes = {{"x", {1, 3}}, {"data", {1}}}}),
            "test.onnx: a shape was given for 'data', but the inputs are: 'x', 'z'");
  EXPECT_EQ(error_of_model(model, {.values = {{"x", Tensor(DataType::kInt64, {1, 3})}}}),
            "test.onnx: input 'x': a value of int64 1x3 was given for an input of float32 1x3");
}

TEST(BadModelTest, RefusesInputsThatAreNoTensorsOfAKnownType) {
  Model model;
  model.input("x", {2}, TensorProto::UINT16);
  EXPECT_EQ(error_of_model(model), "test.onnx: input 'x': element type UINT16 is not supported");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(99);
  EXPECT_EQ(error_of_model(model), "test.onnx: input 'x': element type 99 does not exist");
  model.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(error_of_model(model), "test.onnx: input 'x': only tensors are supported");
}

TEST(BadModelTest, RefusesDimensionsThatOverflow) {
  const std::int64_t huge = std::int64_t{1} << 40;
  Model model;
  model.input("x", {huge, huge});
  EXPECT_THAT(error_of_model(model), HasSubstr("input 'x': shape"));
}

TEST(BadModelTest, RefusesSparseAndRepeatedInitializers) {
  Model model;
  model.floats("w", {1}).floats("w", {2});
  EXPECT_EQ(error_of_model(model),
            "test.onnx: initializer 'w': another constant has the same name");
  Model sparse;
  sparse.graph().add_sparse_initializer()->mutable_values()->set_name("s");
  EXPECT_EQ(error_of_model(sparse),
            "test.onnx: sparse initializer 's': sparse tensors are not supported");
}

TEST(BadModelTest, RefusesConstantNodesItCannotRead) {
  Model model;
  model.output("c");
  set(model.node("Constant", {}, {"c"}), "value_string", std::string("text"));
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'c' (Constant): attribute 'value_string' is not supported");
  Model empty;
  empty.node("Constant", {}, {"c"});
  EXPECT_THAT(error_of_model(empty), HasSubstr("node 'c' (Constant): needs no input, one output"));
  Model broken;
  broken.output("c");
  TensorProto& tensor = set_tensor(broken.node("Constant", {}, {"c"}), "value");
  tensor.set_data_type(TensorProto::FLOAT);
  EXPECT_EQ(error_of_model(broken),
            "test.onnx: node 'c' (Constant): float32 scalar needs 1 elements, the file has 0");
}

TEST(BadModelTest, NamesTheNodeOfAWrongAttribute) {
  const auto error = [](const std::string& op, const std::function<void(::onnx::NodeProto&)>& f) {
    return error_of_model(image_model(op, f));
  };
  const std::string where = "test.onnx: node 'n' (Conv): ";
  EXPECT_THAT(error("Conv", [](auto& n) { set(n, "pads", Ints{-1, 0, 0, 0}); }), StartsWith(where));
  EXPECT_THAT(error("Conv", [](auto& n) { set(n, "strides", Ints{0, 1}); }), StartsWith(where));
  EXPECT_THAT(error("Conv", [](auto& n) { set(n, "dilations", Ints{1, 9}); }), StartsWith(where));
  EXPECT_THAT(error("Conv", [](auto& n) { set(n, "group", std::int64_t{0}); }), StartsWith(where));
  EXPECT_THAT(error("Conv", [](auto& n) { set(n, "pads", 1.0F); }), StartsWith(where));
  EXPECT_THAT(error("Conv",
                    [](auto& n) {
                      const std::int64_t most = std::numeric_limits<std::int64_t>::max();
                      set(n, "pads", Ints{most, most, most, most});
                    }),
              StartsWith(where));
  EXPECT_EQ(error("Conv", [](auto& n) { set(n, "colour", std::int64_t{1}); }),
            where + "has no attribute 'colour'");
  EXPECT_EQ(error("Conv",
                  [](auto& n) {
                    set(n, "group", std::int64_t{1});
                    set(n, "group", std::int64_t{1});
                  }),
            where + "attribute 'group': is given twice");
  EXPECT_THAT(error("MaxPool",
                    [](auto& n) {
                      set(n, "kernel_shape", Ints{0, 2});
                    }),
              StartsWith("test.onnx: node 'n' (MaxPool): "));
  EXPECT_THAT(error("Transpose",
                    [](auto& n) {
                      set(n, "perm", Ints{0, 0, 1, 2});
                    }),
              StartsWith("test.onnx: node 'n' (Transpose): "));
}

TEST(BadModelTest, RefusesAttributesOfKindsThatGraphsHaveNot) {
  const std::string where = "test.onnx: node 'n' (Conv): attribute 'group': ";
  const auto error = [](::onnx::AttributeProto::AttributeType type) {
    return error_of_model(image_model("Conv", [&](auto& node) {
      auto& attribute = *node.add_attribute();
      attribute.set_name("group");
      attribute.set_type(type);
    }));
  };
  EXPECT_EQ(error(::onnx::AttributeProto::GRAPH), where + "kind GRAPH is not supported");
  EXPECT_EQ(error(::onnx::AttributeProto::UNDEFINED), where + "kind UNDEFINED is not supported");
  EXPECT_THAT(error_of_model(image_model("Conv",
                                         [](auto& node) {
                                           set(node, "group", std::int64_t{1});
                                           node.mutable_attribute(0)->set_ref_attr_name("g");
                                         })),
              StartsWith(where + "refers to a function's attribute"));
}

TEST(BadModelTest, RefusesWeftsOwnExtensions) {
  EXPECT_EQ(error_of_model(image_model(
                "Conv", [](auto& node) { set(node, "activation", std::string("Relu")); })),
            "test.onnx: node 'n' (Conv): has no attribute 'activation'");
  Model model;
  model.input("a", {2, 2}).input("b", {2}).output("y");
  model.node("MatMul", {"a", "a", "b"}, {"y"});
  EXPECT_EQ(error_of_model(model), "test.onnx: node 'y' (MatMul): takes at most 2 inputs, not 3");
}

TEST(BadModelTest, KeepsControlCharactersOutOfItsMessages) {
  Model model;
  model.input("x", {2}).output("y");
  model.node("Re\nlu", {"x"}, {"y"}).set_name("a\nb\x1b[31m");
  EXPECT_EQ(error_of_model(model),
            "test.onnx: node 'a\\x0ab\\x1b[31m' (Re\\x0alu): the operator is not supported");
  Model known;
  known.input("x", {2}).input("z", {3}).output("y");
  known.node("Add", {"x", "z"}, {"y"}).set_name("a\nb\x1b[31m");
  const std::string error = error_of_model(known);
  EXPECT_EQ(error.find_first_of("\n\x1b"), std::string::npos) << error;
}

}  // namespace
}  // namespace weft::onnx_io
