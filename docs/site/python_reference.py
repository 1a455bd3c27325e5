"""The Python reference as Markdown: one page per class with functions, one for all results, from the docstrings."""

import inspect
import re

import ulna


def signature(name, function):
    """Without types: the docstring has shapes, which say more."""
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in inspect.signature(function).parameters.values()]
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    return name + str(inspect.Signature(parameters))


#: `name: ` or `first, second: ` at the beginning of a line
LABEL = r"^(\w+(?:, \w+)*): "


def escaped(text):
    """Plain text in which * and _ are no markup; what stands in backquotes stays."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<])", r"\\\1", part) for part in parts)


def words(text):
    """A docstring as Markdown: `name: what it is` lines become a list, indented lines code."""
    out = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        lines = paragraph.split("\n")
        if all(line.startswith("    ") for line in lines) or all(re.search(r"\S   +\S", line) for line in lines):
            out.append("```python\n" + inspect.cleandoc(paragraph) + "\n```")
        elif all(re.match(LABEL, line) or line.startswith("    ") for line in lines):
            out.append("\n".join(re.sub(LABEL, r"- **\1**: ", line) for line in lines))
        else:
            out.append(escaped(paragraph))
    return "\n\n".join(out)


def is_result(value):
    return issubclass(value, tuple) and hasattr(value, "_fields")


def fields(value):
    """The comments behind the fields of a NamedTuple."""
    found = re.findall(r"^    (\w+): (.+?)(?:  #: (.*))?$", inspect.getsource(value), re.MULTILINE)
    return "\n".join(f"- `{name}`" + (f": {comment}" if comment else f": {kind}") for name, kind, comment in found if name in value._fields)


def members(value):
    """(kind, name, object) of what is public, in the order of the source; what is inherited from ulna's own classes, too."""
    seen = {}
    for base in reversed(value.__mro__):
        if (base.__module__ or "").startswith("ulna"):
            seen.update({name: member for name, member in vars(base).items() if not name.startswith("_")})
    return seen.items()


def parts_of(value):
    """Sections of one class: by the class of the package that defines them, such as Dynamics and Kinematics of Robot."""
    bases = [b for b in value.__mro__ if (b.__module__ or "").startswith("ulna")]
    for base in bases:
        own = [(name, member) for name, member in vars(base).items() if not name.startswith("_")]
        own = [(name, member) for name, member in own if getattr(value, name, None) is not None and inspect.getdoc(getattr(value, name))]
        if own:
            yield base, own


def class_page(value):
    out = [f"# {value.__name__}", words(inspect.getdoc(value) or "")]
    if "__init__" in vars(value):
        out.append(f"```python\nulna.{signature(value.__name__, value.__init__)}\n```")
    for base, own in parts_of(value):
        properties = [(n, m) for n, m in own if isinstance(m, property)]
        functions = [(n, getattr(value, n)) for n, m in own if not isinstance(m, property) and callable(getattr(value, n))]
        title = "Properties and functions" if base is value else base.__name__.strip("_")
        out.append(f"## {title}")
        if base is not value and base.__doc__:
            out.append(words(base.__doc__))
        if properties:
            out.append("\n".join(f"- `{name}`: {' '.join(inspect.getdoc(p).split())}" for name, p in properties))
        for name, function in functions:
            out += [f"### {name}", f"```python\n{signature(name, function)}\n```", words(inspect.getdoc(function))]
    return "\n\n".join(out) + "\n"


def short_section(value):
    out = [f"## {value.__name__}", words(inspect.getdoc(value) or "")]
    if is_result(value):
        out.append(fields(value))
        return "\n\n".join(out)
    for name, member in members(value):
        public = getattr(value, name)
        if isinstance(member, property):
            out.append(f"- `{name}`: {' '.join((inspect.getdoc(member) or '').split())}")
        elif callable(public) and inspect.getdoc(public):
            out.append(f"- `{signature(name, public)}`: {' '.join(inspect.getdoc(public).split())}")
    return "\n\n".join(out)


def write(out):
    """Writes the pages and returns their names in the order of the menu."""
    out.mkdir(parents=True, exist_ok=True)
    classes = [getattr(ulna, name) for name in ulna.__all__ if inspect.isclass(getattr(ulna, name))]
    functions = [getattr(ulna, name) for name in ulna.__all__ if inspect.isroutine(getattr(ulna, name))]
    large = [c for c in classes if not is_result(c) and sum(bool(inspect.getdoc(m)) for _, m in members(c)) >= 5]
    for value in large:
        (out / f"{value.__name__}.md").write_text(class_page(value))
    rest = [c for c in classes if c not in large]
    text = ["# Python reference", words(ulna.__doc__)]
    text.append("\n".join(f"- [{c.__name__}]({c.__name__}.md): {inspect.getdoc(c).splitlines()[0]}" for c in large))
    for function in functions:
        text += [f"## {function.__name__}", f"```python\nulna.{signature(function.__name__, function)}\n```", words(inspect.getdoc(function))]
    text += [short_section(c) for c in rest]
    (out / "index.md").write_text("\n\n".join(text) + "\n")
    return ["index"] + [c.__name__ for c in large]
