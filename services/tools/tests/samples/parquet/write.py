"""Writes the samples with pyarrow (26.0.1): python3 write.py"""

import datetime as dt
import decimal
import uuid
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

AT = dt.datetime(2026, 3, 29, 1, 30, 0, 123456)
BERLIN = AT.replace(tzinfo=dt.timezone.utc)
columns = {
    "id": pa.array([1, 2, 3], pa.int64()),
    "small": pa.array([-1, None, 127], pa.int8()),
    "huge": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "price": pa.array([decimal.Decimal("12345678901234567890.12"), decimal.Decimal("-0.10"), None], pa.decimal128(22, 2)),
    "cost": pa.array([decimal.Decimal("1.234"), None, decimal.Decimal("5.678")], pa.decimal128(9, 3)),
    "ratio": pa.array([0.1, float("nan"), 1e300], pa.float64()),
    "half": pa.array([0.1, 2.0, None], pa.float32()),
    "ok": pa.array([True, None, False], pa.bool_()),
    "postcode": pa.array(["01067", "12345", ""], pa.string()),
    "year": pa.array(["2024", "2025", "2026"], pa.dictionary(pa.int32(), pa.string())),
    "day": pa.array([dt.date(2026, 4, 3), dt.date(1, 1, 1), None], pa.date32()),
    "local_ms": pa.array([AT.replace(microsecond=123000), None, None], pa.timestamp("ms")),
    "local_ns": pa.array([AT, None, None], pa.timestamp("ns")),
    "utc": pa.array([BERLIN, None, None], pa.timestamp("us", tz="UTC")),
    "berlin": pa.array([BERLIN.astimezone(ZoneInfo("Europe/Berlin")), None, None], pa.timestamp("ns", tz="Europe/Berlin")),
    "clock": pa.array([dt.time(8, 5, 0, 500000), None, None], pa.time64("us")),
    "clock_ns": pa.array([dt.time(8, 5), None, None], pa.time64("ns")),
    "raw": pa.array([b"\x00\x01", b"text", None], pa.binary()),
    "key": pa.array([uuid.UUID(int=1).bytes, None, None], pa.uuid()),
    "nothing": pa.nulls(3),
    "tags": pa.array([["a", "b"], [], None], pa.list_(pa.string())),
    "place": pa.array([{"lat": 1.5, "at": AT}, None, {"lat": None, "at": None}], pa.struct([("lat", pa.float64()), ("at", pa.timestamp("us"))])),
    "labels": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
    "Über uns": pa.array(["x", "y", "z"]),
}
pq.write_table(pa.table(columns), "types.parquet", compression="none")
pq.write_table(
    pa.table({name: columns[name] for name in ("id", "local_ns")}), "int96.parquet",
    compression="none", use_deprecated_int96_timestamps=True,
)

many = pa.table({
    "id": pa.array(range(300), pa.int32()),
    "name": pa.array([f"device {n % 7}" for n in range(300)]),
    "power": pa.array([n / 4 if n % 10 else None for n in range(300)]),
})
for codec in ("snappy", "gzip", "brotli", "zstd", "lz4"):
    pq.write_table(many, f"{codec}.parquet", compression=codec, row_group_size=100)
pq.write_table(many, "v2.parquet", compression="zstd", data_page_version="2.0", use_dictionary=False, column_encoding={
    "id": "DELTA_BINARY_PACKED", "name": "DELTA_BYTE_ARRAY", "power": "BYTE_STREAM_SPLIT",
})
pq.write_table(many, "delta.parquet", compression="snappy", use_dictionary=False, column_encoding={
    "id": "PLAIN", "name": "DELTA_LENGTH_BYTE_ARRAY", "power": "PLAIN",
})

# A bomb: a megabyte of one letter, a thousand times, in a few kilobytes.
pq.write_table(pa.table({"x": pa.array(["x" * 1_000_000] * 60)}), "bomb.parquet", compression="zstd", use_dictionary=False)
# Lists of numbers, which are in a dictionary.
pq.write_table(pa.table({"tags": pa.array([[1, 2]] * 200, pa.list_(pa.int64()))}), "lists.parquet", compression="zstd")
# A text of 30,000 letters, in each of 100,000 rows, once in the file.
text = pa.array(["y" * 30_000]).dictionary_encode().dictionary
index = pa.array([0] * 100_000, pa.int32())
pq.write_table(pa.table({"y": pa.DictionaryArray.from_arrays(index, text)}), "repeated.parquet", compression="zstd")
