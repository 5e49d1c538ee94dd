"""A recurrent network: LSTM in two layers and both directions."""
import torch
from torch import nn


class Lstm(nn.Module):
    def __init__(self, words=30, width=12, hidden=16):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, 5)

    def forward(self, tokens):
        x, (state, _) = self.lstm(self.words(tokens))
        return self.head(x), torch.cat((state[-2], state[-1]), dim=1)
