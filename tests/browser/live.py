"""A notebook open in JupyterLab, run to its end, and the panels that it shows."""

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page

# JupyterLab itself asks a new kernel for its widgets, before any cell has imported ipywidgets.
ASKED_TOO_EARLY = "No such comm"
PATIENCE = 120_000  # ms: every wait ends as soon as its condition holds, so only a failure takes this long
QUIET = 100  # ms in which nothing changes, though every message to the kernel is answered
ERRORS = "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error']"
SHOWS_A_PANEL = re.compile(r"(?<!def )\b(\w+_panel|round_player)\(")

OPENED = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady"
RUN_ALL = """async patience => {
    const notebook = window.jupyterapp.shell.currentWidget;
    const run = async () => {
        await notebook.context.ready;
        await notebook.sessionContext.ready;
        const kernel = notebook.sessionContext.session.kernel;
        window.asked = new Set();  // messages to the kernel whose answer is not complete
        window.told = [];  // what no cell shows: errors of callbacks go to the log
        kernel.anyMessage.connect((_, {msg, direction}) => {
            if (direction === 'send' && msg.channel === 'shell') window.asked.add(msg.header.msg_id);
        });
        kernel.iopubMessage.connect((_, {header, parent_header, content}) => {
            if (content.execution_state === 'idle') window.asked.delete(parent_header.msg_id);
            if (header.msg_type === 'error') window.told.push(content.traceback.join('\\n'));
            if (header.msg_type === 'stream' && content.name === 'stderr') window.told.push(content.text);
        });
        await window.jupyterapp.commands.execute('notebook:run-all-cells');
        return notebook.content.widgets.every(({model}) => model.type !== 'code' || model.executionCount);
    };
    const late = new Promise((_, fail) => setTimeout(() => fail(Error('the cells are still running')), patience));
    return Promise.race([run(), late]);
}"""
SETTLED = """async (panel, [quiet, patience]) => {
    // A panel's picture is its own address: all of its bytes.
    const digest = async ({src}) => {
        const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(src)));
        return Array.from(hash.slice(0, 4), byte => byte.toString(16).padStart(2, '0')).join('');
    };
    const all = selector => Array.from(panel.querySelectorAll(selector));
    const look = async () => ({
        pictures: await Promise.all(all('img').map(digest)),
        numbers: all('.widget-html-content').map(html => html.innerText),
        values: all('.widget-readout, select, textarea').map(control => control.value ?? control.innerText),
    });
    // A panel finishes when the hand rests: two pixels for each of the page's, and a number in the place of "…".
    const sharp = ({naturalWidth, style}) => style.display === 'none' || naturalWidth === 2 * parseInt(style.width);
    const counting = ({innerText}) => innerText.startsWith('τ …');
    const finished = () => all('img').every(sharp) && !all('.widget-html-content').some(counting);
    const settle = async () => {
        for (let last = null, since = 0; ; await new Promise(resolve => setTimeout(resolve, 25))) {
            const seen = await look(), now = performance.now();
            if (window.asked.size || !finished() || JSON.stringify(seen) !== last) {
                [last, since] = [JSON.stringify(seen), now];
            } else if (now - since >= quiet) return seen;
        }
    };
    const late = new Promise((_, fail) => setTimeout(() => fail(Error('the panel does not settle')), patience));
    return Promise.race([settle(), late]);
}"""


class Seen(NamedTuple):
    """What a panel shows: its pictures by their hashes, its numbers as text, the values of its controls."""

    pictures: list[str]
    numbers: list[str]
    values: list[str]

    @property
    def view(self) -> tuple:
        """The picture and the numbers, which a control is there to change."""
        return self.pictures, self.numbers

    @property
    def waits(self) -> bool:
        """Whether the panel says that a function of the learner's is still to be written."""
        return any(text.startswith("○") for text in self.numbers)

    def __str__(self) -> str:
        numbers = " ".join(" ".join(self.numbers).split())
        return f"    controls {self.values}\n    pictures {self.pictures}\n    numbers {numbers[:600]}"


@dataclass
class Panel:
    """The output of one cell: controls, pictures and numbers."""

    root: Locator
    maker: str = ""  # the function that its cell calls, "tree_panel" for one
    seen: Seen | None = None  # when it last settled

    @property
    def page(self) -> Page:
        return self.root.page

    def settled(self) -> Seen:
        """Wait until all moves so far are answered and finished; what then is seen."""
        self.seen = Seen(**self.root.evaluate(SETTLED, [QUIET, PATIENCE]))
        return self.seen

    def all(self, selector: str) -> list[Locator]:
        """The controls of one kind that a reader sees, in their order."""
        return self.root.locator(selector).locator("visible=true").all()


class LiveNotebook:
    """A notebook in a page of its own; `complaints` is what went wrong out of a reader's sight."""

    def __init__(self, page: Page, server: str):
        self.page, self.panels, self.complaints = page, [], []
        self._server = urlsplit(server).netloc
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("console", self._listen)
        page.on("request", lambda request: self._watch(request.url))
        page.on("websocket", lambda socket: self._watch(socket.url))

    def run(self, address: str, file: Path) -> None:
        """Open the notebook that lies at an address and in a file, run all its cells, and wait for its panels."""
        self.run_cells(address)
        self.panels = self._find_panels(json.loads(file.read_text(encoding="utf-8"))["cells"])

    def run_cells(self, address: str, patience: int = PATIENCE) -> None:
        """Open the notebook at an address and run all its cells, in so many milliseconds."""
        self.page.goto(address)
        self.page.wait_for_function(OPENED)
        all_ran = self.page.evaluate(RUN_ALL, patience)
        assert all_ran, f"a code cell of {address} did not run: {self.told()}"

    def shut_down(self) -> None:
        """End the notebook's kernel."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def told(self) -> list[str]:
        """Errors and warnings that the kernel sent, in a cell or out of sight."""
        return [text for text in self.page.evaluate("window.told ?? []") if not text.startswith(ASKED_TOO_EARLY)]

    @contextmanager
    def pictured(self, folder: Path):
        """A failure within names a screenshot of the page."""
        try:
            yield
        except Exception as error:
            self.page.screenshot(path=folder / "page.png")
            error.add_note(f"{self.page.title()}: see {folder / 'page.png'}; the kernel told: {self.told()}")
            raise

    def _find_panels(self, cells: list[dict]) -> list[Panel]:
        """Every output with widgets; the cells that ask for a panel must be among them."""
        panels = []
        for number, cell in enumerate(cells):
            output = self.page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".jp-Cell-outputArea")
            maker = cell["cell_type"] == "code" and SHOWS_A_PANEL.search("".join(cell["source"]))
            if maker:
                output.locator(".jupyter-widgets").first.wait_for()
            if output.locator(".jupyter-widgets").count():
                panels.append(Panel(output, maker[1] if maker else ""))
                panels[-1].settled()
        return panels

    def _listen(self, message) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text} {message.location}")

    def _watch(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self._server:
            self.complaints.append(f"request to another host: {url}")
