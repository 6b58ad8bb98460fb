"""How every notebook opens: the links that run it in the cloud, and the cell that installs the package there."""

import tomllib
from pathlib import Path
from urllib.parse import quote

# The one place that says where the project lives, as owner/name on GitHub. The real address is not decided yet:
# whoever publishes the project changes this line and runs `make notebooks`.
REPOSITORY = "eagle-lab/eagle-lab"
BRANCH = "main"  # what the links open
# The course that this chapter belongs to: the folder with its chapters 23, 35 and 68.
COURSE = "https://github.com/datawhalechina/llm-algo-leetcode/blob/main/02_PyTorch_Algorithms"

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ARCHIVE = f"https://github.com/{REPOSITORY}/archive/refs/tags/v{PROJECT['version']}.zip"  # a host may lack git

HOSTS = {
    "ModelScope": f"https://modelscope.cn/notebook/share/github/{REPOSITORY}/blob/{BRANCH}/",
    "Colab": f"https://colab.research.google.com/github/{REPOSITORY}/blob/{BRANCH}/",
    "Binder": f"https://mybinder.org/v2/gh/{REPOSITORY}/{BRANCH}?urlpath=lab/tree/",
}
WORDS = {
    "zh": (
        "云端运行环境",
        "点开任意一个就能运行，自己的电脑上什么都不用装；只需 CPU。缺少 `eagle_lab` 时，第一个代码单元会把它装好。",
    ),
    "en": (
        "Run it in the cloud",
        "Open any of them: nothing to install on your own machine, and a CPU will do. "
        "The first code cell installs `eagle_lab` where it is missing.",
    ),
}

# numpy is named beside eagle-lab, so that pip keeps the one that is there or says why it cannot. Nothing here asks for
# torch, so pip leaves it alone; naming it too would make pip complete whatever a host has left out of it.
INSTALL = """\
import subprocess
import sys
from importlib import metadata, util

if not util.find_spec("eagle_lab"):  # 没有才安装，已有的 numpy 不动 · only where it is missing; numpy stays as it is
    keep = [f"numpy=={metadata.version('numpy')}"] if util.find_spec("numpy") else []
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *keep, "eagle-lab @ ADDRESS"]
    assert not (ran := subprocess.run(pip, capture_output=True, text=True)).returncode, ran.stderr"""


def launch_block(path: str, language: str) -> str:
    """The quote block, "zh" or "en", with links that open the notebook at `path` from the repository's root.

    Raises `ValueError` for another language, or for a path that starts elsewhere.

    >>> print(launch_block("notebooks/en/03_candidate_tree.ipynb", "en").splitlines()[0])
    > 🚀 **Run it in the cloud**
    """
    if language not in WORDS:
        raise ValueError(f"language is {language!r}: there are {', '.join(WORDS)}")
    if path.startswith(("/", ".")):
        raise ValueError(f"path is {path!r}: it starts at the repository's root, as notebooks/zh/… does")
    title, sentence = WORDS[language]
    links = "　|　".join(f"[{host}]({address}{quote(path)})" for host, address in HOSTS.items())
    return f"> 🚀 **{title}**\n>\n> {links}\n>\n> {sentence}"


def install_cell(address: str = ARCHIVE) -> str:
    """The first code cell: installs `address` (a URL, `file://` too) where eagle_lab is missing, else does nothing.

    The cell prints nothing; where pip fails it raises `AssertionError` with pip's own words.

    >>> len(install_cell().splitlines())
    8
    """
    return INSTALL.replace("ADDRESS", address)
