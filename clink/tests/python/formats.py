"""Writes files as Python's libraries do and reads those that clink wrote, for main.rs.

    formats.py write FOLDER   writes inputs, and beside each NAME the lines NAME.expected
    formats.py read FOLDER    reads each NAME that clink wrote, and writes the lines NAME.found

A line is a record as JSON that loses nothing, the same that rows.rs prints: floats are the digits
of their bits, instants their milliseconds, bytes hexadecimal digits.
"""

import csv
import datetime
import decimal
import gzip
import io
import json
import os
import random
import re
import struct
import sys

import pyarrow as pa
import pyarrow.parquet as pq

# What a field is; a dictionary is a struct, a tuple a struct without names.
INT, F32, F64, FLAG, TEXT, AT, SENT, BYTES = "int", "f32", "f64", "flag", "text", "at", "sent", "bytes"

FLAT = {
    "i8": INT, "i16": INT, "i32": INT, "i64": INT, "u8": INT, "u16": INT, "u32": INT, "u64": INT,
    "f32": F32, "f64": F64, "flag": FLAG, "letter": TEXT, "text": TEXT, "kind": TEXT,
    "at": AT, "sent": SENT, "some_number": INT, "some_float": F64, "some_flag": FLAG,
    "some_text": TEXT, "some_kind": TEXT, "some_at": AT,
}
DEEP = {
    "flat": FLAT,
    "bytes": BYTES,
    "pair": (INT, TEXT),
    "inner": {"text": TEXT, "wide": F64, "point": {"x": F32, "y": INT}},
}
KINDS = ["Plain", 'with, "comma"', "日本"]
UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


# ---- canonical lines


def line(record):
    return json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def save(path, records):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(line(record) + "\n" for record in records)


def bits(value, kind):
    return struct.pack(">f" if kind == F32 else ">d", value).hex()


def canonical(value, kind):
    """The value of a record in Python, in which instants are milliseconds."""
    if value is None:
        return None
    if isinstance(kind, dict):
        return {name: canonical(value[name], below) for name, below in kind.items()}
    if isinstance(kind, tuple):
        return [canonical(item, below) for item, below in zip(value, kind)]
    if kind in (F32, F64):
        return bits(value, kind)
    return value.hex() if kind == BYTES else value


def number(text, kind):
    """The float that is nearest to a text, rounded once."""
    if kind == F64:
        return float(text)
    return pa.array([text]).cast(pa.float32())[0].as_py()


def instant(text):
    """The milliseconds of RFC 3339 text, of any year."""
    if text.endswith("ms"):
        return int(text[:-2])
    found = re.fullmatch(r"([-+]?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z", text)
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    millis = int((found[7] or "").ljust(3, "0"))
    # The Gregorian calendar repeats itself after 400 years.
    cycles = (year - 2000) // 400
    days = datetime.date(year - 400 * cycles, month, day).toordinal()
    days += 146097 * cycles - datetime.date(1970, 1, 1).toordinal()
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis


def seconds(text):
    with decimal.localcontext(prec=50):
        return int(decimal.Decimal(text) * 1000)


# ---- reading what clink wrote


def of_cell(cell, kind, is_optional):
    if cell == "" and is_optional:
        return None
    if kind == INT:
        return int(cell)
    if kind in (F32, F64):
        return bits(number(cell, kind), kind)
    if kind == FLAG:
        return {"true": True, "false": False}[cell]
    return {AT: instant, SENT: seconds, TEXT: str}[kind](cell)


def of_json(value, kind):
    """From JSON whose floats were left as text."""
    if value is None:
        return None
    if isinstance(kind, dict):
        assert list(value) == list(kind), value
        return {name: of_json(value[name], below) for name, below in kind.items()}
    if isinstance(kind, tuple):
        return [of_json(item, below) for item, below in zip(value, kind, strict=True)]
    if kind in (F32, F64):
        return bits(number(str(value), kind), kind)
    if kind == BYTES:
        return bytes(value).hex()
    if kind == SENT:
        return seconds(str(value))
    assert isinstance(value, {INT: int, FLAG: bool, TEXT: str, AT: str}[kind]), (value, kind)
    return instant(value) if kind == AT else value


def of_column(column, kind):
    """From a column of a Parquet file."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(kind, (dict, tuple)):
        names = list(kind) if isinstance(kind, dict) else [str(at) for at in range(len(kind))]
        kinds = kind.values() if isinstance(kind, dict) else kind
        assert [column.type.field(at).name for at in range(len(names))] == names, column.type
        fields = [of_column(below, its) for below, its in zip(column.flatten(), kinds)]
        rows = [dict(zip(names, row)) if isinstance(kind, dict) else list(row)
                for row in zip(*fields)]
        return [row if valid else None for row, valid in zip(rows, column.is_valid().to_pylist())]
    if kind in (AT, SENT):
        assert column.type == pa.timestamp("ms", tz="UTC"), column.type
        return column.cast(pa.int64()).to_pylist()
    return [canonical(value, kind) for value in column.to_pylist()]


def text_of(path):
    if ".gz" in path:
        with gzip.open(path) as file:
            return file.read().decode()
    if ".zst" in path:
        with pa.CompressedInputStream(pa.OSFile(path), "zstd") as file:
            return file.read().decode()
    with open(path, "rb") as file:
        return file.read().decode()


def read_one(path):
    if ".parquet" in path:
        table = pq.read_table(path, partitioning=None)
        (kinds,) = [kinds for kinds in (FLAT, DEEP, {"value": TEXT})
                    if list(kinds) == table.column_names]
        columns = [of_column(table.column(name), kind) for name, kind in kinds.items()]
        rows = [dict(zip(kinds, row)) for row in zip(*columns)]
        return [row["value"] for row in rows] if "value" in kinds else rows
    text = text_of(path)
    if ".csv" in path:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = next(rows)
        if header == ["value"]:
            return [cell for (cell,) in rows]
        assert header == list(FLAT), header
        return [
            {name: of_cell(cell, FLAT[name], name.startswith("some_"))
             for name, cell in zip(header, row, strict=True)}
            for row in rows
        ]
    assert text == "" or text.endswith("\n"), path
    lines = text.split("\n")[:-1]
    if ".txt" in path:
        return lines

    def refuse(word):
        raise ValueError(f"{word} is not JSON")

    values = [json.loads(each, parse_float=str, parse_constant=refuse) for each in lines]
    return [of_json(value, DEEP if "flat" in value else FLAT) if isinstance(value, dict) else value
            for value in values]


def read(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".expected"):
            continue
        files = [os.path.join(path, part) for part in sorted(os.listdir(path))]
        save(path + ".found", [record for file in files for record in read_one(file)])


# ---- writing what clink is to read

CHANCE = random.Random(4)


def integer(bits_, signed):
    low, high = (-(1 << bits_ - 1), (1 << bits_ - 1) - 1) if signed else (0, (1 << bits_) - 1)
    borders = [low, high, 0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1627668684594000000]
    fitting = [value for value in borders if low <= value <= high]
    return CHANCE.choice([*fitting, CHANCE.randint(low, high), CHANCE.randint(low, high)])


def float_of(kind):
    code, size = (">f", 4) if kind == F32 else (">d", 8)
    any_ = struct.unpack(code, CHANCE.randbytes(size))[0]
    least = struct.unpack(code, bytes(size - 1) + b"\x01")[0]
    nan = float("nan")
    odd = [nan, float("inf"), float("-inf"), -0.0, 0.0, least, 1.0, 0.5, 1e15, 1e16]
    tenth = struct.unpack(code, struct.pack(code, 0.1))[0]
    value = CHANCE.choice([*odd, tenth, any_, any_, any_])
    # Which of the NaNs it is, Python does not keep.
    return nan if value != value else value


def text():
    parts = ["a", '"', '""', "\n", "\r", "\r\n", ",", ";", "\t", " ", "ü", "\ufeff", "日本",
             "\U0001f469\u200d\U0001f680", "\\", "\\n", "NaN", "NULL", "\0", "\x7f", "\u2028", "#"]
    return "".join(CHANCE.choice(parts) for _ in range(CHANCE.choice([0, 0, 1, 2, 3, 60])))


def moment(lowest=-62_135_596_800_000, highest=253_402_300_799_999):
    borders = [0, -1, 1, 999, -1000, 1_700_000_000_123, lowest, highest]
    return CHANCE.choice([*borders, *(CHANCE.randint(lowest, highest) for _ in range(8))])


def some(value):
    return value if CHANCE.random() < 0.7 else None


def flat(times=moment):
    return {
        "i8": integer(8, True), "i16": integer(16, True), "i32": integer(32, True),
        "i64": integer(64, True), "u8": integer(8, False), "u16": integer(16, False),
        "u32": integer(32, False), "u64": integer(64, False),
        "f32": float_of(F32), "f64": float_of(F64), "flag": CHANCE.random() < 0.5,
        "letter": CHANCE.choice(["a", " ", '"', ",", "\n", "\ufeff", "\U0001f680"]), "text": text(),
        "kind": CHANCE.choice(KINDS), "at": times(), "sent": times(),
        "some_number": some(integer(64, False)), "some_float": some(float_of(F64)),
        "some_flag": some(CHANCE.random() < 0.5), "some_text": some(text()),
        "some_kind": some(CHANCE.choice(KINDS)), "some_at": some(times()),
    }


def deep(times=moment):
    point = {"x": float_of(F32), "y": some(integer(64, True))}
    inner = {"text": text(), "wide": some(float_of(F64)), "point": some(point)}
    pair = (integer(16, True), text())
    size = CHANCE.randrange(4)
    return {"flat": flat(times), "bytes": CHANCE.randbytes(size), "pair": pair, "inner": some(inner)}


def rfc_3339(millis):
    """In any zone, for it is the instant that counts."""
    zone = CHANCE.choice([UTC, datetime.timezone(datetime.timedelta(hours=5, minutes=30)),
                          datetime.timezone(datetime.timedelta(hours=-3, minutes=-30))])
    when = EPOCH + datetime.timedelta(milliseconds=millis)
    try:
        when = when.astimezone(zone)
    except OverflowError:
        pass
    written = when.isoformat(timespec="milliseconds", sep=CHANCE.choice("T "))
    return written.replace("+00:00", CHANCE.choice(["Z", "+00:00"]))


def epoch(millis):
    return str(decimal.Decimal(millis).scaleb(-3))


def cells(record, null=""):
    def cell(value, kind):
        if value is None:
            return null
        if kind == FLAG:
            return "true" if value else "false"
        return {AT: rfc_3339, SENT: epoch}.get(kind, lambda other: other)(value)

    return [cell(record[name], kind) for name, kind in FLAT.items()]


def as_read(record, null=""):
    """An empty cell is no text, nor is one that says so."""
    some_text = None if record["some_text"] in ("", null) else record["some_text"]
    return canonical({**record, "some_text": some_text}, FLAT)


def without_cr(record):
    """Python before 3.13 leaves a carriage return unquoted where rows end in a line feed, and then
    reads it as the end of a row; so does clink."""
    drop = str.maketrans("", "", "\r")
    return {name: value.translate(drop) if isinstance(value, str) else value
            for name, value in record.items()}


def csv_text(records, header=True, null="", **dialect):
    out = io.StringIO(newline="")
    writer = csv.writer(out, **dialect)
    if header:
        writer.writerow(list(FLAT))
    writer.writerows(cells(record, null) for record in records)
    return out.getvalue()


def write_bytes(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def write_csv(folder):
    def case(name, encode=lambda text: text.encode(), **options):
        records = [flat() for _ in range(60)]
        if options.get("lineterminator") == "\n":
            records = [without_cr(record) for record in records]
        write_bytes(f"{folder}/{name}/a.csv", encode(csv_text(records, **options)))
        null = options.get("null", "")
        save(f"{folder}/{name}.expected", [as_read(record, null) for record in records])

    def zstd(text):
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as file:
            file.write(text.encode())
        return sink.getvalue().to_pybytes()

    def members(text):
        """Cut anywhere, also within a record; some are empty."""
        data = text.encode()
        cuts = sorted(CHANCE.randrange(len(data)) for _ in range(5))
        cuts = [0, 0, *cuts, len(data), len(data)]
        return b"".join(gzip.compress(data[a:b]) for a, b in zip(cuts, cuts[1:]))

    case("csv-crlf", lineterminator="\r\n")
    case("csv-lf", lineterminator="\n")
    case("csv-quoted", quoting=csv.QUOTE_ALL)
    case("csv-nonnumeric", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    case("csv-bom", lambda text: text.encode("utf-8-sig"))
    case("csv-bom-quoted", lambda text: text.encode("utf-8-sig"), quoting=csv.QUOTE_ALL)
    case("csv-bom-gzip", lambda text: gzip.compress(text.encode("utf-8-sig")))
    case("csv-semicolon", delimiter=";", lineterminator="\n")
    case("csv-tab", delimiter="\t")
    case("csv-null", null="NULL")
    case("csv-headless", header=False)
    case("csv-members", members)
    case("csv-zstd", zstd)
    write_csv_folder(folder)


def write_csv_folder(folder):
    """Files of one folder that differ in all that does not count."""
    records = [without_cr(flat()) for _ in range(60)]
    parts = [records[:20], records[20:40], records[40:]]
    crlf = csv_text(parts[0]).encode("utf-8-sig")
    packed = gzip.compress(csv_text(parts[1], lineterminator="\n").encode())
    # Columns in another order, one more of them, blank lines in every place.
    names = sorted(FLAT)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*names, "more"], lineterminator="\n")
    out.write("\r\n\n")
    writer.writeheader()
    for record in parts[2]:
        out.write(CHANCE.choice(["", "\n", "\r\n\r\n"]))
        writer.writerow({**dict(zip(FLAT, cells(record))), "more": text().replace("\r", "")})
    out.write("\n\r\n")
    for name, data in [("a", crlf), ("b", packed), ("c", out.getvalue().encode())]:
        write_bytes(f"{folder}/csv-folder/{name}.csv", data)
    save(f"{folder}/csv-folder.expected", [as_read(record) for record in records])


def to_json(value, kind):
    """JSON has no NaN: Python's own is refused."""
    if value is None:
        return None
    if isinstance(kind, dict):
        fields = {name: to_json(value[name], below) for name, below in kind.items()}
        # What is not there is nothing; what is not known is ignored; order has no meaning.
        fields = {name: field for name, field in fields.items()
                  if field is not None or CHANCE.random() < 0.5}
        fields["more"] = {"i8": [None, {"flat": 1.5e300}], "text": "\U0001f680"}
        names = sorted(fields, key=lambda _: CHANCE.random())
        return {name: fields[name] for name in names}
    if isinstance(kind, tuple):
        return [to_json(item, below) for item, below in zip(value, kind)]
    if kind in (F32, F64):
        words = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
        return words.get(repr(value), value)
    if kind == BYTES:
        return list(value)
    if kind == SENT:
        whole = [] if value % 1000 else [value // 1000]
        return CHANCE.choice([epoch(value), float(epoch(value)), *whole])
    return CHANCE.choice([rfc_3339(value), value]) if kind == AT else value


def write_json(folder):
    def case(name, encode=lambda text: text.encode(), end="\n", **options):
        records = [deep() for _ in range(60)]
        lines = [json.dumps(to_json(record, DEEP), allow_nan=False, **options) + end
                 for record in records]
        write_bytes(f"{folder}/{name}/a.ndjson", encode("".join(lines)))
        save(f"{folder}/{name}.expected", [canonical(record, DEEP) for record in records])

    case("json-ascii")
    case("json-wide", ensure_ascii=False)
    case("json-crlf", end="\r\n")
    case("json-bom", lambda text: text.encode("utf-8-sig"))
    case("json-blank", end="\n\n \t\r\n")
    case("json-tight", separators=(",", ":"))
    case("json-loose", separators=(" ,\t", " :  "))
    case("json-gzip", lambda text: gzip.compress(text.encode()))
    case("json-unended", lambda text: text.encode().rstrip())


def write_lines(folder):
    """What lines are, and which of them are kept where others are bad."""
    some_lines = [b"", b"a", b" b ", b"\r", b"c\rd", "\ufeffü".encode(), b"\x00", b'"', b"\x1a"]
    bad = [b"\xff", b"caf\xe9", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
    cases = {
        "text-lf": b"\n".join(some_lines) + b"\n",
        "text-crlf": b"\r\n".join(some_lines) + b"\r\n",
        "text-bom": b"\xef\xbb\xbf" + b"\n".join(some_lines),
        "text-bytes": b"\n".join(each for pair in zip(some_lines, bad) for each in pair),
        "text-torn": b"whole\n\xe2\x82",
        "text-utf-16": "one\ntwo\nü\n".encode("utf-16"),
        # The limit of main.rs is 1,024 bytes.
        "text-long": b"\n".join(b"x" * size for size in [1023, 1024, 1025, 0, 3 << 20, 1024]),
        "text-endless": b"x" * (1 << 20),
    }
    for name, data in cases.items():
        write_bytes(f"{folder}/{name}/a.txt", data)
        kept = []
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        for each in lines if lines[-1] else lines[:-1]:
            try:
                kept += [each.removesuffix(b"\r").decode()] if len(each) <= 1024 else []
            except UnicodeDecodeError:
                pass
        save(f"{folder}/{name}.expected", kept)
    long = [json.dumps("x" * size) for size in [1021, 1022, 1023, 1 << 20, 5]]
    write_bytes(f"{folder}/text-long-json/a.ndjson", "\n".join(long).encode())
    save(f"{folder}/text-long-json.expected", [json.loads(each) for each in long if len(each) <= 1024])
    # Python's words for what is no number are no JSON; as strings they are what clink writes.
    words = [json.dumps(value) for value in [1.5, float("nan"), float("inf"), "Infinity", -0.0, 7]]
    write_bytes(f"{folder}/text-words-json/a.ndjson", "\n".join(words).encode())
    kept = [bits(value, F64) for value in [1.5, float("inf"), -0.0, 7.0]]
    save(f"{folder}/text-words-json.expected", kept)


def write_cells(folder):
    """What rows are: blank lines, spaces, quotes where they do not belong."""
    for end in ["\n", "\r\n"]:
        name = "lf" if end == "\n" else "crlf"
        one = ["", "value", "", "a", "", "  ", '""', '"b', '"', "", "", " c ", '"d""e"', "", ""]
        three = ["", "a,b,value", "", "1,2,3", "  ", "", ",,", '"","",""', "1,2", "1,2,3,4", "",
                 '"x","y\n\n","z"', "4,5, 6 ", ""]
        for columns, lines in [("one", one), ("three", three)]:
            data = end.join(lines).encode()
            write_bytes(f"{folder}/cells-{columns}-{name}/a.csv", data)
            rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
            rows = [row for row in rows if row]
            kept = [row[-1] for row in rows[1:] if len(row) == len(rows[0])]
            save(f"{folder}/cells-{columns}-{name}.expected", kept)
    # Bytes that are no UTF-8: the rows around them are kept.
    rows = [b"a,value", b"1,x", b"2,\xff", b"3,y", b"4,caf\xe9", b"5,\xe2\x82\xac", b"6,\xe2\x82"]
    write_bytes(f"{folder}/cells-bytes/a.csv", b"\n".join(rows))
    save(f"{folder}/cells-bytes.expected", ["x", "y", "€"])


def write_gzip(folder):
    """Files that are whole or damaged, and what Python makes of them: lines, or an error."""
    first, last = gzip.compress(b"1\n2\n3"), gzip.compress(b"4\n5\n")
    empty = gzip.compress(b"")
    cases = {
        "two": first + last,
        "empty-first": empty + first + last,
        "empty-between": first + empty + empty + last,
        "only-empty": empty,
        "zeros-behind": first + last + bytes(512),
        "garbage-behind": first + last + b"garbage",
        "plain-behind": first + b"4\n5\n",
        "no-trailer": first + last[:-8],
        "half-trailer": first + last[:-3],
        "torn": first + last[:-10],
        "torn-header": first + last[:4],
        "wrong-checksum": first + last[:-8] + bytes([last[-8] ^ 1]) + last[-7:],
        "wrong-length": first + last[:-4] + bytes([last[-4] ^ 1]) + last[-3:],
    }
    for name, data in cases.items():
        write_bytes(f"{folder}/gzip-{name}/a.txt.gz", data)
        try:
            lines = gzip.decompress(data).decode().splitlines()
        except (OSError, EOFError):
            lines = ["damaged"]
        save(f"{folder}/gzip-{name}.expected", lines)


# Of instants, the unit in which a file keeps them.
def arrow_type(kind, name, unit, zone):
    if isinstance(kind, dict):
        fields = [pa.field(below, arrow_type(its, below, unit, zone)) for below, its in kind.items()]
        return pa.struct(fields)
    if isinstance(kind, tuple):
        fields = [pa.field(str(at), arrow_type(its, "i16", unit, zone)) for at, its in enumerate(kind)]
        return pa.struct(fields)
    if kind == INT:
        exact = {"i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "u8": pa.uint8(),
                 "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(),
                 "some_number": pa.uint64()}
        return exact.get(name, pa.int64())
    words = pa.dictionary(pa.int8(), pa.string())
    return {F32: pa.float32(), F64: pa.float64(), FLAG: pa.bool_(), BYTES: pa.binary(),
            TEXT: words if name.endswith("kind") else pa.string(),
            AT: pa.timestamp(unit, zone), SENT: pa.timestamp(unit, zone)}[kind]


def to_arrow(values, kind, type_):
    """An array; the milliseconds of an instant become those of a unit, and something below them."""
    if isinstance(kind, (dict, tuple)):
        pairs = list(kind.items() if isinstance(kind, dict) else enumerate(kind))
        fields = [to_arrow([None if value is None else value[at] for value in values], below,
                           type_.field(place).type) for place, (at, below) in enumerate(pairs)]
        missing = pa.array([value is None for value in values], pa.bool_())
        return pa.StructArray.from_arrays(fields, fields=list(type_), mask=missing)
    if kind in (AT, SENT):
        factor = {"ms": 1, "us": 1_000, "ns": 1_000_000}[type_.unit]
        scaled = [value if value is None else value * factor + CHANCE.randrange(factor)
                  for value in values]
        return pa.array(scaled, pa.int64()).cast(type_)
    if pa.types.is_dictionary(type_):
        return pa.array(values, pa.string()).dictionary_encode().cast(type_)
    return pa.array(values, type_)


def write_parquet(folder):
    def case(name, unit="ms", zone="UTC", **options):
        # 64 bits of nanoseconds begin and end within those of milliseconds.
        def times():
            return moment(-9_223_372_036_854, 9_223_372_036_853) if unit == "ns" else moment()

        records = [deep(times) for _ in range(200)]
        columns = {below: to_arrow([record[below] for record in records], kind,
                                   arrow_type(kind, below, unit, zone))
                   for below, kind in DEEP.items()}
        os.makedirs(f"{folder}/{name}")
        path = f"{folder}/{name}/a.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=CHANCE.choice([7, 50, 1000]), **options)
        save(f"{folder}/{name}.expected", [canonical(record, DEEP) for record in records])

    for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
        case(f"parquet-{codec}", compression=codec, use_dictionary=codec != "snappy")
    case("parquet-checked", write_page_checksum=True, data_page_version="2.0", use_dictionary=False)
    case("parquet-small-pages", data_page_size=64, write_page_index=True, write_batch_size=5)
    case("parquet-us", unit="us")
    case("parquet-ns", unit="ns", version="2.6")
    case("parquet-zone", unit="us", zone="America/St_Johns")
    case("parquet-local", unit="us", zone=None)
    case("parquet-int96", unit="ns", zone=None, use_deprecated_int96_timestamps=True)
    case("parquet-unmarked", store_schema=False)
    case("parquet-deltas", use_dictionary=False, column_encoding={
        "flat.i32": "DELTA_BINARY_PACKED", "flat.u64": "DELTA_BINARY_PACKED",
        "flat.f32": "BYTE_STREAM_SPLIT", "flat.f64": "BYTE_STREAM_SPLIT",
        "flat.text": "DELTA_BYTE_ARRAY", "inner.text": "DELTA_LENGTH_BYTE_ARRAY",
        "flat.at": "DELTA_BINARY_PACKED", "flat.flag": "RLE",
    })
    write_sales(folder)


def write_sales(folder):
    """Columns of other types than the fields have."""
    amounts = [decimal.Decimal(text) for text in ["12.50", "-0.05", "0.00", "99999999.99"]]
    days = [datetime.date(2013, 1, 31), datetime.date(1582, 10, 14), datetime.date(1, 1, 1),
            datetime.date(9999, 12, 31)]
    whole = [decimal.Decimal(number) for number in [2**53 + 1, -(2**63), 2**63 - 1, 0]]
    columns = {
        "amount": pa.array(amounts, pa.decimal128(10, 2)),
        "large": pa.array(amounts, pa.decimal256(60, 2)),
        "small": pa.array(amounts, pa.decimal128(10, 2)),
        "day": pa.array(days, pa.date32()),
        "whole": pa.array(whole, pa.decimal128(38, 0)),
        "count": pa.array([0, 1, 65535, 256], pa.int64()),
        "narrow": pa.array([0, -1, 127, -128], pa.int8()),
        "ratio": pa.array([0.5, -0.0, 1e30, float("inf")], pa.float32()),
        "code": pa.array([b"\x00\xff", b"ab", b"  ", b"\n\r"], pa.binary(2)),
        "text": pa.array(["", "x", "日本", "\0"], pa.large_string()),
        "seen": pa.array([b"", b"x", b"\xff", b"\0"], pa.large_binary()),
        "none": pa.nulls(4),
    }
    table = pa.table(columns)
    os.makedirs(f"{folder}/sales")
    pq.write_table(table, f"{folder}/sales/a.parquet", row_group_size=3,
                   store_decimal_as_integer=True)
    texts = [format(amount, "f") for amount in amounts]
    rows = zip(texts, days, whole, table["count"].to_pylist(), table["narrow"].to_pylist(),
               table["ratio"].to_pylist(), table["code"].to_pylist(), table["text"].to_pylist(),
               table["seen"].to_pylist())
    save(f"{folder}/sales.expected", [
        {"amount": amount, "large": amount, "small": amount, "day": day.isoformat(),
         "whole": int(whole), "count": count, "narrow": narrow, "ratio": bits(ratio, F64),
         "code": code.hex(), "text": text_, "seen": seen.hex(), "none": None}
        for amount, day, whole, count, narrow, ratio, code, text_, seen in rows
    ])


def main(verb, folder):
    if verb == "read":
        return read(folder)
    for write in [write_csv, write_json, write_lines, write_cells, write_gzip, write_parquet]:
        write(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
