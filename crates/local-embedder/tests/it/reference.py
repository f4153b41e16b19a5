"""Writes reference.json: what all-MiniLM-L6-v2 answers, computed without any of our code or its libraries.

    python reference.py <model directory> > reference.json        (needs numpy alone)

Tokenizer, transformer and pooling are written out here in double precision, after the papers (WordPiece, BERT, Sentence-BERT).
The three sentences of `published` and their cosines are those of the sentence-transformers documentation (quick start).
"""

import json
import math
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np

SENTENCES = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "What are overtime rules?",
    "Overtime is paid at 1.5x the base rate after 40 hours a week.",
    "Ünïcödé cafés, naïve façades: 中文 too",
    "error code E-204 on pump #7 (48 V)",
    "a",
    "",
    "word " * 300,
]
MAX_TOKENS = 256


def read_weights(file):
    data = Path(file).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    weights = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            values = np.frombuffer(data[start:end], dtype="<f4").astype(np.float64)
            weights[name] = values.reshape(entry["shape"])
    return weights


def is_punctuation(char):
    return 33 <= ord(char) <= 47 or 58 <= ord(char) <= 64 or 91 <= ord(char) <= 96 or 123 <= ord(char) <= 126 or unicodedata.category(char).startswith("P")


def words(text):
    text = "".join(char for char in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(char) != "Mn")
    spaced = "".join(f" {char} " if is_punctuation(char) or 0x4E00 <= ord(char) <= 0x9FFF else char for char in text)
    return spaced.split()


def pieces(word, vocabulary):
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                found.append(vocabulary[piece])
                start = end
                break
        else:
            return [vocabulary["[UNK]"]]
    return found


def tokens(text, vocabulary):
    ids = [piece for word in words(text) for piece in pieces(word, vocabulary)]
    return [vocabulary["[CLS]"], *ids[: MAX_TOKENS - 2], vocabulary["[SEP]"]]


def embed(ids, weights, heads, layers, epsilon):
    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x, name):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + epsilon) * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    erf = np.vectorize(math.erf)
    tables = "embeddings.{}_embeddings.weight"
    x = weights[tables.format("word")][ids] + weights[tables.format("position")][: len(ids)] + weights[tables.format("token_type")][0]
    x = norm(x, "embeddings.LayerNorm")
    size = x.shape[1] // heads
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            linear(x, f"{layer}.attention.self.{part}").reshape(len(ids), heads, size).transpose(1, 0, 2) for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(size)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        context = (shares @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(linear(context, f"{layer}.attention.output.dense") + x, f"{layer}.attention.output.LayerNorm")
        hidden = linear(x, f"{layer}.intermediate.dense")
        hidden = hidden * 0.5 * (1 + erf(hidden / math.sqrt(2)))
        x = norm(linear(hidden, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
    vector = x.mean(0)
    return vector / np.linalg.norm(vector)


def main():
    directory = Path(sys.argv[1])
    config = json.loads((directory / "config.json").read_text())
    weights = read_weights(directory / "model.safetensors")
    vocabulary = {word: number for number, word in enumerate((directory / "vocab.txt").read_text("utf-8").split("\n"))}
    shape = (config["num_attention_heads"], config["num_hidden_layers"], config["layer_norm_eps"])
    vectors = [embed(tokens(text, vocabulary), weights, *shape) for text in SENTENCES]
    cosines = [[round(float(a @ b), 6) for b in vectors] for a in vectors]
    published = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    rows = [
        {"text": text, "tokens": len(tokens(text, vocabulary)), "vector": [round(float(x), 7) for x in vector[:16]]}
        for text, vector in zip(SENTENCES, vectors)
    ]
    parts = {"published": published, "cosines": cosines, "sentences": rows}
    lines = {name: ",\n".join(json.dumps(row, ensure_ascii=False) for row in part) for name, part in parts.items()}
    print("{" + ",\n".join(f'"{name}": [\n{part}]' for name, part in lines.items()) + "}")


main()
