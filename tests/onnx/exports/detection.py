"""Detectors: a network in the manner of DETR, and YOLO's backbone, neck and head."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from convolution import conv_norm


class SinePositions(nn.Module):
    """Sines and cosines of each pixel's place among those that are no padding."""

    def __init__(self, features):
        super().__init__()
        self.features = features

    def encoded(self, places):
        power = torch.arange(self.features, dtype=torch.float32)
        power = 10000 ** (2 * torch.div(power, 2, rounding_mode="floor") / self.features)
        angles = places[:, :, :, None] / power
        return torch.stack((angles[..., 0::2].sin(), angles[..., 1::2].cos()), dim=4).flatten(3)

    def forward(self, padding):
        inside = ~padding
        y, x = (inside.cumsum(axis, dtype=torch.float32) for axis in (1, 2))
        y = y / (y[:, -1:, :] + 1e-6) * 2 * math.pi
        x = x / (x[:, :, -1:] + 1e-6) * 2 * math.pi
        return torch.cat((self.encoded(y), self.encoded(x)), dim=3).permute(0, 3, 1, 2)


class DetrEncoder(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, padding, positions):
        q = x + positions
        x = self.norm1(x + self.attention(q, q, x, key_padding_mask=padding)[0])
        return self.norm2(x + self.down(F.relu(self.up(x))))


class DetrDecoder(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.own = nn.MultiheadAttention(width, heads)
        self.cross = nn.MultiheadAttention(width, heads)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, memory, padding, positions, queries):
        q = x + queries
        x = self.norm1(x + self.own(q, q, x)[0])
        mixed = self.cross(x + queries, memory + positions, memory, key_padding_mask=padding)[0]
        x = self.norm2(x + mixed)
        return self.norm3(x + self.down(F.relu(self.up(x))))


class Detr(nn.Module):
    """A padded image and its mask; objects with class and box from learned queries.

    As in RT-DETR, the decoder starts from the pixels with the highest scores.
    """

    def __init__(self, width=16, heads=2, objects=5, classes=4):
        super().__init__()
        self.objects = objects
        self.backbone = nn.Sequential(conv_norm(3, 8, 3, 2), conv_norm(8, 12, 3, 2),
                                      conv_norm(12, 24, 3, 2))
        self.project = nn.Conv2d(24, width, 1)
        self.positions = SinePositions(width // 2)
        self.encoder = DetrEncoder(width, heads)
        self.decoder = nn.ModuleList([DetrDecoder(width, heads), DetrDecoder(width, heads)])
        self.norm = nn.LayerNorm(width)
        self.queries = nn.Embedding(objects, width)
        self.classes = nn.Linear(width, classes + 1)
        self.boxes = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))

    def best_pixels(self, memory, padding):
        scores = self.classes(memory).max(-1).values
        scores = scores.masked_fill(padding.transpose(0, 1), float("-inf"))
        best = scores.topk(self.objects, dim=0).indices
        return memory.gather(0, best.unsqueeze(-1).repeat(1, 1, memory.shape[-1]))

    def forward(self, image, mask):
        x = self.backbone(image)
        padding = F.interpolate(mask[None].float(), size=x.shape[-2:]).to(torch.bool)[0]
        positions = self.positions(padding).flatten(2).permute(2, 0, 1)
        x = self.project(x).flatten(2).permute(2, 0, 1)
        padding = padding.flatten(1)
        memory = self.encoder(x, padding, positions)
        queries = self.queries.weight.unsqueeze(1).repeat(1, image.shape[0], 1)
        objects = self.best_pixels(memory, padding)
        for layer in self.decoder:
            objects = layer(objects, memory, padding, positions, queries)
        objects = self.norm(objects).transpose(0, 1)
        return self.classes(objects), self.boxes(objects).sigmoid()


class C2f(nn.Module):
    """Splits the channels, filters a half again and again and keeps every stage."""

    def __init__(self, cin, cout):
        super().__init__()
        self.half = cout // 2
        self.start = conv_norm(cin, cout, act=nn.SiLU)
        self.inner = nn.Sequential(conv_norm(self.half, self.half, 3, act=nn.SiLU),
                                   conv_norm(self.half, self.half, 3, act=nn.SiLU))
        self.end = conv_norm(3 * self.half, cout, act=nn.SiLU)

    def forward(self, x):
        a, b = self.start(x).split((self.half, self.half), 1)
        return self.end(torch.cat((a, b, b + self.inner(b)), 1))


class Sppf(nn.Module):
    """Maxima over windows of 5, 9 and 13, by pooling thrice."""

    def __init__(self, channels):
        super().__init__()
        self.start = conv_norm(channels, channels // 2, act=nn.SiLU)
        self.end = conv_norm(2 * channels, channels, act=nn.SiLU)
        self.pool = nn.MaxPool2d(5, stride=1, padding=2)

    def forward(self, x):
        parts = [self.start(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.end(torch.cat(parts, 1))


class Distances(nn.Module):
    """The mean of a distribution over distances, as a convolution with 0, 1, 2, ..."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.conv = nn.Conv2d(steps, 1, 1, bias=False)

    def forward(self, x):
        batch, _, anchors = x.shape
        x = x.view(batch, 4, self.steps, anchors).transpose(2, 1).softmax(1)
        return self.conv(x).view(batch, 4, anchors)


class Yolo(nn.Module):
    """A backbone with two scales, the coarse one joined to the fine one, boxes decoded."""

    strides = (4, 8)

    def __init__(self, classes=3, steps=8):
        super().__init__()
        self.outputs, self.steps = classes + 4 * steps, steps
        self.classes = classes
        self.fine = nn.Sequential(conv_norm(3, 8, 3, 2, act=nn.SiLU),
                                  conv_norm(8, 12, 3, 2, act=nn.SiLU), C2f(12, 12))
        self.coarse = nn.Sequential(conv_norm(12, 16, 3, 2, act=nn.SiLU), C2f(16, 16), Sppf(16))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.joined = C2f(28, 12)
        self.boxes = nn.ModuleList(nn.Sequential(conv_norm(c, 12, 3, act=nn.SiLU),
                                                 nn.Conv2d(12, 4 * steps, 1)) for c in (12, 16))
        self.scores = nn.ModuleList(nn.Sequential(conv_norm(c, 12, 3, act=nn.SiLU),
                                                  nn.Conv2d(12, classes, 1)) for c in (12, 16))
        self.distances = Distances(steps)

    def anchors(self, maps):
        """The centers [2, A] of all cells in units of their stride, and the strides [1, A]."""
        points, strides = [], []
        for x, stride in zip(maps, self.strides):
            height, width = x.shape[2:]
            rows, cols = (torch.arange(extent, dtype=x.dtype) + 0.5 for extent in (height, width))
            rows, cols = torch.meshgrid(rows, cols, indexing="ij")
            points.append(torch.stack((cols, rows), -1).view(-1, 2))
            strides.append(torch.full((height * width, 1), float(stride)))
        return torch.cat(points).transpose(0, 1), torch.cat(strides).transpose(0, 1)

    def forward(self, image):
        fine = self.fine(image)
        coarse = self.coarse(fine)
        maps = [self.joined(torch.cat((self.up(coarse), fine), 1)), coarse]
        heads = [torch.cat((box(x), score(x)), 1).view(x.shape[0], self.outputs, -1)
                 for x, box, score in zip(maps, self.boxes, self.scores)]
        box, score = torch.cat(heads, 2).split((4 * self.steps, self.classes), 1)
        points, strides = self.anchors(maps)
        before, after = self.distances(box).chunk(2, 1)
        start, end = points[None] - before, points[None] + after
        decoded = torch.cat(((start + end) / 2, end - start), 1) * strides
        score = score.sigmoid()
        return torch.cat((decoded, score), 1), score
