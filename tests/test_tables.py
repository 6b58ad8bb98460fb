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


def test_numbers_have_a_real_minus_sign_and_none_is_a_dash():
    assert signed(-float("inf")) == "−inf" and signed(3) == "3.00" and signed(-0.354) == "−0.35"
    assert percent(-0.5) == "−50%" and percent(0) == "0%" and percent(None) == "–"
