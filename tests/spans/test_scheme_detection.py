import pytest
from tag_batches import list_spans, make_batch

from isogloss.errors import TagError, UsageError
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import SchemeDecision, decide_schemes, use_named_scheme
from isogloss.spans.schemes import SCHEMES
from isogloss.spans.tag_evidence import TagEvidence

Documents = list[list[str]]


def decided(reference: Documents, predicted: Documents | None = None) -> SchemeDecision:
    return decide_schemes(TagEvidence.from_batch(make_batch(reference, predicted)))


def rows(*lines: str) -> Documents:
    return [line.split() for line in lines]


def test_tags_show_their_scheme() -> None:
    for lines, expected in [
        (["B-PER I-PER O B-LOC", "B-LOC B-LOC I-LOC"], "iob2"),
        (["B-PER O B-LOC"], "iob2"),
        (["I-PER I-PER O", "I-PER B-PER I-LOC O I-LOC"], "iob1"),
        (["I-PER I-PER O I-LOC"], "io"),
        (["I-PER E-PER O E-LOC"], "ioe2"),
        (["E-PER O"], "ioe2"),
        (["I-PER I-PER O E-LOC I-LOC"], "ioe1"),
        (["B-PER I-PER E-PER S-LOC"], "iobes"),
        (["S-PER O"], "iobes"),
        (["B-PER E-PER O"], "iobes"),
        (["B-PER I-PER L-PER U-LOC"], "bilou"),
        (["U-PER O"], "bilou"),
        (["L-PER O"], "bilou"),
        (["B-PER I-PER U-LOC"], "bilou"),
        (["B-PER M-PER E-PER S-LOC"], "bmes"),
        (["B-PER M-PER E-PER"], "bmes"),
        (["B-PER M-PER E-PER W-LOC"], "bmewo"),
        (["B-PER E-PER W-LOC"], "bmewo"),
        (["PER-B PER-I O LOC-B"], "iob2"),
        (["B I O B"], "iob2"),
        (["O O"], "iob2"),
        ([], "iob2"),
    ]:
        decision = decided(rows(*lines))
        assert (decision.reference.name, decision.predicted.name) == (expected, expected)


def test_prediction_is_read_like_the_reference_if_possible() -> None:
    for reference, predicted, expected in [
        ("B-PER I-PER O", "I-PER I-PER O", "iob2"),
        ("B-PER I-PER O", "O O O", "iob2"),
        ("B-PER E-PER S-LOC", "B-PER I-PER B-LOC", "iob2"),
        ("B-PER E-PER S-LOC", "B-PER I-PER S-LOC", "iobes"),
        ("B-PER E-PER S-LOC", "O O O", "iobes"),
        ("B-PER I-PER B-LOC", "B-PER E-PER S-LOC", "iobes"),
        ("B-PER L-PER U-LOC", "B-PER E-PER S-LOC", "iobes"),
        ("I-PER E-PER E-LOC", "I-PER I-PER I-LOC", "io"),
        ("I-PER I-PER O", "B-PER I-PER O", "iob2"),
    ]:
        assert decided(rows(reference), rows(predicted)).predicted.name == expected


def test_prediction_decides_if_reference_has_only_o() -> None:
    decision = decided(rows("O O O"), rows("B-PER E-PER S-LOC"))
    assert (decision.reference.name, decision.predicted.name) == ("iobes", "iobes")
    assert decision.messages[0] == "The reference has no tag other than O: the prediction decides for both."


def test_few_invalid_tags_do_not_change_the_scheme() -> None:
    documents = [*rows(*["B-PER I-PER O B-LOC"] * 50), *rows("I-PER O")]
    decision = decided(documents)
    assert decision.reference.name == "iob2"
    assert "1 of its tags do not fit" in decision.messages[0]


def test_messages_have_the_decision_and_its_evidence() -> None:
    assert decided(rows("B-PER I-PER O B-LOC"), rows("B-PER I-LOC O O")).messages == (
        "The reference is read as IOB2 (2 spans, tags with B-, I-; every tag fits).",
        "The prediction is read as IOB2, like the reference (2 spans, tags with B-, I-; 1 of its tags do not fit).",
    )


def test_inside_tags_alone_leave_open_which_scheme_it_is() -> None:
    lines = decided(rows("I-PER I-PER O"), rows("O O O")).messages
    assert lines[1] == "The tags of the reference could as well be IOB1 or IOE1, which read them alike."


def test_inside_tags_of_prediction_may_be_another_scheme() -> None:
    lines = decided(rows("B-PER I-PER O"), rows("I-PER I-PER O")).messages
    assert lines[-1] == "Every span of the prediction begins with I: it may be IOB1 or IO, which read these tags alike."


def test_a_scheme_of_its_own_is_explained() -> None:
    other_letters = decided(rows("B-PER I-PER B-LOC"), rows("B-PER E-PER S-LOC")).messages
    assert "it uses E-, S-, which IOB2 does not have" in other_letters[1]
    never_closed = decided(rows("B-PER E-PER S-LOC"), rows("B-PER I-PER B-LOC")).messages
    assert "it never uses E-, S-, with which IOBES closes spans" in never_closed[2]


def test_bare_labels_are_read_as_io() -> None:
    documents = rows("person-actor person-actor O building", "O")
    decision = decided(documents)
    assert decision == SchemeDecision(SCHEMES["io"], SCHEMES["io"], "bare", decision.messages)
    assert decision.messages == ("Tags are bare labels, as in PER: neighbours of one label are one span (IO).",)
    assert list_spans(Decoder(decision)(make_batch(documents))) == [[(0, 2, "person-actor"), (3, 4, "building")], []]


def test_a_column_without_o_and_letters_is_no_column_of_tags() -> None:
    with pytest.raises(TagError) as error:
        decided(rows("NOUN VERB", "DET NOUN"))
    assert "does not look like a column of tags: none of 3 values" in error.value.message
    assert error.value.where == "reference[1][0]"
    assert "'DET', 'NOUN', 'VERB'" in error.value.detail
    assert "columns" in error.value.remedy


def test_one_letter_makes_other_labels_unknown_tags() -> None:
    documents = rows("B-PER O", "O X-PER")
    decision = decided(documents)
    assert decision.reference.name == "iob2"
    with pytest.raises(TagError, match="unknown tag 'X-PER'") as error:
        Decoder(decision)(make_batch(documents))
    assert error.value.where == "reference[1][1]"


def test_letters_of_no_scheme_name_the_place_of_the_latest() -> None:
    with pytest.raises(TagError) as error:
        decided(rows("U-PER O", "O O E-LOC"), rows("O O", "O O O"))
    assert error.value.message == "no tag scheme has all of E-, U-, which the reference uses"
    assert error.value.where == "reference[1][2]"
    assert "'E-LOC'" in error.value.detail
    assert "'U-PER'" in error.value.detail


def test_letters_of_no_scheme_in_prediction_are_refused() -> None:
    with pytest.raises(TagError, match="which the prediction uses") as error:
        decided(rows("B-PER I-PER"), rows("S-PER U-PER"))
    assert error.value.where == "predicted[0][1]"


def test_one_letter_too_many_names_suffixes() -> None:
    with pytest.raises(TagError, match=r"-M, -U, which"):
        decided(rows("PER-M PER-U"))


def test_mixed_corpus_is_bilou_with_missing_last_tags() -> None:
    """Four sentences with six entities: long names as B I, short ones as U."""
    documents = [
        "Nour/U-PER joined/O Acme/B-ORG Tools/I-ORG ./O",
        "Rain/O fell/O all/O day/O",
        "The/O North/B-ORG Sea/I-ORG Board/I-ORG thanked/O Olga/U-PER",
        "Ravi/U-PER and/O Blue/B-ORG Lamp/I-ORG met/O",
    ]
    tags = [[token.split("/")[1] for token in document.split()] for document in documents]
    decision = decided(tags)
    assert decision.reference is decision.predicted is SCHEMES["bilou"]
    assert decision.messages == (
        "The reference is read as BILOU with missing L tags (6 spans, tags with B-, I-, U-; 3 of its tags do not fit).",
        (
            "The prediction is read as BILOU with missing L tags, like the reference "
            "(6 spans, tags with B-, I-, U-; 3 of its tags do not fit)."
        ),
    )
    expected = [[(0, 1, "PER"), (2, 4, "ORG")], [], [(1, 4, "ORG"), (5, 6, "PER")], [(0, 1, "PER"), (2, 4, "ORG")]]
    result = Decoder(decision)(make_batch(tags))
    assert list_spans(result, "reference") == list_spans(result, "predicted") == expected


def test_a_named_scheme_is_that_of_both_sides() -> None:
    assert use_named_scheme("bmewo") == SchemeDecision(SCHEMES["bmewo"], SCHEMES["bmewo"], "prefix", ())


def test_a_named_scheme_finds_its_notation_in_the_tags() -> None:
    for name, tags, expected in [
        ("iob2", ("O", "PER-B"), "suffix"),
        ("iob2", ("O", "I-B"), "prefix"),
        ("io", ("O", "PER"), "bare"),
        ("io", ("O", "I-PER"), "prefix"),
        ("io", ("O", "B-PER"), "prefix"),
        ("iob2", ("O", "PER"), "prefix"),
        ("iob2", (), "prefix"),
        ("iob2", ("O", "B_PER", "I_LOC"), "underscore"),
        ("io", ("O", "I_PER", "I_LOC"), "underscore"),
        ("io", ("O", "B_CELL", "I_LINE"), "bare"),
    ]:
        assert use_named_scheme(name, tags).notation == expected


def test_suffix_notation_has_a_message() -> None:
    assert use_named_scheme("iob2", ("PER-B",)).messages == ("Tags end with their letter, as in PER-B.",)


def test_underscore_tags_are_read_like_tags_with_a_hyphen() -> None:
    documents = rows("B_PER I_PER E_PER O S_LOC B_LOC E_LOC")
    decision = decided(documents)
    assert (decision.reference.name, decision.notation) == ("iobes", "underscore")
    assert list_spans(Decoder(decision)(make_batch(documents))) == [[(0, 3, "PER"), (4, 5, "LOC"), (5, 7, "LOC")]]


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ("B_PER I_PER O", "Tags begin with a letter and an underscore: 'B_PER' and 'I_PER' have the same label."),
        (
            "B_CELL I_LINE O",
            (
                "Tags begin with a letter and an underscore, as in 'B_CELL', because all tags but O do. "
                "If they are labels without letters, use --scheme io."
            ),
        ),
        (
            "B_CELL LINE O",
            (
                "'B_CELL' could begin with a letter and an underscore; isogloss reads that it is a label "
                "without a letter, like 'LINE'."
            ),
        ),
        (
            "B_X-I I_X-I O",
            (
                "'B_X-I' could begin with a letter and an underscore; isogloss reads that it ends with a letter, "
                "as all tags."
            ),
        ),
    ],
)
def test_a_letter_before_an_underscore_says_which_rule_decided(tags: str, message: str) -> None:
    assert message in decided(rows(tags)).messages


def test_sides_with_hyphen_and_underscore_are_not_mixed() -> None:
    documents = rows("B-PER O"), rows("B_PER O")
    with pytest.raises(TagError, match=r"unknown tag 'B_PER' in the prediction: IOB2 has B-, I-"):
        Decoder(decided(*documents))(make_batch(*documents))


def test_an_unknown_scheme_lists_those_there_are() -> None:
    with pytest.raises(
        UsageError, match=r"Unknown tag scheme 'iob3'; did you mean iob\d\? Choose from auto, iob2, io, iob1"
    ):
        use_named_scheme("iob3")


def test_the_decision_does_not_depend_on_how_the_input_is_cut() -> None:
    for cut in [0, 1, 2, 3]:
        documents = rows("I-PER I-PER O", "I-PER B-PER", "I-LOC")
        whole = decided(documents)
        parts = TagEvidence.from_batch(make_batch(documents[:cut])) + TagEvidence.from_batch(
            make_batch(documents[cut:], first=cut)
        )
        assert decide_schemes(parts) == whole
        assert whole.reference.name == "iob1"


def test_messages_use_the_given_side_names() -> None:
    evidence = TagEvidence.from_batch(make_batch(rows("B-PER I-PER"), rows("I-PER O")))
    lines = decide_schemes(evidence, {"reference": "column 3", "predicted": "the last column"}).messages[:2]
    assert lines == (
        "Column 3 is read as IOB2 (1 span, tags with B-, I-; every tag fits).",
        "The last column is read as IOB2, like the reference (1 span, tags with I-; 1 of its tags do not fit).",
    )


def test_letters_of_no_scheme_use_the_given_side_name() -> None:
    with pytest.raises(TagError, match="no tag scheme has all of E-, U-, which column 3 uses"):
        decide_schemes(
            TagEvidence.from_batch(make_batch(rows("E-PER U-PER"))), {"reference": "column 3", "predicted": ""}
        )


def test_tags_without_a_letter_are_mentioned() -> None:
    lines = decided(rows("B-PER th X-PER O"), rows("B-PER O O O")).messages
    assert lines[:2] == (
        "The reference is read as IOB2 (1 span, tags with B-; every tag fits).",
        "The reference also has tags of no scheme, such as 'X-PER'.",
    )
    assert "also has" not in " ".join(lines[2:])
