"""Compressed files: whole, cut, broken, and bombs."""

import gzip
import random
import tracemalloc

import pytest
import zstandard

from steelyard.errors import InputError, Problems
from steelyard.reading.json_files import read_document
from steelyard.reading.limits import MIB, Limits
from steelyard.reading.lines import open_bytes
from steelyard.reading.rows import read_rows

DATA = random.Random(1).randbytes(30_000) + b"tail" * 100_000
PACKERS = [(".gz", gzip.compress), (".zst", zstandard.compress)]
LIMITS = Limits()


def unpacked(path, data: bytes, limits: Limits = LIMITS) -> bytes:
    path.write_bytes(data)
    with open_bytes(path, limits) as stream:
        return stream.read()


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_several_members_are_read_as_one(tmp_path, suffix, pack):
    assert unpacked(tmp_path / f"a{suffix}", pack(DATA) + pack(b"") + pack(DATA)) == DATA * 2


def test_zeros_after_a_gzip_member_are_padding(tmp_path):
    data = gzip.compress(b"a") + b"\0" * (3 * MIB) + gzip.compress(b"b") + b"\0" * 9
    assert unpacked(tmp_path / "a.gz", data) == b"ab"


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_a_file_cut_at_any_byte_is_refused(tmp_path, suffix, pack):
    packed = pack(b"some rows\n" * 10 + random.Random(2).randbytes(40))
    for size in range(1, len(packed)):
        with pytest.raises(InputError, match="corrupt-file"):
            unpacked(tmp_path / f"a{suffix}", packed[:size])


def test_a_changed_byte_in_gzip_is_refused_by_its_checksum(tmp_path):
    packed = bytearray(gzip.compress(DATA))
    packed[1000] ^= 1
    with pytest.raises(InputError, match="corrupt-file"):
        unpacked(tmp_path / "a.gz", bytes(packed))


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_garbage_after_the_end_is_refused(tmp_path, suffix, pack):
    with pytest.raises(InputError, match="corrupt-file"):
        unpacked(tmp_path / f"a{suffix}", pack(DATA) + b"garbage and more of it")


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_more_than_the_limit_is_refused_with_its_option(tmp_path, suffix, pack):
    limits = Limits(max_unpacked_bytes=100_000)
    with pytest.raises(InputError, match="--max-unpacked-bytes") as caught:
        unpacked(tmp_path / f"a{suffix}", pack(DATA), limits)
    assert caught.value.problems[0].code == "file-too-large"


def read_in_steps(stream, sizes: list[int]) -> None:
    while chunk := stream.read(MIB):
        sizes.append(len(chunk))


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_a_decompression_bomb_is_refused_early(tmp_path, suffix, pack):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(pack(bytes(300 * MIB)))
    sizes: list[int] = []
    with open_bytes(path, Limits(max_ratio=900)) as stream, pytest.raises(InputError, match="bomb"):
        read_in_steps(stream, sizes)
    assert sum(sizes) < 299 * MIB


def test_closing_the_stream_closes_the_file(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x"))
    stream = open_bytes(path, Limits())
    stream.close()
    assert stream.closed


def test_a_small_file_asks_for_little_memory_whatever_the_limit(tmp_path):
    (tmp_path / "small.json").write_text('[{"id": "a"}]')
    tracemalloc.start()
    try:
        assert read_document(tmp_path / "small.json") == [{"id": "a"}]
        assert len(list(read_rows(tmp_path / "small.json", Problems()))) == 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 32 << 20


def test_a_document_over_the_limit_is_refused(tmp_path):
    (tmp_path / "large.json").write_text("[" + "1," * 600_000 + "1]")
    with pytest.raises(InputError, match="more than 1048576 bytes"):
        read_document(tmp_path / "large.json", limits=Limits(max_unpacked_bytes=1 << 20))
