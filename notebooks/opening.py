"""How every notebook opens: where it can run, and the cell that installs the package there."""

import tomllib
from pathlib import Path
from urllib.parse import quote

# The one place that says where the project lives, as "owner/name" on GitHub; None: nowhere yet, so no notebook offers
# a link. Whoever publishes the project changes this line and runs `make notebooks`.
REPOSITORY: str | None = None
BRANCH = "main"  # what the links open
LANGUAGES = ("zh", "en")
# The course that this chapter belongs to: the folder with its chapters 23, 35 and 68.
COURSE = "https://github.com/datawhalechina/llm-algo-leetcode/blob/main/02_PyTorch_Algorithms"

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WHEEL = f"eagle_lab-{PROJECT['version']}-py3-none-any.whl"
BUNDLE = "eagle-lab.zip"  # what `make bundle` builds

HOSTS = {
    "ModelScope": "https://modelscope.cn/notebook/share/github/{repository}/blob/{branch}/",
    "Colab": "https://colab.research.google.com/github/{repository}/blob/{branch}/",
    "Binder": "https://mybinder.org/v2/gh/{repository}/{branch}?urlpath=lab/tree/",
}
TITLES = {"zh": "云端运行环境", "en": "Run it in the cloud"}
WITH_LINKS = {
    "zh": "点开任意一个就能运行，自己的电脑上什么都不用装；只需 CPU。缺少 `eagle_lab` 时，第一个代码单元会把它装好。",
    "en": "Open any of them: nothing to install on your own machine, and a CPU will do. "
    "The first code cell installs `eagle_lab` where it is missing.",
}
WITHOUT_LINKS = {
    "zh": "在任何 JupyterLab 里都能运行，只需 CPU。要搬到魔搭 ModelScope、Colab 或 JupyterHub：在项目目录里运行 "
    f"`make bundle`，得到一个 `{BUNDLE}`，里面有三步说明。",
    "en": "Runs in any JupyterLab; a CPU will do. For ModelScope, Colab or a JupyterHub, `make bundle` in the "
    f"project's folder builds one `{BUNDLE}`, with the three steps inside.",
}

# It asks for the distribution, as a mere folder of the package's name is not installed. numpy is named beside the
# package, so that pip keeps the one that is there or says why it cannot. Nothing here asks for torch, so pip leaves it
# alone; naming it too would make pip complete whatever a host has left out of it. Where pip falls back on the user's
# own folder and makes it, a running Python looks there only after `site.main()`.
INSTALL = f"""\
import glob, importlib.metadata, site, subprocess, sys
if not any(importlib.metadata.distributions(name="eagle-lab")):  # 没有才安装，numpy 不动 · only if missing; numpy stays
    found = glob.glob("{WHEEL}") + glob.glob("../{WHEEL}")
    ELSE
    keep = [f"numpy=={{numpy.version}}" for numpy in importlib.metadata.distributions(name="numpy")][:1]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *keep, found[0]]
    assert not (ran := subprocess.run(pip, capture_output=True, text=True)).returncode, ran.stderr
    site.main()"""
MISSING = (
    f"没有 eagle_lab：请把 {BUNDLE} 里的 .whl 文件放到这个 notebook 旁边，再运行一次（有源码时用 make lab） · "
    f"no eagle_lab here: put the .whl file of {BUNDLE} beside this notebook and run again (in a checkout: make lab)"
)


def launch_block(path: str, language: str, repository: str | None = REPOSITORY) -> str:
    """The quote block that says where the notebook at `path` (from the repository's root) runs.

    `language` is "zh" or "en". With a repository ("owner/name") the block holds links that open the notebook there.
    Raises `ValueError` for another language, or for a path that starts elsewhere.

    >>> print(launch_block("notebooks/en/03_candidate_tree.ipynb", "en").splitlines()[0])
    > 🚀 **Run it in the cloud**
    """
    if language not in LANGUAGES:
        raise ValueError(f"language is {language!r}: there are {', '.join(LANGUAGES)}")
    if path.startswith(("/", ".")):
        raise ValueError(f"path is {path!r}: it starts at the repository's root, as notebooks/zh/… does")
    if repository is None:
        lines = [WITHOUT_LINKS[language]]
    else:
        addresses = {host: start.format(repository=repository, branch=BRANCH) for host, start in HOSTS.items()}
        links = "　|　".join(f"[{host}]({address}{quote(path)})" for host, address in addresses.items())
        lines = [links, WITH_LINKS[language]]
    return "\n>\n".join(f"> {line}" for line in (f"🚀 **{TITLES[language]}**", *lines))


def archive(repository: str) -> str:
    """The address of this version's archive in a repository ("owner/name"): a host may lack git.

    >>> archive("owner/name").startswith("https://github.com/owner/name/archive/refs/tags/v")
    True
    """
    return f"https://github.com/{repository}/archive/refs/tags/v{PROJECT['version']}.zip"


def install_cell(repository: str | None = REPOSITORY) -> str:
    """The first code cell: installs the distribution eagle-lab where it is missing, else does nothing.

    It takes the wheel that lies in the notebook's folder or in the one above it. Without one it takes the archive of a
    repository ("owner/name"); where that is None, it raises `AssertionError` with a sentence that says what to do. It
    prints nothing; where pip fails it raises `AssertionError` with pip's own words.

    >>> len(install_cell().splitlines())
    8
    """
    if repository is None:
        instead = f'assert found, "{MISSING}"'
    else:
        instead = f'found += ["eagle-lab @ {archive(repository)}"]  # 旁边没有时 · where none lies beside'
    return INSTALL.replace("ELSE", instead)
