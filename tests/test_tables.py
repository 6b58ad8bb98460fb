"""Tables: whatever a cell holds stands on the page as text."""

from html.parser import HTMLParser

import pytest

from eagle_lab.pictures.tables import facts, percent, plain, signed, table

HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</td></tr></table><b>", "a & b", "&lt;", "'\"`",
    "<!--",
    "<|end|>", "\x00", "\u202e", "😀", "]]>", "javascript:alert(1)", "{{x}}", "x" * 10_000,
]  # fmt: skip


class Reader(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.tags, self.said = [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.said += data


@pytest.mark.parametrize("text", HOSTILE, ids=[ascii(text)[:12] for text in HOSTILE])
def test_any_text_is_escaped(text):
    for page, tags in (
        (facts([(text, text)]), ["table", "tr", "th", "td"]),
        (table([text], [(text,)]), ["table", "tr", "th", "tr", "td"]),
    ):
        read = Reader(page)
        assert read.tags == tags and read.said == 2 * text
        assert plain(page).count(text) == 2 or not text.isprintable()


def test_half_a_surrogate_pair_does_not_reach_a_page():
    assert facts([("\ud83d", "x")]).encode("utf-8") and "?" in facts([("\ud83d", "x")])


def test_a_table_has_as_many_values_as_columns():
    with pytest.raises(ValueError, match=r"rows\[1\] has 1 values: the table has 2 columns"):
        table(["a", "b"], [(1, 2), (3,)])
    with pytest.raises(TypeError, match=r"rows\[0\] must be a list"):
        facts(["ab"])


def test_numbers_are_said_only_where_they_are_some():
    assert signed(-float("inf")) == "−inf" and signed(3) == "3.00" and percent(-0.5) == "−50%"
    for wrong in (float("nan"), float("inf"), 1e308):
        with pytest.raises(ValueError, match="share is"):
            percent(wrong)
    with pytest.raises(ValueError, match="number is nan"):
        signed(float("nan"))
    with pytest.raises(TypeError, match="number must be a number"):
        signed("3")
