"""Raises an export to the forms that current exporters write, with a later opset and IR version.

PyTorch 1.13 writes opset 17 at most. Its successors write 18 to 21, and other nodes for the same
network. This script rewrites a file in these forms; the network stays the same, so inputs and
outputs keep their values. It needs the package onnx, whose version does not matter.

    from opset 18   ReduceMean and the like: `axes` as an input; Split: `num_outputs`
    from opset 20   Gelu for its five nodes
    from opset 21   GroupNormalization for its five nodes
    any             LayerNormalization for its nine nodes, Reciprocal for 1 / x; attention that
                    scales queries and keys, not scores, and turns NaN into 0 after a masked
                    softmax; constants as initializers, numbered names, Reshape with `allowzero`
    bf16            weights of type bfloat16, each followed by a Cast
"""
import numpy
import onnx
from onnx import helper, numpy_helper

# name: opset, IR version, whether weights become bf16
FORMS = {"convnext": (20, 10, False), "whisper": (20, 10, False), "llama": (21, 11, True),
         "yolo": (18, 8, False), "vit": (19, 9, False), "bert": (18, 10, False),
         "unet": (21, 10, False)}
REDUCTIONS = ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2")


class Model:
    """A model with maps from values to the nodes that write and read them."""

    def __init__(self, path):
        self.proto = onnx.load(path)
        self.graph = self.proto.graph
        self.constants = {value.name: numpy_helper.to_array(value)
                          for value in self.graph.initializer}
        self.weights = set(self.constants)
        self.nodes = []
        for node in self.graph.node:
            if node.op_type == "Constant":
                self.constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
            else:
                self.nodes.append(node)

    def writer(self, value):
        return next((node for node in self.nodes if value in node.output), None)

    def readers(self, value):
        return [node for node in self.nodes if value in node.input]

    def constant(self, array):
        name = f"constant_{len(self.constants)}"
        self.constants[name] = numpy.asarray(array)
        return name

    def scalar(self, value):
        """The number behind a constant of one element; None for any other value."""
        array = self.constants.get(value)
        return float(array.reshape(())) if array is not None and array.size == 1 else None

    def replace(self, old, *nodes):
        """Puts `nodes` where the last of `old` stood."""
        at = self.nodes.index(old[-1])
        self.nodes[at:at + 1] = nodes
        for each in old[:-1]:
            self.nodes.remove(each)


def attribute(node, name, default=None):
    found = [each for each in node.attribute if each.name == name]
    return helper.get_attribute_value(found[0]) if found else default


def remove_attribute(node, name):
    kept = [each for each in node.attribute if each.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)


def other_input(node, value):
    return next(each for each in node.input if each != value)


def chain(model, start, ops):
    """Nodes with these operators that follow `start`, each the only reader of the one before."""
    nodes = [start]
    for op in ops:
        readers = model.readers(nodes[-1].output[0])
        if len(readers) != 1 or readers[0].op_type != op:
            return None
        nodes.append(readers[0])
    return nodes


def raise_reductions(model):
    for node in model.nodes:
        if node.op_type in REDUCTIONS and attribute(node, "axes") is not None:
            axes = model.constant(numpy.array(attribute(node, "axes"), dtype="i8"))
            remove_attribute(node, "axes")
            node.input.append(axes)


def raise_splits(model):
    for node in model.nodes:
        sizes = model.constants.get(node.input[1]) if node.op_type == "Split" else None
        if sizes is not None and len(set(sizes.tolist())) == 1:
            del node.input[1]
            node.attribute.append(helper.make_attribute("num_outputs", len(node.output)))


def raise_gelu(model, opset):
    """x / sqrt(2), Erf, + 1, * x, * 0.5: one node, or first * 0.5 and then * x"""
    for start in [node for node in model.nodes if node.op_type == "Div"]:
        nodes = chain(model, start, ["Erf", "Add", "Mul", "Mul"])
        if nodes is None or abs((model.scalar(start.input[1]) or 0) - 2 ** 0.5) > 1e-6:
            continue
        x, y, half = start.input[0], nodes[4].output[0], nodes[4].input[1]
        assert model.scalar(other_input(nodes[2], nodes[1].output[0])) == 1
        assert x in nodes[3].input and model.scalar(half) == 0.5
        if opset >= 20:
            model.replace(nodes, helper.make_node("Gelu", [x], [y]))
        else:
            model.replace(nodes[3:],
                          helper.make_node("Mul", [half, nodes[2].output[0]], [y + "_half"]),
                          helper.make_node("Mul", [x, y + "_half"], [y]))


def raise_attention(model):
    """Scores are products of scaled operands; masked rows that become NaN become 0."""
    for softmax in [node for node in model.nodes if node.op_type == "Softmax"]:
        y, scores = softmax.output[0], model.writer(softmax.input[0])
        if scores.op_type != "Add":
            continue
        softmax.output[0] = y + "_raw"
        zero = model.constant(numpy.zeros((), dtype="f4"))
        model.replace([softmax], softmax,
                      helper.make_node("IsNaN", [y + "_raw"], [y + "_nan"]),
                      helper.make_node("Where", [y + "_nan", zero, y + "_raw"], [y]))
    for product in [node for node in model.nodes if node.op_type == "MatMul"]:
        nodes = chain(model, product, ["Div"])
        divisor = model.scalar(nodes[1].input[1]) if nodes else None
        if divisor is None or divisor <= 0:
            continue
        root = model.constant(numpy.array(divisor ** -0.5, dtype="f4"))
        y = nodes[1].output[0]
        scaled = [helper.make_node("Mul", [operand, root], [f"{y}_{i}"])
                  for i, operand in enumerate(product.input)]
        model.replace(nodes, *scaled, helper.make_node("MatMul", [f"{y}_0", f"{y}_1"], [y]))


def raise_layer_normalization(model):
    """(x - mean) / sqrt(mean of its square + epsilon) * scale + bias, over the last axis"""
    for center in [node for node in model.nodes if node.op_type == "Sub"]:
        mean, x = model.writer(center.input[1]), center.input[0]
        readers = model.readers(center.output[0])
        if mean is None or mean.op_type != "ReduceMean" or len(readers) != 2:
            continue
        root = chain(model, readers[0], ["ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"])
        if root is None or readers[0].op_type != "Pow" or attribute(mean, "axes") != [-1]:
            continue
        scale = other_input(root[5], root[4].output[0])
        bias = other_input(root[6], root[5].output[0])
        epsilon = model.scalar(root[2].input[1])
        model.replace([mean, center] + root,
                      helper.make_node("LayerNormalization", [x, scale, bias],
                                       list(root[6].output), axis=-1, epsilon=epsilon))


def raise_reciprocal(model):
    """1 / sqrt(x), as rsqrt was written"""
    for node in [node for node in model.nodes if node.op_type == "Div"]:
        root = model.writer(node.input[1])
        if root is not None and root.op_type == "Sqrt" and model.scalar(node.input[0]) == 1:
            model.replace([node], helper.make_node("Reciprocal", [root.output[0]],
                                                   list(node.output)))


def raise_group_normalization(model):
    """Reshape to groups, InstanceNormalization, Reshape to the old shape, * scale, + bias"""
    for start in [node for node in model.nodes if node.op_type == "Reshape"]:
        nodes = chain(model, start, ["InstanceNormalization", "Reshape", "Mul", "Add"])
        if nodes is None:
            continue
        groups = model.constants[start.input[1]].tolist()[1]
        scale = model.constants[other_input(nodes[3], nodes[2].output[0])]
        bias = model.constants[other_input(nodes[4], nodes[3].output[0])]
        assert (model.constants[nodes[1].input[1]] == 1).all()
        shape = model.writer(nodes[2].input[1])
        inputs = [start.input[0], model.constant(scale.reshape(-1)),
                  model.constant(bias.reshape(-1))]
        model.replace([shape] + nodes,
                      helper.make_node("GroupNormalization", inputs, list(nodes[4].output),
                                       num_groups=groups, epsilon=attribute(nodes[1], "epsilon")))


def allow_zero(model):
    """Current exporters always set `allowzero`, which only matters for shapes with a 0."""
    for node in model.nodes:
        shape = model.constants.get(node.input[1]) if node.op_type == "Reshape" else None
        if shape is not None and 0 not in shape.tolist():
            remove_attribute(node, "allowzero")
            node.attribute.append(helper.make_attribute("allowzero", 1))


def number_names(model):
    """val_0, val_1, ... for computed values, node_OPERATOR_N for nodes."""
    fixed = {value.name for value in list(model.graph.input) + list(model.graph.output)}
    names = {"": ""}
    for number, node in enumerate(model.nodes):
        node.name = f"node_{node.op_type}_{number}"
        for values in (node.input, node.output):
            for i, name in enumerate(values):
                if name not in fixed and name not in model.constants:
                    values[i] = names.setdefault(name, f"val_{len(names)}")


def to_bf16(name, array):
    """The tensor, whose elements must be bf16 numbers already."""
    bits = numpy.ascontiguousarray(array).view("<u4")
    assert not (bits & 0xffff).any(), name
    return helper.make_tensor(name, onnx.TensorProto.BFLOAT16, array.shape,
                              (bits >> 16).astype("<u2").tobytes(), raw=True)


def store_constants(model, bf16):
    """Constants that are read become initializers. Weights of two axes become bf16 on demand."""
    used = {name for node in model.nodes for name in node.input}
    del model.graph.initializer[:]
    casts = []
    for name, array in model.constants.items():
        if name not in used:
            continue
        if not bf16 or name not in model.weights or array.ndim != 2:
            model.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
            continue
        model.graph.initializer.append(to_bf16(name + ".bf16", array))
        casts.append(helper.make_node("Cast", [name + ".bf16"], [name], to=onnx.TensorProto.FLOAT))
    return casts


def drop_unused(model):
    """Nodes whose results nothing reads, as extents that a rewritten node no longer needs."""
    kept = {value.name for value in model.graph.output}
    for node in reversed(model.nodes[:]):
        if kept.isdisjoint(node.output):
            model.nodes.remove(node)
        else:
            kept.update(node.input)


def raise_opset(path, opset, ir_version, bf16, target):
    model = Model(path)
    raise_layer_normalization(model)
    raise_reciprocal(model)
    raise_reductions(model)
    raise_splits(model)
    raise_gelu(model, opset)
    raise_attention(model)
    if opset >= 21:
        raise_group_normalization(model)
    allow_zero(model)
    drop_unused(model)
    number_names(model)
    nodes = store_constants(model, bf16) + model.nodes
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.graph.value_info[:]
    model.proto.ir_version = ir_version
    model.proto.opset_import[0].version = opset
    onnx.save(model.proto, target)


def raise_folder(folder):
    """Writes FOLDER/NAME/opsetN.onnx for each form of a network that was exported there."""
    for name, (opset, ir_version, bf16) in FORMS.items():
        path = folder / name / "model.onnx"
        if path.exists():
            raise_opset(str(path), opset, ir_version, bf16,
                        str(folder / name / f"opset{opset}.onnx"))
