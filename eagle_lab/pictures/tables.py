"""HTML tables of plain text, and numbers as text, for what stands beside a picture."""

import html
import math
import re

from ..inputs import check_number, check_sequence


def facts(rows: list[tuple[str, str]]) -> str:
    """Names on the left, what they are on the right; both are escaped.

    >>> "<td" in facts([("accepted", "a < b")]) and "a &lt; b" in facts([("accepted", "a < b")])
    True
    """
    return _table(_cell("th", name) + _cell("td", value) for name, value in _rows(rows, 2))


def table(heads: list[str], rows: list[tuple]) -> str:
    """A line of heads above rows of values; all are escaped.

    >>> table(["node"], [(0,), (1,)]).count("<tr>")
    3
    """
    lines = [[_cell("th", head) for head in check_sequence(heads, "heads")]]
    lines += [[_cell("td", value) for value in row] for row in _rows(rows, len(heads))]
    return _table("".join(line) for line in lines)


def plain(page: str) -> str:
    """A piece of our own HTML as plain text: a line for each row or paragraph, cells apart by " | ".

    >>> plain(table(["node", "token"], [(0, "a < b")]))
    'node | token\\n0 | a < b'
    """
    if not isinstance(page, str):
        raise TypeError(f"page must be text, not {type(page).__name__}")
    lines = re.sub("</tr>|</p>|<br>", "\n", re.sub("</t[hd]>(?=<t[hd])", " | ", page))
    return "\n".join(line for line in html.unescape(re.sub("<[^>]*>", "", lines)).splitlines() if line.strip())


def signed(number: float) -> str:
    """Two decimals, with a real minus sign.

    >>> signed(-0.354)
    '−0.35'
    """
    number = check_number(number, "number")
    if math.isnan(number):
        raise ValueError("number is nan: a table says only what is known")
    return f"{number:.2f}".replace("-", "−")


def percent(share: float) -> str:
    """A share as a whole percentage, with a real minus sign.

    >>> percent(0.354), percent(-0.02)
    ('35%', '−2%')
    """
    share = check_number(share, "share")
    if not math.isfinite(100 * share):
        raise ValueError(f"share is {share}: a percentage is a finite number")
    return f"{100 * share:.0f}%".replace("-", "−")


def _rows(rows, columns: int) -> list:
    """Rows that have as many values as the table has columns."""
    read = [check_sequence(row, f"rows[{place}]") for place, row in enumerate(check_sequence(rows, "rows"))]
    for place, row in enumerate(read):
        if len(row) != columns:
            raise ValueError(f"rows[{place}] has {len(row)} values: the table has {columns} columns")
    return read


def _table(lines) -> str:
    return "<table style='font-size:13px;line-height:1.5'>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _cell(tag: str, value) -> str:
    keep = ";white-space:nowrap" if tag == "th" else ""
    text = str(value).encode("utf-8", "replace").decode("utf-8")  # no page can hold half a surrogate pair
    return f"<{tag} style='text-align:left;padding:2px 14px 2px 0{keep}'>{html.escape(text)}</{tag}>"
