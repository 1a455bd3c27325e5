"""The C++ reference as Markdown, one page per public folder, from the XML that Doxygen makes of the headers."""

import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: What each folder is for, in the order of the menu.
FOLDERS = {
    "robot": "The easy way in: every result is a new vector or matrix",
    "model": "Robots: descriptions, models, parameters, edits, diagnostics",
    "io": "Files: URDF, tables, CSV, embedded robots",
    "dynamics": "Kinematics, inverse and forward dynamics, matrices, energies, batches",
    "derivatives": "First and second derivatives, regressors",
    "constraints": "Closed loops, contacts, friction cones, distances",
    "geometry": "Shapes and contact points",
    "simulate": "Time steps, a simulated robot, sensors",
    "world": "Scenes with contact",
    "identify": "Logs, base parameters, estimates, exciting motions, refinement, the online estimator",
    "control": "Optimal control: problems in stages, quadratic programs, SQP",
    "mpc": "Controllers that identify the robot they drive",
    "supervise": "Limits and plausibility between any controller and a robot",
    "rig": "What a robot must offer to be driven; robots for trials",
    "classic": "The formulations of the textbooks",
    "equations": "Equations of motion in symbols",
    "codegen": "Generated code",
    "spatial": "Rotations, transforms, twists, wrenches, inertias",
    "num": "Scalars: packs, dual and counting numbers",
}


def run_doxygen(root, work):
    """The folder of XML files."""
    work.mkdir(parents=True, exist_ok=True)
    settings = (HERE / "Doxyfile").read_text().replace("@ROOT@", str(root)).replace("@OUT@", str(work))
    (work / "Doxyfile").write_text(settings)
    subprocess.run(["doxygen", work / "Doxyfile"], check=True, stderr=subprocess.DEVNULL)
    return work / "xml"


def flat(node):
    """All text of an element, as it stands."""
    return "" if node is None else "".join(node.itertext())


def code_of(listing):
    def line(parts):
        out = parts.text or ""
        for child in parts:
            out += (" " if child.tag == "sp" else line(child)) + (child.tail or "")
        return out

    return "\n".join(line(codeline) for codeline in listing.iter("codeline"))


CODE = ("programlisting", "verbatim", "preformatted")
BESIDE = ("itemizedlist", "orderedlist", "simplesect", "parameterlist", "xrefsect")


def escaped(text):
    return re.sub(r"([<*_\[])", r"\\\1", text or "")


def pieces(node):
    """The contents of a paragraph in their order: words, and code apart from them."""
    out = [escaped(node.text)]
    for child in node:
        if child.tag in CODE:
            code = code_of(child) if child.tag == "programlisting" else flat(child)
            out += ["```cpp\n" + code.strip("\n") + "\n```", ""]
        elif child.tag == "computeroutput":
            out[-1] += "`" + flat(child) + "`"
        elif child.tag not in BESIDE:
            first, *rest = pieces(child)
            out[-1] += first
            out += rest
        out[-1] += escaped(child.tail)
    return out


def blocks(description):
    """A description as Markdown paragraphs and code."""
    paragraphs = [] if description is None else description.iter("para")
    return [piece.strip(" ") for para in paragraphs for piece in pieces(para) if piece.strip()]


def described(node):
    return blocks(node.find("briefdescription")) + blocks(node.find("detaileddescription"))


def tight(code):
    """Without Doxygen's spaces: Vec3<double>, const Model& model."""
    code = re.sub(r"\s+", " ", code).strip()
    code = code.replace("< ", "<").replace(" >", ">")
    return re.sub(r" ([&*]+) ?(?=\w)", r"\1 ", code)


def declaration(member):
    """As in the header, on one line."""
    template = member.find("templateparamlist")
    text = ""
    if template is not None:
        parameters = [" ".join((flat(p.find("type")) + " " + flat(p.find("declname"))).split()) for p in template]
        text = "template <" + ", ".join(parameters) + "> "
    kind = member.get("kind")
    if kind == "enum":
        values = ", ".join(flat(v.find("name")) for v in member.findall("enumvalue"))
        return f"enum class {flat(member.find('name'))} {{ {values} }}"
    if kind == "typedef":
        return text + tight(f"using {flat(member.find('name'))} = {flat(member.find('type'))}")
    static = "static " if member.get("static") == "yes" else ""
    text += static + f"{flat(member.find('type'))} {flat(member.find('name'))}{flat(member.find('argsstring'))}"
    if kind == "variable":
        text += " " + flat(member.find("initializer"))
    return tight(text)


def broken(code):
    """Long declarations get one argument per line."""
    if len(code) < 100 or "(" not in code:
        return code
    head, _, arguments = code.partition("(")
    depth, lines, last = 0, [], ""
    for c in arguments:
        depth += c in "(<{[" 
        depth -= c in ")>}]"
        last += c
        if c == "," and depth == 0:
            lines.append(last.strip())
            last = ""
    return head + "(\n    " + "\n    ".join(lines + [last.strip()])


def member_item(member):
    text = " ".join(described(member))
    if "```" in text:
        return f"- `{declaration(member)}`\n\n" + "\n\n".join(described(member)).replace("\n", "\n    ").join(["    ", "\n"])
    return f"- `{declaration(member)}`" + (f" — {text}" if text else "")


def class_section(compound):
    name = flat(compound.find("compoundname"))
    if "@" in name:
        return ""
    out = [f"### {compound.get('kind')} `{name.removeprefix('ulna::')}`"] + described(compound)
    items = [
        member_item(m)
        for section in compound.findall("sectiondef")
        for m in section.findall("memberdef")
        if m.get("prot") == "public" and m.get("kind") != "friend" and "=delete" not in flat(m.find("argsstring")).replace(" ", "")
    ]
    if items:
        out.append("\n".join(items))
    return "\n\n".join(out)


def free_sections(header):
    """Functions, constants and types outside of classes; overloads together."""
    groups = {}
    for section in header.findall("sectiondef"):
        for member in section.findall("memberdef"):
            if member.get("kind") in ("function", "variable", "typedef", "enum"):
                groups.setdefault(flat(member.find("name")), []).append(member)
    for name, members in groups.items():
        if name.startswith("@") or not name:
            continue
        code = "\n".join(broken(declaration(m)) + ";" for m in members)
        words = []
        for m in members:
            words += [w for w in described(m) if w not in words]
            values = [f"- `{flat(v.find('name'))}`: " + " ".join(described(v)) for v in m.findall("enumvalue") if described(v)]
            words += ["\n".join(values)] if values else []
        yield "\n\n".join([f"### `{name}`", f"```cpp\n{code}\n```"] + words)


def header_section(path, xml, header):
    out = [f"## {path.name}", f"```cpp\n#include <ulna/{path}>\n```"] + described(header)
    for inner in header.findall("innerclass"):
        compound = ET.parse(xml / (inner.get("refid") + ".xml")).getroot().find("compounddef")
        if compound.get("prot", "public") != "private" and "detail" not in flat(inner):
            out.append(class_section(compound))
    out += free_sections(header)
    return "\n\n".join(part for part in out if part)


def write(root, work, out):
    """Writes out/<folder>.md and returns {folder: its title}."""
    xml = run_doxygen(root, work)
    headers = {}
    for entry in ET.parse(xml / "index.xml").getroot().findall("compound[@kind='file']"):
        header = ET.parse(xml / (entry.get("refid") + ".xml")).getroot().find("compounddef")
        path = Path(header.find("location").get("file").split("include/ulna/")[-1].removeprefix("ulna/"))
        headers[path] = header
    out.mkdir(parents=True, exist_ok=True)
    folders = {path.parts[0] for path in headers if len(path.parts) > 1}
    if folders != set(FOLDERS):
        raise SystemExit(f"cpp_reference.py: FOLDERS has not these folders of include/ulna, or too many: {folders ^ set(FOLDERS)}")
    rows = "\n".join(f"| [{folder}]({folder}.md) | {what} |" for folder, what in FOLDERS.items())
    (out / "index.md").write_text(
        "# C++ reference\n\nEverything that `#include <ulna/ulna.hpp>` and the headers beside it declare, from the comments in the headers. "
        "How the parts use each other: [architecture](../architecture.md).\n\n| folder | is for |\n|---|---|\n" + rows + "\n")
    for folder, what in FOLDERS.items():
        paths = sorted(path for path in headers if path.parts[0] == folder)
        sections = [header_section(path, xml, headers[path]) for path in paths]
        (out / f"{folder}.md").write_text(f"# {folder}\n\n{what}.\n\n" + "\n\n".join(sections) + "\n")
