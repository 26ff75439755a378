from __future__ import annotations

from isogloss.report.html.figures import MOST_LABELS, MatrixCell, build_matrix


def test_rows_are_the_reference_and_shades_shares_of_a_row() -> None:
    found = build_matrix({("a", "a"): 9, ("a", "b"): 1, ("b", "b"): 5, ("b", None): 5})
    assert found is not None
    assert found.labels == ("a", "b", "none")
    assert found.rows[0] == (
        "a",
        (MatrixCell(9, 5, agrees=True), MatrixCell(1, 1, agrees=False), MatrixCell(0, 0, agrees=False)),
    )
    assert found.rows[2] == ("none", (MatrixCell(0, 0, agrees=False),) * 3)


def test_a_label_that_is_called_none_is_not_the_lack_of_one() -> None:
    found = build_matrix({("none", "none"): 1, (None, "none"): 1})
    assert found is not None
    assert [cells[-1].agrees for _, cells in found.rows] == [False, False]
    assert found.rows[0][1][0].agrees


def test_rare_labels_are_left_out_and_counted() -> None:
    found = build_matrix({(f"l{k:02}", f"l{k:02}"): k + 1 for k in range(MOST_LABELS + 3)})
    assert found is not None
    assert len(found.labels) == MOST_LABELS
    assert found.labels[0] == "l03"
    assert found.left_out == 3


def test_without_counts_there_is_no_matrix() -> None:
    assert build_matrix({}) is None
