"""Text vectors: meaning beats spelling where a model is there, spelling works in any script."""

import numpy as np
import pytest

from proofreel.perception import text_similarity
from proofreel.perception._lexical import coverage, foreign_share, ngram_vectors
from proofreel.perception.embeddings import NgramEmbedder, load_embedder

PAIRS = [
    ("From which track does the train depart?", "The train leaves from platform four."),
    ("What should travellers take along?", "Please bring your passport and a warm jacket."),
    ("When is the test?", "The exam is on Friday."),
    ("How much does it cost?", "The total price is twelve euros."),
    ("Where is food sold?", "The canteen is on the ground floor."),
    ("What is the secret word?", "The password for the meeting is blue elephant."),
    ("Is the shop open on Sunday?", "We are closed at weekends."),
    ("Who wrote the book?", "The author of this novel is Ann Lee."),
]


def test_paraphrases_find_their_line():
    lines = [line for _, line in PAIRS]
    for k, (query, _) in enumerate(PAIRS):
        assert int(np.argmax(text_similarity(query, lines, embedder=load_embedder()))) == k, query


def test_rows_have_length_one_and_do_not_depend_on_company():
    texts = ["short", "a much longer line about the weather of the north sea in winter", "", "short"]
    rows = load_embedder().embed(texts)
    assert rows.dtype == np.float32 and rows.shape == (4, 384)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.array_equal(rows[0], rows[3])
    assert float(rows[0] @ load_embedder().embed(["short"])[0]) > 0.99


def test_no_texts_no_rows():
    assert load_embedder().embed([]).shape == (0, 384)
    assert text_similarity("x", [], embedder=load_embedder()).shape == (0,)


def test_chinese_goes_by_characters():
    lines = ["登机口在二楼", "今天天气很好", "The train leaves from platform four."]
    scores = text_similarity("登机口在哪里", lines, embedder=load_embedder())
    assert int(np.argmax(scores)) == 0
    assert scores[1] < 0.5 * scores[0] and scores[2] < 0.5 * scores[0]


def test_code_on_a_sign_is_found_among_like_ones():
    lines = ["Gate C14 to Oslo", "Gate B22 to Oslo", "Gate A3 to Oslo"]
    assert int(np.argmax(text_similarity("what does gate B22 say", lines, embedder=load_embedder()))) == 1


def test_coverage_by_hand():
    # "=ab", "<ab", "ab>" are the grams of "ab"; "abc" shares "<ab" only.
    assert coverage("ab", ["ab", "abc", "xyz"]).tolist() == pytest.approx([1.0, 1 / 3, 0.0])
    assert coverage("", ["ab"]).tolist() == [0.0]


def test_foreign_share_by_hand():
    assert foreign_share("ab登机") == 0.5
    assert foreign_share("123") == 0


def test_without_a_model_spelling_decides():
    lines = ["Gate C14 to Oslo", "Gate B22 to Bergen"]
    assert int(np.argmax(text_similarity("bergen", lines))) == 1
    rows = NgramEmbedder().embed(lines)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert not ngram_vectors([""]).any()


def test_wrong_number_of_vectors_is_refused():
    with pytest.raises(ValueError, match="got 1 vectors for 2 texts"):
        text_similarity(
            "x", ["a", "b"], embedder=load_embedder(), vectors=np.zeros((1, 384), dtype=np.float32)
        )
