# Prints the losses of ten steps of digits-mlp in PyTorch. pytorch_losses_test.cpp writes the folder
# with initial weights and batches, and runs this script if PyTorch is installed:
#
#   python3 pytorch_losses.py FOLDER sgd lr=0.05 momentum=0.9 ...
import array
import sys

import torch


def read(name, kind):
    values = array.array(kind)
    with open(f"{sys.argv[1]}/{name}", "rb") as file:
        values.frombytes(file.read())
    return torch.tensor(values.tolist())


def parameter(name, *shape):
    return read(name, "f").reshape(shape).requires_grad_()


w1, b1 = parameter("fc1.weight", 32, 64), parameter("fc1.bias", 32)
w2, b2 = parameter("fc2.weight", 10, 32), parameter("fc2.bias", 10)
images, labels = read("images", "f").reshape(10, 32, 64), read("labels", "i").reshape(10, 32)
methods = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
options = dict(word.split("=") for word in sys.argv[3:])
numbers = {name: value == "True" if value in ("True", "False") else float(value)
           for name, value in options.items()}
optimizer = methods[sys.argv[2]]([w1, b1, w2, b2], **numbers)
for image, label in zip(images, labels.long()):
    hidden = torch.relu(image @ w1.T + b1)
    loss = torch.nn.functional.cross_entropy(hidden @ w2.T + b2, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.9g}")
