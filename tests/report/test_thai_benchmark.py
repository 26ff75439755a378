from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import SourceError
from isogloss.tasks.segmentation.inputs import open_input
from isogloss.tasks.segmentation.options import SegmentationOptions
from isogloss.tasks.segmentation.sample_rows import SampleRow, build_sample_rows
from isogloss.tasks.segmentation.thai_benchmark_layout import (
    TOOL_METRICS,
    format_tool_table,
    summarize_samples,
    write_details,
)

REFERENCE = [["ผม", "ไม่", "ชอบ", "กิน", "ผัก"], ["ตา", "กลม"], ["ab", "c"], ["A", "AA", "B"], ["ไป"]]
PREDICTED = [["ผม", "ไม่", "ชอบ", "กินผัก"], ["ตาก", "ลม"], ["a", "b", "c"], ["AA", "A", "B"], ["ไป"]]


def rows(number: int = 5) -> list[SampleRow]:
    sides = open_input(REFERENCE[:number], PREDICTED[:number])
    return list(build_sample_rows(sides, SegmentationOptions(profile="thai-benchmark")))


@pytest.mark.extra
@pytest.mark.parametrize("number", [2, 3, 5])
def test_figures_equal_pandas_describe(number: int) -> None:
    pd = pytest.importorskip("pandas")
    from isogloss.tasks.segmentation.sample_rows import to_thai_benchmark_row  # noqa: PLC0415

    described: Any = pd.DataFrame([to_thai_benchmark_row(row) for row in rows(number)]).describe()
    ours = summarize_samples(rows(number))
    for metric in TOOL_METRICS:
        expected = described[metric].to_dict()
        assert {name: ours[metric][name] for name in expected} == pytest.approx(expected)


@pytest.mark.extra
@pytest.mark.parametrize("number", [1, 2, 5])
def test_table_equals_pandas_to_string(number: int) -> None:
    pd = pytest.importorskip("pandas")
    stats = summarize_samples(rows(number))
    frame = pd.DataFrame([{name: row[name] for name in ("metric", "mean±std", "min", "max")} for row in stats.values()])
    assert format_tool_table(stats, "a", "b").split("\n", 2)[2] == frame.to_string(index=False) + "\n"


@pytest.mark.extra
@pytest.mark.parametrize("number", [1, 5])
def test_yaml_equals_pyyaml_dump(number: int, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    path, _ = write_details(tmp_path, "out/newmm.v2.label", rows(number))
    assert path.name == "eval-newmm.yml"
    assert path.read_text(encoding="utf-8") == yaml.dump(summarize_samples(rows(number)), default_flow_style=False)


def test_details_have_every_sample(tmp_path: Path) -> None:
    _, path = write_details(tmp_path / "new" / "folder", "newmm.label", rows())
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content.keys() == {"metrics", "samples"}
    assert [sample["id"] for sample in content["samples"]] == [0, 1, 2, 3, 4]
    third = content["samples"][2]
    assert (third["expected"], third["actual"]) == ("ab|c", "a|b|c")
    assert third["metrics"]["global:tokenisation_indicators"] == "001"
    assert third["metrics"]["word_level:f1"] == pytest.approx(2 / 5)
    assert content["metrics"]["word_level:f1"]["count"] == 5
    assert "ผม|ไม่" in path.read_text(encoding="utf-8")


def test_single_sample_has_no_deviation() -> None:
    assert math.isnan(summarize_samples(rows(1))["word_level:f1"]["std"])


def test_details_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SourceError, match="cannot be written"):
        write_details(tmp_path / "file" / "folder", "a", rows(1))
