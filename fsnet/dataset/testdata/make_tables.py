"""Writes tables/: one table in every format that is read, with other programs than those that read them, and reference.csv, its values as
plain text. Files whose names begin with "bad" are refused.

Made with Python 3.11.7, NumPy 2.4.6, pandas 3.1.1, PyArrow 26.0.1, openpyxl 3.1.5, XlsxWriter, zstandard 0.25.0, SciPy 1.17.1, h5py 3.16.0:
    python make_tables.py
"""
import datetime
import decimal
import gzip
import io
import math
import pathlib

import h5py
import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import scipy.io
import xlsxwriter
import zstandard

OUT = pathlib.Path(__file__).parent / "tables"
N = 12
random = np.random.default_rng(7)

samples = [f"s{i:02}" for i in range(N)]
classes = [("normal", "tumour", "β-cell")[i % 3] for i in range(N)]
double = random.normal(size=N).round(6)
double[3] = math.nan
single = random.normal(size=N).astype(np.float32)
counts = random.integers(-5, 70000, size=N)
small = random.integers(0, 100, size=N).astype(np.uint8)
features = {"TP53": double, "β-actin": single, "counts": counts, "small, left": small}
table = pd.DataFrame({**features, "diagnosis": classes}, index=samples)


def reference():
    """Without a library: 32-bit values as the shortest text that reads back to them."""
    lines = ["sample\t" + "\t".join(features) + "\tdiagnosis"]
    for i in range(N):
        cells = ["" if isinstance(v[i], float) and math.isnan(v[i]) else str(v[i]) for v in features.values()]
        lines.append("\t".join([samples[i], *cells, classes[i]]))
    (OUT / "reference.tsv").write_text("\n".join(lines) + "\n")


def texts():
    plain = table.to_csv()
    (OUT / "comma.csv.gz").write_bytes(gzip.compress(plain.encode(), mtime=0))
    (OUT / "comma.csv.zst").write_bytes(zstandard.compress(plain.encode()))
    (OUT / "marked.csv").write_bytes(plain.encode("utf-8-sig"))
    (OUT / "decimal.csv").write_text(table.to_csv(sep=";", decimal=","))
    (OUT / "bars.txt").write_text(table.to_csv(sep="|", decimal=","))
    (OUT / "utf16-little.txt").write_bytes(b"\xff\xfe" + table.to_csv(sep="\t").encode("utf-16-le"))
    (OUT / "utf16-big.csv").write_bytes(b"\xfe\xff" + plain.replace("\n", "\r\n").encode("utf-16-be"))
    (OUT / "utf16.csv.gz").write_bytes(gzip.compress(table.to_csv(sep=";", decimal=",").encode("utf-16"), mtime=0))
    (OUT / "two-members.csv.gz").write_bytes(gzip.compress(plain[:100].encode(), mtime=0) + gzip.compress(plain[100:].encode(), mtime=0))
    tar = io.BytesIO(b"a.csv" + bytes(507) + plain.encode())
    (OUT / "bad-tar.tar.gz").write_bytes(gzip.compress(tar.getvalue(), mtime=0))


def workbooks():
    table.to_excel(OUT / "pandas.xlsx")
    with xlsxwriter.Workbook(OUT / "xlsxwriter.xlsx", {"constant_memory": True}) as inline:  # texts in the cells themselves
        inline.set_properties({"created": datetime.datetime(2024, 1, 1)})
        sheet = inline.add_worksheet()
        for i, row in enumerate([["sample", *features, "diagnosis"], *([s, *[v[i].item() for v in features.values()], classes[i]] for i, s in enumerate(samples))]):
            for j, value in enumerate(row):
                if not (isinstance(value, float) and math.isnan(value)):
                    sheet.write(i, j, value)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Expression & co"
    book.create_sheet("notes").append(["nothing", "here"])
    names = ["sample", *features, "diagnosis"]
    for j, name in enumerate(names):
        sheet.cell(3, 2 + j, name)  # two empty rows above, an empty column before
    for i in range(N):
        row = [samples[i], *[v[i].item() for v in features.values()], classes[i]]
        for j, value in enumerate(row):
            if not (isinstance(value, float) and math.isnan(value)):
                sheet.cell(4 + i + (i > 5), 2 + j, value)  # an empty row in the middle
    sheet.cell(7, 3).value = "#N/A"
    sheet.cell(7, 3).data_type = "e"
    book.save(OUT / "openpyxl.xlsx")
    book = openpyxl.Workbook()
    book.active.append(["g", "label"])
    book.active.append(["#DIV/0!", "u"])
    book.active["A2"].data_type = "e"
    book.save(OUT / "bad-error.xlsx")
    openpyxl.Workbook().save(OUT / "bad-empty.xlsx")
    book = openpyxl.Workbook()
    book.active.append(["TP53", datetime.date(2024, 9, 2), "label"])
    book.active.append([1, 2, "u"])
    book.save(OUT / "bad-date.xlsx")


def arrays():
    x = np.column_stack([v.astype(np.float64) for v in features.values()])
    names, y = np.array(list(features)), np.array(classes)
    np.savez(OUT / "named.npz", X=x, y=y, feature_names=names, samples=np.array(samples))
    np.savez_compressed(OUT / "shapes.npz", data=np.asfortranarray(x), kind=y, columns=names)
    np.savez(OUT / "bytes.npz", measured=x.astype(">f8"), label=np.char.encode(y, "utf-8"), genes=np.char.encode(names, "utf-8"), sample_names=np.array(samples))
    codes = np.array([sorted(set(classes)).index(c) for c in classes], dtype=np.int8)
    np.savez(OUT / "codes.npz", x=x.astype(np.float32), target=codes.reshape(-1, 1))
    np.savez(OUT / "half.npz", x=np.array([[0.5, -2], [65504, math.nan], [6e-8, 1]], dtype=np.float16), y=np.array([True, False, True]))
    np.savez(OUT / "bad-two.npz", a=x, b=x[:, :3], y=y)
    np.savez(OUT / "bad-no-classes.npz", X=x)
    np.savez(OUT / "bad-objects.npz", X=x, y=y.astype(object))
    np.savez(OUT / "bad-complex.npz", X=x.astype(np.complex128), y=y)

def alone():
    """Arrays of their own, in directories: what lies beside one is read with it."""
    x = np.column_stack([v.astype(np.float64) for v in features.values()])
    names, y = np.array(list(features)), np.array(classes)
    donors = np.array([i // 2 for i in range(N)])

    def write(directory, **of):
        (OUT / directory).mkdir(exist_ok=True)
        for name, array in of.items():
            np.save(OUT / directory / f"{name}.npy", array)

    write("arrays", X=x, y=y, feature_names=names, samples=np.array(samples), donor=donors)
    write("fortran", expression=np.asfortranarray(x.astype(">f8")), kinds=np.char.encode(y, "utf-8"), genes=names, sample_names=np.array(samples), few=y[:5])
    write("bad-arrays", alone=x, structured=np.zeros(N, dtype=[("a", "f8"), ("b", "i4")]), objects=y.astype(object), vector=x[:, 0], transposed=x[:11].T)
    (OUT / "bad-arrays" / "cut.npy").write_bytes((OUT / "arrays" / "X.npy").read_bytes()[:300])


def columns():
    arrow = pa.table({**{k: pa.array(v, from_pandas=True) for k, v in features.items()}, "diagnosis": classes, "sample": samples})
    table.to_parquet(OUT / "pandas.parquet")
    left = pd.DataFrame({"patient": ["a", "b", "c", "d"], "g": [1.0, 2, 3, 4], "h": [5.0, 6, 7, 9], "label": ["u", "v", "u", "v"]}).drop(index=1)
    left.to_parquet(OUT / "filtered.parquet")
    left.to_feather(OUT / "filtered.feather")
    named = table.rename_axis("sample").astype({"diagnosis": "category", "counts": "Int64"})
    named.to_parquet(OUT / "category.parquet", compression="zstd")
    pq.write_table(arrow, OUT / "groups.parquet", row_group_size=5, compression="gzip", use_dictionary=["diagnosis"], data_page_version="2.0")
    pq.write_table(arrow, OUT / "encodings.parquet", compression="none", use_dictionary=False,
                   column_encoding={"TP53": "BYTE_STREAM_SPLIT", "counts": "DELTA_BINARY_PACKED", "diagnosis": "DELTA_BYTE_ARRAY", "sample": "DELTA_LENGTH_BYTE_ARRAY"})
    pq.write_table(arrow, OUT / "lz4.parquet", compression="lz4", version="1.0")
    pq.write_table(arrow, OUT / "brotli.parquet", compression="brotli")
    named.reset_index().to_feather(OUT / "category.feather")
    pyarrow.feather.write_feather(arrow, OUT / "zstd.feather", compression="zstd", chunksize=5)
    large = arrow.cast(pa.schema([(f.name, pa.large_string() if f.type == pa.string() else f.type) for f in arrow.schema]))
    with pa.OSFile(str(OUT / "file.arrow"), "wb") as sink, pa.ipc.new_file(sink, large.schema) as writer:
        writer.write_table(large)
    with pa.OSFile(str(OUT / "stream.arrows"), "wb") as sink, pa.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow, max_chunksize=7)
    # unnamed and all else that numbers come as
    kinds = {
        "bool": pa.array([i % 2 == 0 for i in range(N)]), "half": pa.array(single.astype(np.float16)), "i8": pa.array(small // 2, pa.int8()),
        "u64": pa.array([2**40 + i for i in range(N)], pa.uint64()), "cents": pa.array([i / 4 for i in range(N)]).cast(pa.decimal128(9, 2)),
        "group": pa.array([i % 3 for i in range(N)], pa.int16()).dictionary_encode(), "label": pa.array([None if i == 2 else i % 2 for i in range(N)], pa.int64()),
    }
    pq.write_table(pa.table(kinds), OUT / "kinds.parquet", store_decimal_as_integer=True)
    pyarrow.feather.write_feather(pa.table({k: v for k, v in kinds.items() if k != "cents"}), OUT / "kinds.feather")
    pq.write_table(pa.table({"day": pa.array([0, 1], pa.date32()), "label": ["u", "v"]}), OUT / "bad-date.parquet")
    pq.write_table(pa.table({"many": [[1.0], [2.0, 3.0]], "label": ["u", "v"]}), OUT / "bad-list.parquet")
    pq.write_table(pa.table({"nested": [{"a": 1.0}, {"a": 2.0}], "label": ["u", "v"]}), OUT / "bad-struct.parquet")
    pyarrow.feather.write_feather(pa.table({"many": [[1.0], [2.0, 3.0]], "label": ["u", "v"]}), OUT / "bad-list.feather")
    try:
        pyarrow.feather.write_feather(arrow, OUT / "bad-version-1.feather", version=1)
    except Exception as error:  # newer versions of PyArrow do not write it any more
        print(error)


def series():
    """NCBI's GEO writes these; there is no library that does."""
    ids = [f"GSM{1000 + i}" for i in range(N)]
    head = [
        '!Series_title\t"A study of ""three"" kinds"', '!Series_geo_accession\t"GSE1"', '!Series_summary\t"One line"', '!Series_summary\t"and another"', "",
        "!Sample_title\t" + "\t".join(f'"{s}"' for s in samples), "!Sample_geo_accession\t" + "\t".join(f'"{i}"' for i in ids),
        "!Sample_source_name_ch1\t" + "\t".join(f'"{"biopsy" if i % 2 else "blood"}"' for i in range(N)),
        "!Sample_characteristics_ch1\t" + "\t".join(f'"disease state: {c}"' for c in classes),
        # not every sample has every characteristic, and then those after it move up
        "!Sample_characteristics_ch1\t" + "\t".join(f'"tissue: {"colon" if i % 2 else "ileum"}"' if i != 4 else '"age: 44"' for i in range(N)),
        "!Sample_characteristics_ch1\t" + "\t".join(f'"age: {40 + i}"' if i != 4 else '""' for i in range(N)),
        "!Sample_data_row_count\t" + "\t".join(['"4"'] * N),
        "!series_matrix_table_begin", '"ID_REF"\t' + "\t".join(f'"{i}"' for i in ids),
    ]
    rows = [f'"{name}"\t' + "\t".join("" if isinstance(v, float) and math.isnan(v) else str(v) for v in values) for name, values in features.items()]
    end = ["!series_matrix_table_end", ""]
    text = "\n".join(head + rows + end)
    (OUT / "GSE1_series_matrix.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (OUT / "bad-cut_series_matrix.txt").write_text("\n".join(head + rows[:2]) + "\n")
    (OUT / "bad-no-values_series_matrix.txt").write_text("\n".join(head + end))
    (OUT / "bad-ragged_series_matrix.txt").write_text("\n".join(head + rows[:1] + ['"short"\t1\t2'] + end))


def gct():
    def cells(values):
        return "\t".join("NA" if isinstance(v, float) and math.isnan(v) else str(v) for v in values)
    rows = "".join(f"{name}\tsome {name}\t{cells(values)}\n" for name, values in features.items())
    body = "Name\tDescription\t" + "\t".join(samples) + "\n" + rows
    (OUT / "with.gct").write_text(f"#1.2\n{len(features)}\t{N}\n{body}")
    kinds = list(dict.fromkeys(classes))
    (OUT / "with.cls").write_text(f"{N} {len(kinds)} 1\n# {' '.join(kinds)}\n{' '.join(str(kinds.index(c)) for c in classes)}\n")
    (OUT / "bad-no-classes.gct").write_text(f"#1.2\n{len(features)}\t{N}\n{body}")
    (OUT / "bad-counts.gct").write_text(f"#1.2\n{len(features) + 1}\t{N}\n{body}")
    from cmapPy.pandasGEXpress.GCToo import GCToo
    from cmapPy.pandasGEXpress.write_gct import write
    data = pd.DataFrame(np.vstack([v.astype(np.float64) for v in features.values()]), index=list(features), columns=samples)
    about_rows = pd.DataFrame({"chromosome": ["17", "7", "X", "1"], "title": ["a", "b", "c", "d"]}, index=list(features))
    about_columns = pd.DataFrame({"diagnosis": classes, "age": range(40, 40 + N), "tissue": ["colon" if i % 2 else "ileum" for i in range(N)]}, index=samples)
    write(GCToo(data_df=data, row_metadata_df=about_rows, col_metadata_df=about_columns), str(OUT / "cmap.gct"), data_float_format="%.9g")


def spelt():
    """What looks like one number and is not, and a feature that does not vary in 32 bits, in files that say what is text; an h5ad has R's logicals and factors, too."""
    codes = pd.DataFrame({
        "G0": np.arange(8) / 4, "G1": [1.5, -2, 0.25, 3, -1, 2, 0, 5], "pos": 2.0**24 + np.arange(8) % 2,
        "label": ["345.10", "345.1", "01", "1"] * 2,
        "donor": ["1017", "1017.0", "001017", "1e3", "1017", "1017.0", "001017", "1e3"],
        "big": np.array([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3] * 2, dtype=np.int64),
        "real": [1.0, 2.0, 2.5, 1e6] * 2,
    })
    decimals = [decimal.Decimal(9007199254740993 + i % 2) for i in range(8)]
    plain = pa.Table.from_pandas(codes, preserve_index=False).replace_schema_metadata()
    nothing = pa.nulls(8)
    pq.write_table(plain.append_column("exact", pa.array(decimals, pa.decimal128(20, 0))).append_column("nothing", nothing), OUT / "spelt.parquet")
    pa.feather.write_feather(plain.append_column("nothing", nothing), OUT / "spelt.feather")
    codes.drop(columns="big").to_excel(OUT / "spelt.xlsx", index=False)
    arrays = {name: codes[name].to_numpy() for name in ("big", "real")}
    np.savez_compressed(OUT / "spelt.npz", X=codes[["G0", "G1", "pos"]].to_numpy(), **arrays, **{name: codes[name].to_numpy(dtype=str) for name in ("label", "donor")})
    scipy.io.savemat(OUT / "spelt.mat", {"X": codes[["G0", "G1", "pos"]].to_numpy(), **arrays, **{name: codes[name].to_numpy(dtype=object) for name in ("label", "donor")}})
    with h5py.File(OUT / "spelt.h5ad", "w", libver="latest") as file:
        file["X"] = codes[["G0", "G1", "pos"]].to_numpy()
        file["X"].attrs["encoding-type"] = "array"
        for name, index in (("obs", samples[:8]), ("var", ["G0", "G1", "pos"])):
            frame = file.create_group(name)
            frame.attrs.update({"_index": "_index", "encoding-type": "dataframe", "encoding-version": "0.2.0"})
            frame["_index"] = index
        for name in ("label", "donor", "big", "real"):
            file["obs"][name] = codes[name].to_list() if codes[name].dtype == object or name in ("label", "donor") else codes[name].to_numpy()
        logical = h5py.enum_dtype({"FALSE": 0, "TRUE": 1, "NA": 2}, basetype="i1")
        factor = h5py.enum_dtype({"ctl": 1, "case": 2, "other": 3}, basetype="u1")
        wide = h5py.enum_dtype({"low": 1, "high": 70000, "NA": -(2**31)}, basetype="i4")
        for name, kind, values in (("logical", logical, [0, 1, 2, 1] * 2), ("factor", factor, [1, 2, 3, 0] * 2), ("wide", wide, [1, 70000, -(2**31), 1] * 2)):
            file["obs"].create_dataset(name, data=np.array(values), dtype=kind)


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for make in (reference, texts, workbooks, arrays, alone, columns, series, gct, spelt):
        try:
            make()
        except ImportError as error:
            print(make.__name__, error)
