"""Transformers: ViT, BERT, Swin, the encoder of Whisper and Llama's decoder."""
import math

import torch
from torch import nn
from torch.nn import functional as F


def mlp(width, hidden):
    return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))


class PackedAttention(nn.Module):
    """One product makes queries, keys and values."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x, bias=None):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q * (width // self.heads) ** -0.5) @ k.transpose(-2, -1)
        if bias is not None:
            scores = bias(scores)
        mixed = scores.softmax(dim=-1) @ v
        return self.proj(mixed.transpose(1, 2).reshape(batch, length, width))


class VitBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = PackedAttention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = mlp(width, 2 * width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Vit(nn.Module):
    """Patches, a class token, learned positions, blocks that normalize first."""

    def __init__(self, width=24, heads=3, patches=16):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 4, stride=4)
        self.token = nn.Parameter(torch.empty(1, 1, width))
        self.positions = nn.Parameter(torch.empty(1, patches + 1, width))
        self.blocks = nn.Sequential(VitBlock(width, heads), VitBlock(width, heads))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, 10)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.mlp = mlp(width, 2 * width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1)) + mask
        mixed = (scores.softmax(dim=-1) @ v).permute(0, 2, 1, 3).contiguous()
        x = self.norm1(x + self.out(mixed.view(x.size())))
        return self.norm2(x + self.mlp(x))


class Bert(nn.Module):
    """Three embeddings, a mask of padding, blocks that normalize last, a pooler."""

    def __init__(self, width=16, heads=2, words=60, longest=16):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Embedding(longest, width)
        self.kinds = nn.Embedding(2, width)
        self.register_buffer("numbers", torch.arange(longest).expand(1, -1))
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(2))
        self.pooler = nn.Linear(width, width)

    def forward(self, input_ids, attention_mask, token_type_ids):
        positions = self.positions(self.numbers[:, : input_ids.size(1)])
        x = self.norm(self.words(input_ids) + self.kinds(token_type_ids) + positions)
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class SwinAttention(nn.Module):
    """Attention within windows, which every other block shifts; padded to whole windows.

    `traced`: the exporter writes nodes for extents and mask, as it does for torchvision's Swin.
    Otherwise extents are numbers and the mask is a constant from the first call, as in timm's.
    """

    def __init__(self, width, heads, window, shift, traced=False):
        super().__init__()
        self.window, self.shift = window, shift
        self.traced, self.kept_mask = traced, None
        self.extents = tuple if traced else lambda shape: tuple(int(extent) for extent in shape)
        self.heads = heads
        self.inner = PackedAttention(width, heads)
        self.table = nn.Parameter(torch.empty((2 * window - 1) ** 2, heads))
        at = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window),
                                        indexing="ij")).flatten(1)
        apart = at[:, :, None] - at[:, None, :] + window - 1
        self.register_buffer("index", (apart[0] * (2 * window - 1) + apart[1]).flatten())

    def relative_bias(self):
        area = self.window ** 2
        return self.table[self.index].view(area, area, -1).permute(2, 0, 1).contiguous()[None]

    def windows(self, x):
        """[B, H, W, C] as [windows, area, C]."""
        batch, height, width, channels = self.extents(x.shape)
        side = self.window
        x = x.view(batch, height // side, side, width // side, side, channels)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, side * side, channels)

    def mask(self, x, shifts):
        if self.traced:
            return self.new_mask(x, shifts)
        if self.kept_mask is None:
            self.kept_mask = self.new_mask(x, shifts)
        return self.kept_mask

    def new_mask(self, x, shifts):
        """Which pairs of a window's pixels were neighbors before the shift: 0, else -100."""
        rows, cols = self.extents(x.shape[1:3])
        regions = x.new_zeros((rows, cols))
        number = 0
        cuts = [((0, -self.window), (-self.window, -shift), (-shift, None)) for shift in shifts]
        for top, bottom in cuts[0]:
            for left, right in cuts[1]:
                regions[top:bottom, left:right] = number
                number += 1
        regions = regions.view(rows // self.window, self.window, -1, self.window)
        regions = regions.permute(0, 2, 1, 3).reshape(-1, self.window ** 2)
        apart = regions[:, None, :] - regions[:, :, None]
        return apart.masked_fill(apart != 0, -100.0).masked_fill(apart == 0, 0.0)

    def forward(self, x):
        batch, height, width, channels = self.extents(x.shape)
        side = self.window
        x = F.pad(x, (0, 0, 0, -width % side, 0, -height % side))
        rows, cols = self.extents(x.shape[1:3])
        shifts = [self.shift if side < extent else 0 for extent in (rows, cols)]
        shifted = sum(shifts) > 0
        if shifted:
            x = torch.roll(x, shifts=(-shifts[0], -shifts[1]), dims=(1, 2))

        def bias(scores):
            scores = scores + self.relative_bias()
            if not shifted:
                return scores
            mask = self.mask(x, shifts)
            split = scores.view(-1, mask.shape[0], self.heads, side * side, side * side)
            return (split + mask[None, :, None]).view(-1, self.heads, side * side, side * side)

        y = self.inner(self.windows(x), bias)
        y = y.view(batch, rows // side, cols // side, side, side, channels)
        y = y.permute(0, 1, 3, 2, 4, 5).reshape(batch, rows, cols, channels)
        if shifted:
            y = torch.roll(y, shifts=(shifts[0], shifts[1]), dims=(1, 2))
        return y[:, :height, :width, :].contiguous()


class SwinBlock(nn.Module):
    def __init__(self, width, heads, window, shift, traced=False):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attn = SwinAttention(width, heads, window, shift, traced)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = mlp(width, 2 * width)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Module):
    """Four neighbors become one pixel of twice the width."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(4 * width)
        self.reduction = nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x):
        x = F.pad(x, (0, 0, 0, int(x.shape[2]) % 2, 0, int(x.shape[1]) % 2))
        parts = [x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]]
        return self.reduction(self.norm(torch.cat(parts, dim=-1)))


class Swin(nn.Module):
    """Two stages of two blocks. No extent is a multiple of the window."""

    def __init__(self, width=12, heads=2, window=4):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 4, stride=4)
        self.norm0 = nn.LayerNorm(width)
        self.s1 = nn.Sequential(SwinBlock(width, heads, window, 0),
                                    SwinBlock(width, heads, window, window // 2))
        self.merge = PatchMerging(width)
        self.s2 = nn.Sequential(SwinBlock(2 * width, 2 * heads, window, 0),
                                    SwinBlock(2 * width, 2 * heads, window, window // 2, True))
        self.norm = nn.LayerNorm(2 * width)
        self.head = nn.Linear(2 * width, 10)

    def forward(self, image):
        x = self.norm0(self.patch(image).permute(0, 2, 3, 1))
        x = self.norm(self.s2(self.merge(self.s1(x)))).permute(0, 3, 1, 2)
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class WhisperBlock(nn.Module):
    """Scales queries and keys by the fourth root each; keys have no bias."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.value, self.out = (nn.Linear(width, width) for _ in range(3))
        self.key = nn.Linear(width, width, bias=False)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = mlp(width, 2 * width)

    def attention(self, x):
        batch, length, width = x.shape
        scale = (width // self.heads) ** -0.25
        q, k, v = (part(x).view(batch, length, self.heads, -1)
                   for part in (self.query, self.key, self.value))
        scores = (q.permute(0, 2, 1, 3) * scale) @ (k.permute(0, 2, 3, 1) * scale)
        mixed = scores.float().softmax(dim=-1) @ v.permute(0, 2, 1, 3)
        return self.out(mixed.permute(0, 2, 1, 3).flatten(start_dim=2))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class WhisperEncoder(nn.Module):
    """Two convolutions along the time, the second halves it; sinusoids as positions."""

    def __init__(self, bins=16, width=24, heads=3, frames=20):
        super().__init__()
        self.conv1 = nn.Conv1d(bins, width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        step = math.log(10000) / (width // 2 - 1)
        angles = torch.arange(frames)[:, None] * torch.exp(-step * torch.arange(width // 2))
        self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], dim=1))
        self.blocks = nn.Sequential(WhisperBlock(width, heads), WhisperBlock(width, heads))
        self.norm = nn.LayerNorm(width)

    def forward(self, mel):
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).permute(0, 2, 1)
        return self.norm(self.blocks(x + self.positions))


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class LlamaLayer(nn.Module):
    """Rotary positions, two queries a key, a cache of keys and values, a gated MLP."""

    def __init__(self, width, heads, groups, hidden):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, groups * self.size, bias=False)
        self.value = nn.Linear(width, groups * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)

    def repeated(self, x):
        batch, groups, length, size = x.shape
        x = x[:, :, None].expand(batch, groups, self.heads // groups, length, size)
        return x.reshape(batch, self.heads, length, size)

    def attention(self, x, rotary, mask, past_key, past_value):
        batch, length, width = x.shape
        q, k, v = (part(x).view(batch, length, -1, self.size).transpose(1, 2)
                   for part in (self.query, self.key, self.value))
        cos, sin = rotary
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        key, value = torch.cat([past_key, k], dim=2), torch.cat([past_value, v], dim=2)
        scores = q @ self.repeated(key).transpose(2, 3) / math.sqrt(self.size) + mask
        mixed = F.softmax(scores, dim=-1, dtype=torch.float32) @ self.repeated(value)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width)), key, value

    def forward(self, x, rotary, mask, past_key, past_value):
        mixed, key, value = self.attention(self.norm1(x), rotary, mask, past_key, past_value)
        x = x + mixed
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y)), key, value


class Llama(nn.Module):
    """Two layers of a decoder that continues a cached text by some tokens."""

    def __init__(self, words=40, width=24, heads=4, groups=2, hidden=40):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, groups, hidden) for _ in range(2))
        self.norm = RmsNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        size = width // heads
        self.register_buffer("frequency", 1.0 / 10000 ** (torch.arange(0, size, 2) / size))

    def rotary(self, positions):
        angles = torch.einsum("bt,f->btf", positions.float(), self.frequency)
        angles = torch.cat((angles, angles), dim=-1)[:, None]
        return angles.cos(), angles.sin()

    @staticmethod
    def mask(length, past):
        least = torch.finfo(torch.float32).min
        return torch.full((length, past + length), least).triu(past + 1)[None, None]

    def forward(self, input_ids, position_ids, key0, value0, key1, value1):
        x = self.words(input_ids)
        rotary = self.rotary(position_ids)
        mask = self.mask(input_ids.shape[1], key0.shape[2])
        x, new_key0, new_value0 = self.layers[0](x, rotary, mask, key0, value0)
        x, new_key1, new_value1 = self.layers[1](x, rotary, mask, key1, value1)
        return self.head(self.norm(x)), new_key0, new_value0, new_key1, new_value1
