#!/usr/bin/env python3
"""Measures matrix products and convolutions by PyTorch, for weft compare --measured.

It needs Python 3.8 and PyTorch alone, so copy it to the computer with the GPU:

    python3 measure_gpu.py 4096x4096x4096 64x25088x4096 --dtype fp16 --csv gpu.csv
    python3 measure_gpu.py --from resnet50.json --dtype fp16 --csv gpu.csv

A size is MxKxN, or COUNT*MxKxN for COUNT products in one call. The file of --from is what
"weft compare resnet50.onnx --with tpu-v2 --json resnet50.json" writes: each convolution runs as a
convolution, each other layer as its product. Without CUDA, this computer's processor is measured.

Each work runs once to warm up, then in groups of runs that take 10 ms or more; the median over
the groups counts. Operands lie on the device, and small ones stay in its caches. On a GPU, CUDA
events time the groups, so the time of a small product is that of starting its kernel. With
--graph the device starts the kernels of a group by itself; then the processor's time for each
start does not count.
"""
import argparse
import csv
import json
import math
import os
import re
import statistics
import sys
import tempfile
import time

LARGEST_SIZE = 2 ** 40
GROUP_SECONDS = 0.01


class InputError(Exception):
    """What the user gave is wrong."""


class Work:
    """One product or convolution."""

    def __init__(self, name, shape, conv=None):
        self.name = name
        self.shape = shape  # (count, m, k, n)
        self.conv = conv

    def key(self):
        """Equal for equal work."""
        return json.dumps([self.shape, self.conv], sort_keys=True)

    def shape_text(self):
        count, m, k, n = self.shape
        text = "%dx%dx%d" % (m, k, n)
        return text if count == 1 else "%d*%s" % (count, text)


def parse_shape(text):
    match = re.fullmatch(r"(?:([0-9]{1,13})\*)?([0-9]{1,13})x([0-9]{1,13})x([0-9]{1,13})", str(text))
    sizes = tuple(int(size or 1) for size in match.groups()) if match else ()
    if not sizes or not all(1 <= size <= LARGEST_SIZE for size in sizes):
        raise InputError("%r is no size; write MxKxN, or COUNT*MxKxN" % (text,))
    return sizes


def read_products(file):
    """The products that weft compare --json lists, each as Work."""
    try:
        with open(file, encoding="utf-8") as text:
            products = json.load(text)["workload"]["products"]
        return [Work(each["name"], parse_shape(each["shape"]), each.get("conv"))
                for each in products]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("%s: no --json report of weft compare on a network: %s" % (file, error))


def device_name(torch, device):
    if device == "cuda":
        return torch.cuda.get_device_name(0)
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return "%s (%d threads)" % (line.split(":", 1)[1].strip(),
                                                torch.get_num_threads())
    except OSError:
        pass
    return "processor (%d threads)" % torch.get_num_threads()


def torch_type(torch, dtype, device):
    if dtype == "tf32" and device != "cuda":
        raise InputError("--dtype tf32: is a type of GPUs; write fp32")
    if dtype == "int8" and not hasattr(torch, "_int_mm"):
        raise InputError("--dtype int8: needs PyTorch 2")
    if device == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        torch.backends.cudnn.allow_tf32 = dtype == "tf32"
        torch.backends.cudnn.benchmark = True
    return {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16,
            "bf16": torch.bfloat16, "int8": torch.int8}[dtype]


def operand(torch, shape, kind, device):
    if kind == torch.int8:
        return torch.randint(-128, 128, shape, dtype=kind, device=device)
    return torch.rand(shape, dtype=torch.float32, device=device).mul_(2).sub_(1).to(kind)


def product_call(torch, work, kind, device):
    count, m, k, n = work.shape
    if count == 1:
        a = operand(torch, (m, k), kind, device)
        b = operand(torch, (k, n), kind, device)
        if kind == torch.int8:
            return lambda: torch._int_mm(a, b)
        return lambda: torch.mm(a, b)
    if kind == torch.int8:
        raise InputError("%s: int8 has no products in batches" % work.shape_text())
    a = operand(torch, (count, m, k), kind, device)
    b = operand(torch, (count, k, n), kind, device)
    return lambda: torch.bmm(a, b)


def conv_call(torch, work, kind, device):
    """Padding that differs at both ends is added before the time begins."""
    conv = work.conv
    dimensions = len(conv["input"]) - 2
    functions = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d,
                 3: torch.nn.functional.conv3d}
    if dimensions not in functions or kind == torch.int8:
        return product_call(torch, work, kind, device)
    x = operand(torch, tuple(conv["input"]), kind, device)
    w = operand(torch, tuple(conv["weights"]), kind, device)
    begins, ends = conv["pads"][:dimensions], conv["pads"][dimensions:]
    padding = tuple(begins)
    if begins != ends:
        both = [pad for pair in reversed(list(zip(begins, ends))) for pad in pair]
        x = torch.nn.functional.pad(x, both)
        padding = (0,) * dimensions
    run = functions[dimensions]
    return lambda: run(x, w, None, tuple(conv["strides"]), padding, tuple(conv["dilations"]),
                       conv["groups"])


class CudaClock:
    def __init__(self, torch):
        self.torch = torch

    def seconds(self, call, runs):
        begin = self.torch.cuda.Event(enable_timing=True)
        end = self.torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(runs):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def group(self, call, runs):
        """A function that takes the time of `runs` calls in a row."""
        return lambda: self.seconds(call, runs)


class GraphClock(CudaClock):
    """The calls of a group are captured in a CUDA graph, which the device starts as a whole."""

    MOST_RUNS = 1000  # in a graph

    def group(self, call, runs):
        graph = self.torch.cuda.CUDAGraph()
        captured = min(runs, self.MOST_RUNS)
        with self.torch.cuda.graph(graph):
            for _ in range(captured):
                call()
        replays = math.ceil(runs / captured)
        self.seconds(graph.replay, 1)
        return lambda: self.seconds(graph.replay, replays) * runs / (replays * captured)


class ProcessorClock:
    def seconds(self, call, runs):
        begin = time.perf_counter()
        for _ in range(runs):
            call()
        return time.perf_counter() - begin

    def group(self, call, runs):
        return lambda: self.seconds(call, runs)


def measure(call, clock, groups):
    """The median seconds of one run, and the number of runs."""
    clock.seconds(call, 1)  # the first run allocates and chooses algorithms
    once = max(min(clock.seconds(call, 1), clock.seconds(call, 1)), 1e-9)
    runs = max(1, min(10000, math.ceil(GROUP_SECONDS / once)))
    group = clock.group(call, runs)
    times = [group() / runs for _ in range(groups)]
    return statistics.median(times), runs * groups


def measure_all(torch, works, args, device):
    """Rows (name, shape, seconds, count); equal work is measured once."""
    kind = torch_type(torch, args.dtype, device)
    clock = (ProcessorClock() if device != "cuda" else GraphClock(torch) if args.graph
             else CudaClock(torch))
    known = {}
    rows = []
    with torch.no_grad():
        for work in works:
            if work.key() not in known:
                make = conv_call if work.conv else product_call
                try:
                    known[work.key()] = measure(make(torch, work, kind, device), clock, args.groups)
                except (RuntimeError, TypeError, KeyError) as error:  # too large, or not supported
                    raise InputError("%s %s: %s" % (work.name, work.shape_text(),
                                                    str(error).splitlines()[0]))
                print("%-12s %s" % ("%.4g s" % known[work.key()][0], work.name or work.shape_text()),
                      file=sys.stderr)
            seconds, count = known[work.key()]
            rows.append((work.name, work.shape_text(), repr(seconds), count))
    return rows


def check_output(option, file):
    """Measuring may take minutes, so a path that cannot be written is refused before."""
    folder = os.path.dirname(file) or "."
    if os.path.isdir(file) or not os.path.basename(file):
        raise InputError("%s %s: is a folder; name a file" % (option, file))
    if not os.path.isdir(folder):
        raise InputError("%s %s: there is no folder %s" % (option, file, folder))
    if os.path.exists(file) and not os.path.isfile(file):
        raise InputError("%s %s: is no regular file" % (option, file))
    writable = os.access(folder, os.W_OK | os.X_OK)
    if not writable or (os.path.exists(file) and not os.access(file, os.W_OK)):
        raise InputError("%s %s: cannot be written" % (option, file))


def check_outputs(args):
    check_output("--csv", args.csv)
    if not args.trace:
        return
    check_output("--trace", args.trace)
    if os.path.realpath(args.csv) == os.path.realpath(args.trace):
        raise InputError("%s: named by both --csv and --trace; choose two files" % args.csv)


def write_whole(file, write):
    """The file appears whole or not at all."""
    try:
        write_beside(file, write)
    except OSError as error:  # whose own name is that of the temporary file
        raise InputError("%s: cannot be written: %s" % (file, error.strerror))


def write_beside(file, write):
    folder = os.path.dirname(os.path.abspath(file))
    descriptor, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
            write(out)
        os.chmod(name, 0o666 & ~current_umask())
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_csv(file, rows, device, dtype, version):
    def write(out):
        out.write("# device: %s\n# dtype: %s\n# by: measure_gpu.py, PyTorch %s\n"
                  % (device.replace("\n", " "), dtype, version))
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(["name", "shape", "seconds", "count"])
        lines.writerows(rows)
    write_whole(file, write)


def write_trace(torch, works, args, device):
    """A trace of PyTorch's profiler with each work once."""
    from torch.profiler import ProfilerActivity, profile
    activities = [ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    kind = torch_type(torch, args.dtype, device)
    calls = [(conv_call if work.conv else product_call)(torch, work, kind, device) for work in works]
    with torch.no_grad(), profile(activities=activities, record_shapes=True) as profiler:
        for call in calls:
            call()
    profiler.export_chrome_trace(args.trace)


def parse_arguments(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", metavar="MxKxN", help="products to measure")
    parser.add_argument("--from", dest="source", metavar="FILE.json",
                        help="the products of a network, from weft compare NETWORK --json")
    parser.add_argument("--dtype", default="fp32", choices=["fp32", "tf32", "fp16", "bf16", "int8"])
    parser.add_argument("--device", choices=["cuda", "cpu"], help="cuda if there is one")
    parser.add_argument("--graph", action="store_true",
                        help="start each group of runs as one CUDA graph")
    parser.add_argument("--groups", type=int, default=20, help="groups of runs, 20 if not given")
    parser.add_argument("--csv", required=True, metavar="FILE", help="write the times")
    parser.add_argument("--trace", metavar="FILE", help="write a profiler trace of one run too")
    args = parser.parse_args(words)
    if not 3 <= args.groups <= 10000:
        raise InputError("--groups: must be from 3 to 10000")
    if bool(args.sizes) == bool(args.source):
        raise InputError("give sizes MxKxN, or --from FILE.json")
    check_outputs(args)
    return args


def main(words):
    try:
        args = parse_arguments(words)
        works = (read_products(args.source) if args.source
                 else [Work("", parse_shape(size)) for size in dict.fromkeys(args.sizes)])
        try:
            import torch
        except ImportError:
            raise InputError("PyTorch is missing; install torch for this Python")
        device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
        if device == "cuda" and not torch.cuda.is_available():
            raise InputError("--device cuda: PyTorch finds no CUDA device")
        if args.graph and device != "cuda":
            raise InputError("--graph: needs a CUDA device")
        rows = measure_all(torch, works, args, device)
        write_csv(args.csv, rows, device_name(torch, device), args.dtype, torch.__version__)
        if args.trace:
            write_trace(torch, works, args, device)
    except (InputError, OSError) as error:
        print("measure_gpu.py: %s" % error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
