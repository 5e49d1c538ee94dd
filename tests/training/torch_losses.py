"""The losses of the first steps of digits-mlp in PyTorch, one a line.

    /usr/bin/python3 tests/training/torch_losses.py FOLDER      (Debian: python3-torch)

FOLDER holds float32 numbers in the machine's byte order, as torch_test.cpp writes them: the
parameters fc1.weight [32,64], fc1.bias, fc2.weight [10,32] and fc2.bias, images [steps,32,64] and
targets [steps,32,10], one-hot.
"""
import sys

import numpy
import torch

BATCH, INPUTS, HIDDEN, CLASSES = 32, 64, 32, 10


def read(name, *shape):
    numbers = numpy.fromfile(f"{sys.argv[1]}/{name}.bin", dtype=numpy.float32)
    return torch.from_numpy(numbers.reshape(shape))


def main():
    model = torch.nn.Sequential(
        torch.nn.Linear(INPUTS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, CLASSES))
    with torch.no_grad():
        model[0].weight.copy_(read("fc1.weight", HIDDEN, INPUTS))
        model[0].bias.copy_(read("fc1.bias", HIDDEN))
        model[2].weight.copy_(read("fc2.weight", CLASSES, HIDDEN))
        model[2].bias.copy_(read("fc2.bias", CLASSES))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for images, targets in zip(read("images", -1, BATCH, INPUTS),
                               read("targets", -1, BATCH, CLASSES)):
        loss = torch.nn.functional.cross_entropy(model(images), targets.argmax(dim=1))
        print(f"{loss.item():.9g}")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
