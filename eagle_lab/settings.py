"""What a model's config.json says: its sizes, and a refusal of what this engine would compute otherwise."""

from pathlib import Path
from typing import Any

from .files import checked, named, read_json
from .inputs import check_count, check_positive
from .llama import LlamaConfig

SIZES = ["vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"]  # always said
SWITCHES = ["attention_bias", "mlp_bias", "use_sliding_window"]  # not computed
COMPUTED = {"model_type": ["llama", "qwen3"], "hidden_act": ["silu"]}  # the first where nothing is said
ROPE = ["rope_scaling", "rope_parameters"]  # two keys for one thing


class Settings:
    """The settings in a folder's config.json; null is as good as absent. Its errors name the file and the key."""

    def __init__(self, folder) -> None:
        file = Path(folder) / "config.json"
        self.place = named([file])
        self.given: dict[str, Any] = {key: value for key, value in read_json(file).items() if value is not None}

    def fault(self, key: str, what: str) -> ValueError:
        """What to raise for a setting; `what` is a text that goes on after its name."""
        return ValueError(f"{self.place}: {key} {what}")

    def size(self, key: str, default: int) -> int:
        """A whole number of at least 1."""
        return checked(check_count, self.given.get(key, default), f"{self.place}: {key}")

    def switch(self, key: str) -> bool:
        """A setting that is on or off; absent is off."""
        value = self.given.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(key, f"must be true or false, not {value!r:.200}")
        return value

    def number(self, key: str, value) -> float:
        """A positive number that float32 can compute with."""
        number = checked(check_positive, value, f"{self.place}: {key}")
        if not 1e-30 <= number <= 1e30:
            raise self.fault(key, f"must be a number from 1e-30 to 1e30, not {number!r}: this is float32")
        return number

    def architecture(self, known: list[str], role: str) -> str | None:
        """The one name in `architectures`, of those that are `known`; None where there is none."""
        names = self.given.get("architectures", [])
        if names == []:
            return None
        if not isinstance(names, list) or len(names) != 1 or names[0] not in known:
            raise self.fault("architectures", f"is {names!r:.200}: {role} may be {', '.join(known)}")
        return names[0]


def read_sizes(settings: Settings, **shared: int) -> LlamaConfig:
    """The sizes of a Llama or Qwen3 model, after refusing what would change the computation.

    `shared`: what a drafter has in common with its target, which its own settings may leave out but not contradict.
    """
    _refuse_unsupported(settings)
    missing = [key for key in SIZES if key not in settings.given | shared]
    if missing:
        raise ValueError(f"{settings.place} lacks {', '.join(missing)}")
    sizes = {key: settings.size(key, shared.get(key, 0)) for key in SIZES}
    for key, value in shared.items():
        if sizes[key] != value:
            raise settings.fault(key, f"is {sizes[key]}, but the target's is {value}")
    width, heads = sizes["hidden_size"], sizes["num_attention_heads"]
    if "head_dim" not in settings.given and width % heads:
        raise settings.fault("num_attention_heads", f"is {heads}, which does not divide hidden_size = {width}")
    kv_heads, head_dim = settings.size("num_key_value_heads", heads), settings.size("head_dim", width // heads)
    if heads % kv_heads:
        fault = f"is {kv_heads}, which does not divide num_attention_heads = {heads}"
        raise settings.fault("num_key_value_heads", fault)
    if head_dim % 2:
        raise settings.fault("head_dim", f"is {head_dim}: rotary positions turn pairs, so it must be even")
    said = "max_position_embeddings" in settings.given
    return LlamaConfig(
        **sizes,
        num_key_value_heads=kv_heads,
        head_dim=head_dim,
        rms_norm_eps=settings.number("rms_norm_eps", settings.given.get("rms_norm_eps", 1e-6)),
        rope_theta=_rope_theta(settings),
        max_position_embeddings=settings.size("max_position_embeddings", 1) if said else None,
    )


def _rope_theta(settings: Settings) -> float:
    """The base of the rotary positions; where several places state it, they must agree."""
    said = {f"{key}.rope_theta": settings.given.get(key, {}).get("rope_theta") for key in ROPE}
    said["rope_theta"] = settings.given.get("rope_theta")
    found = {key: settings.number(key, value) for key, value in said.items() if value is not None}
    if len(set(found.values())) > 1:
        raise settings.fault(" and ".join(found), f"differ: {', '.join(map(str, found.values()))}")
    return next(iter(found.values()), 1e4)


def _refuse_unsupported(settings: Settings) -> None:
    """Raise `ValueError` that names every setting under which the same tensors mean another computation."""
    given = settings.given
    wrong = {key: given[key] for key in SWITCHES if settings.switch(key)}
    wrong |= {key: given[key] for key, known in COMPUTED.items() if given.get(key, known[0]) not in known}
    for key in ROPE:
        rope = given.get(key, {})
        kinds = [rope.get("rope_type"), rope.get("type")] if isinstance(rope, dict) else []  # two names are in use
        scaled = [kind for kind in kinds if kind is not None and kind != "default"]
        if scaled or not isinstance(rope, dict):
            wrong[key] = scaled[0] if scaled else rope
    if wrong:
        found = ", ".join(f"{key} = {value!r:.100}" for key, value in wrong.items())
        raise ValueError(f"{settings.place}: this engine does not compute {found}")
