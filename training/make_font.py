"""Cut the CJK font that the pictures use out of Noto Sans SC (SIL Open Font License 1.1).

Keeps GB2312's level-1 characters, CJK punctuation and full-width forms, and every character of the
shipped tokenizers, and gives the subset a family name of its own, so that it never stands in for
a font that a reader has installed. Run from the repository root:

    python -m training.make_font
"""

import importlib.resources
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from tokenizers import Tokenizer

ASSETS = Path("eagle_lab/assets")
TARGET = ASSETS / "fonts" / "EagleLabCJK-Regular.otf"
FAMILY = "Eagle Lab CJK"


def wanted_characters() -> set[str]:
    """GB2312 rows 16–55 (level 1), punctuation, full-width forms, and the tokenizers' own characters."""
    level_1 = {bytes([row, cell]).decode("gb2312", "ignore") for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF)}
    ranges = [range(0x3000, 0x3020), range(0xFF01, 0xFF61), range(0x2010, 0x2040), range(0x2460, 0x2474)]
    marks = {chr(code) for codes in ranges for code in codes}
    own = set()
    for file in ASSETS.glob("*/target/tokenizer.json"):
        own.update(*Tokenizer.from_file(str(file)).get_vocab())
    return {character for character in level_1 | marks | own if character and ord(character) > 0x2000}


def cut(source: Path, characters: set[str]) -> TTFont:
    """The subset font, hinting dropped, renamed."""
    options = subset.Options(hinting=False, layout_features=[], notdef_outline=True, name_IDs=[0, 1, 2, 4, 6, 13, 14])
    font = subset.load_font(source, options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=map(ord, characters))
    cutter.subset(font)
    names = {1: FAMILY, 4: f"{FAMILY} Regular", 6: FAMILY.replace(" ", "") + "-Regular", 16: FAMILY}
    for record in font["name"].names:
        if record.nameID in names:
            record.string = names[record.nameID]
    return font


def main() -> None:
    """Write the subset and its licence."""
    package = importlib.resources.files("pylopdf_fonts_zh_cn")
    font = cut(Path(str(package / "NotoSansSC-Regular.otf")), wanted_characters())
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    font.save(TARGET)
    print(f"{TARGET}: {len(font.getBestCmap())} characters, {TARGET.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
