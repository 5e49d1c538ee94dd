"""Convolutional networks: ConvNeXt, MobileNetV3, EfficientNet, U-Net and YOLO's head."""
import torch
from torch import nn
from torch.nn import functional as F


class ChannelNorm(nn.Module):
    """Layer normalization over the channels of [B, C, H, W], written out."""

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels))
        self.bias = nn.Parameter(torch.empty(channels))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        x = (x - mean) / torch.sqrt(variance + 1e-6)
        return self.weight[:, None, None] * x + self.bias[:, None, None]


class ConvNextBlock(nn.Module):
    """Depthwise 7 x 7, then channels last: normalization, two products, a learned scale."""

    def __init__(self, channels):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.up = nn.Linear(channels, 4 * channels)
        self.down = nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(torch.empty(channels))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.down(F.gelu(self.up(y)))
        return x + y.permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 4, stride=4), ChannelNorm(channels))
        self.stage1 = nn.Sequential(ConvNextBlock(channels), ConvNextBlock(channels))
        self.narrow = nn.Sequential(ChannelNorm(channels),
                                    nn.Conv2d(channels, 2 * channels, 2, stride=2))
        self.stage2 = nn.Sequential(ConvNextBlock(2 * channels), ConvNextBlock(2 * channels))
        self.norm = nn.LayerNorm(2 * channels, eps=1e-6)
        self.head = nn.Linear(2 * channels, 10)

    def forward(self, image):
        x = self.stage2(self.narrow(self.stage1(self.stem(image))))
        return self.head(self.norm(x.mean([-2, -1])))


def conv_norm(cin, cout, size=1, stride=1, groups=1, act=nn.ReLU):
    conv = nn.Conv2d(cin, cout, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(cout), act())


class SqueezeExcite(nn.Module):
    """Scales each channel by a function of all channels' means."""

    def __init__(self, channels, inner, act, gate):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.squeeze, self.act = nn.Conv2d(channels, inner, 1), act()
        self.excite, self.gate = nn.Conv2d(inner, channels, 1), gate()

    def forward(self, x):
        return x * self.gate(self.excite(self.act(self.squeeze(self.pool(x)))))


class InvertedResidual(nn.Module):
    """Widens, filters each channel, narrows; adds its input where the sizes allow it."""

    def __init__(self, cin, hidden, cout, size, stride, act, squeeze=None):
        super().__init__()
        steps = [conv_norm(cin, hidden, act=act)] if hidden != cin else []
        steps.append(conv_norm(hidden, hidden, size, stride, hidden, act))
        if squeeze is not None:
            steps.append(squeeze(hidden))
        steps.append(conv_norm(hidden, cout, act=nn.Identity))
        self.steps = nn.Sequential(*steps)
        self.adds = stride == 1 and cin == cout

    def forward(self, x):
        return x + self.steps(x) if self.adds else self.steps(x)


class MobileNetV3(nn.Module):
    def __init__(self):
        super().__init__()

        def squeeze(channels):
            return SqueezeExcite(channels, 8, nn.ReLU, nn.Hardsigmoid)

        self.features = nn.Sequential(
            conv_norm(3, 8, 3, 2, act=nn.Hardswish),
            InvertedResidual(8, 8, 8, 3, 2, nn.ReLU, squeeze),
            InvertedResidual(8, 24, 12, 3, 2, nn.ReLU),
            InvertedResidual(12, 32, 12, 3, 1, nn.ReLU),
            InvertedResidual(12, 32, 16, 5, 2, nn.Hardswish, squeeze),
            InvertedResidual(16, 40, 16, 5, 1, nn.Hardswish, squeeze),
            conv_norm(16, 48, act=nn.Hardswish))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(48, 64), nn.Hardswish(), nn.Dropout(0.2),
                                        nn.Linear(64, 10))

    def forward(self, image):
        return self.classifier(torch.flatten(self.pool(self.features(image)), 1))


class EfficientNet(nn.Module):
    def __init__(self):
        super().__init__()

        def squeeze(channels):
            return SqueezeExcite(channels, 4, nn.SiLU, nn.Sigmoid)

        self.features = nn.Sequential(
            conv_norm(3, 8, 3, 2, act=nn.SiLU),
            InvertedResidual(8, 8, 8, 3, 1, nn.SiLU, squeeze),
            InvertedResidual(8, 32, 12, 3, 2, nn.SiLU, squeeze),
            InvertedResidual(12, 48, 12, 3, 1, nn.SiLU, squeeze),
            InvertedResidual(12, 48, 16, 5, 2, nn.SiLU, squeeze),
            conv_norm(16, 48, act=nn.SiLU))
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(48, 10))

    def forward(self, image):
        return self.classifier(F.adaptive_avg_pool2d(self.features(image), 1).flatten(1))


def double_conv(cin, cout):
    return nn.Sequential(*[layer for a, b in ((cin, cout), (cout, cout)) for layer in
                           (nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(True))])


class Bottleneck(nn.Module):
    """The residual block of diffusion models: normalized groups of channels, SiLU."""

    def __init__(self, channels, groups=4):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(groups, channels), nn.GroupNorm(groups, channels)
        self.conv1, self.conv2 = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        return x + self.conv2(F.silu(self.norm2(y)))


class UNet(nn.Module):
    """Down twice, up by a transposed convolution and by interpolation; odd extents are padded."""

    def __init__(self, c=4):
        super().__init__()
        self.down1, self.down2 = double_conv(3, c), double_conv(c, 2 * c)
        self.middle = nn.Sequential(nn.Conv2d(2 * c, 4 * c, 3, padding=1), Bottleneck(4 * c))
        self.up2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, stride=2)
        self.conv2 = double_conv(4 * c, c)
        self.up1 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.conv1 = double_conv(2 * c, c)
        self.out = nn.Conv2d(c, 2, 1)

    @staticmethod
    def joined(skip, x):
        high, wide = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        x = F.pad(x, [wide // 2, wide - wide // 2, high // 2, high - high // 2])
        return torch.cat([skip, x], dim=1)

    def forward(self, image):
        fine = self.down1(image)
        coarse = self.down2(F.max_pool2d(fine, 2))
        x = self.middle(F.max_pool2d(coarse, 2))
        x = self.conv2(self.joined(coarse, self.up2(x)))
        return self.out(self.conv1(self.joined(fine, self.up1(x))))
