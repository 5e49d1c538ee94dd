"""Exports twelve small networks to ONNX, with inputs and the outputs that PyTorch computes.

    python3 export.py FOLDER [--seed N] [--forms as-exported|all] [NAME ...]

writes for each network FOLDER/NAME/model.onnx and FOLDER/NAME/VALUE.npy for each of its inputs and
outputs. With `--forms all` (needs the package onnx), raise_opset.py also writes forms of later
opsets, FOLDER/NAME/opsetN.onnx. The same versions of PyTorch and NumPy and the same seed give the
same files. `recorded/` comes from PyTorch 1.13.1 (Debian 12) with seed 1.
"""
import argparse
import inspect
import pathlib
import warnings

import numpy
import torch

import attention
import convolution
import detection
import recurrent

# Later versions of PyTorch have a second exporter, which needs further packages.
HAS_DYNAMO = "dynamo" in inspect.signature(torch.onnx.export).parameters
WITHOUT_DYNAMO = {"dynamo": False} if HAS_DYNAMO else {}


def image(height, width):
    return lambda rng: {"image": rng.normal(size=(1, 3, height, width)).astype("f4")}


def masked_image(rng):
    """An image of 28 x 20 in a batch that is padded to 32 x 32."""
    mask = numpy.ones((1, 32, 32), dtype=bool)
    mask[0, :28, :20] = False
    return {"image": rng.normal(size=(1, 3, 32, 32)).astype("f4") * ~mask[:, None], "mask": mask}


def words(rng):
    """Two sentences of 7 and 4 words."""
    mask = numpy.array([[1] * 7, [1] * 4 + [0] * 3])
    kinds = numpy.array([[0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 0, 0, 0]])
    return {"input_ids": rng.randint(1, 60, (2, 7)) * mask, "attention_mask": mask,
            "token_type_ids": kinds}


def cached_words(rng):
    """Three words that continue a text of five."""
    cache = {f"{kind}{layer}": rng.normal(size=(1, 2, 5, 6)).astype("f4")
             for layer in (0, 1) for kind in ("key", "value")}
    return {"input_ids": rng.randint(0, 40, (1, 3)), "position_ids": numpy.array([[5, 6, 7]]),
            **cache}


class Case:
    """`gain` keeps the outputs sensitive to every weight, through many layers and gates."""

    def __init__(self, build, inputs, outputs, opset=17, dynamic=None, gain=1.0):
        self.build, self.inputs, self.outputs = build, inputs, outputs
        self.opset, self.dynamic, self.gain = opset, dynamic, gain


WORDS = {0: "batch", 1: "length"}
CASES = {
    "swin": Case(attention.Swin, image(36, 28), ["logits"]),
    "convnext": Case(convolution.ConvNext, image(32, 32), ["logits"]),
    "detr": Case(detection.Detr, masked_image, ["classes", "boxes"]),
    "whisper": Case(attention.WhisperEncoder,
                    lambda rng: {"mel": rng.normal(size=(1, 16, 40)).astype("f4")}, ["states"]),
    "llama": Case(attention.Llama, cached_words,
                  ["logits", "new_key0", "new_value0", "new_key1", "new_value1"]),
    "yolo": Case(detection.Yolo, image(32, 32), ["detections", "scores"], gain=1.4),
    "vit": Case(attention.Vit, image(16, 16), ["logits"],
                dynamic={"image": {0: "batch"}, "logits": {0: "batch"}}),
    "lstm": Case(recurrent.Lstm, lambda rng: {"tokens": rng.randint(0, 30, (2, 6))},
                 ["tags", "state"], opset=14),
    "bert": Case(attention.Bert, words, ["states", "pooled"], opset=14,
                 dynamic={"input_ids": WORDS, "attention_mask": WORDS, "token_type_ids": WORDS,
                          "states": WORDS, "pooled": {0: "batch"}}),
    "unet": Case(convolution.UNet, image(18, 22), ["mask"]),
    "mobilenet_v3": Case(convolution.MobileNetV3, image(32, 32), ["logits"], opset=13, gain=1.4),
    "efficientnet": Case(convolution.EfficientNet, image(32, 32), ["logits"], gain=1.4),
}


def draw(name, shape, gain, rng):
    """Values that keep the sums of a layer near the size of `gain`, whatever its width."""
    if name.endswith("running_var") or (len(shape) == 1 and "weight" in name):
        return rng.uniform(0.5, 1.5, shape)
    if len(shape) == 1:
        return rng.normal(0, 0.1, shape)
    return rng.normal(0, gain * numpy.prod(shape[1:]) ** -0.5, shape)


def fill(model, gain, rng):
    statistics = [pair for pair in model.named_buffers() if "running" in pair[0]]
    for name, value in list(model.named_parameters()) + statistics:
        value.copy_(torch.from_numpy(draw(name, tuple(value.shape), gain, rng)))
    for part in model.modules():
        if isinstance(part, detection.Distances):
            part.conv.weight.copy_(torch.arange(float(part.steps)).view(1, -1, 1, 1))
        if isinstance(part, attention.Llama):  # as in files with bf16 weights
            for value in part.parameters():
                value.copy_(value.to(torch.bfloat16))


def export(name, folder, seed):
    """Writes model.onnx, inputs and outputs of one network."""
    case = CASES[name]
    rng = numpy.random.RandomState(seed)
    model = case.build().eval()
    fill(model, case.gain, rng)
    inputs = case.inputs(rng)
    tensors = tuple(torch.from_numpy(value) for value in inputs.values())
    folder.mkdir(parents=True, exist_ok=True)
    outputs = model(*tensors)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    torch.onnx.export(model, tensors, str(folder / "model.onnx"), opset_version=case.opset,
                      input_names=list(inputs), output_names=case.outputs,
                      dynamic_axes=case.dynamic, **WITHOUT_DYNAMO)
    values = {**inputs, **{key: value.numpy() for key, value in zip(case.outputs, outputs)}}
    for key, value in values.items():
        numpy.save(folder / f"{key}.npy", numpy.ascontiguousarray(value))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--forms", choices=("as-exported", "all"), default="as-exported")
    parser.add_argument("names", nargs="*", default=list(CASES))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    with torch.no_grad():
        for name in options.names:
            export(name, options.folder / name, options.seed)
    if options.forms == "all":
        import raise_opset
        raise_opset.raise_folder(options.folder)


if __name__ == "__main__":
    main()
