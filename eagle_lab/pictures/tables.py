"""HTML tables of plain text, and numbers as text, for what stands beside a picture."""

import html
import re


def facts(rows: list[tuple[str, str]]) -> str:
    """Names on the left, what they are on the right; both are escaped."""
    return _table(_cell("th", name) + _cell("td", value) for name, value in rows)


def table(heads: list[str], rows: list[tuple]) -> str:
    """A line of heads above rows of values; all are escaped."""
    return _table(["".join(_cell("th", head) for head in heads), *("".join(_cell("td", v) for v in r) for r in rows)])


def plain(page: str) -> str:
    """A piece of our own HTML as plain text: a line for each row or paragraph, cells apart by " | ".

    >>> plain(table(["node", "token"], [(0, "a < b")]))
    'node | token\\n0 | a < b'
    """
    lines = re.sub("</tr>|</p>|<br>", "\n", re.sub("</t[hd]>(?=<t[hd])", " | ", page))
    return "\n".join(line for line in html.unescape(re.sub("<[^>]*>", "", lines)).splitlines() if line.strip())


def signed(number: float) -> str:
    """Two decimals, with a real minus sign.

    >>> signed(-0.354)
    '−0.35'
    """
    return f"{number:.2f}".replace("-", "−")


def percent(share: float | None) -> str:
    """A share as a whole percentage, with a real minus sign; a dash where there is none.

    >>> percent(0.354), percent(-0.02), percent(None)
    ('35%', '−2%', '–')
    """
    return "–" if share is None else f"{100 * share:.0f}%".replace("-", "−")


def _table(lines) -> str:
    return "<table style='font-size:13px;line-height:1.5'>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _cell(tag: str, value) -> str:
    keep = ";white-space:nowrap" if tag == "th" else ""
    text = str(value).encode("utf-8", "replace").decode("utf-8")  # no page can hold half a surrogate pair
    return f"<{tag} style='text-align:left;padding:2px 14px 2px 0{keep}'>{html.escape(text)}</{tag}>"
