"""Scripts to be run by their make targets: pytest shall neither import nor collect them."""

collect_ignore_glob = ["*.py"]
