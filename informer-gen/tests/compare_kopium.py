#!/usr/bin/env python3
"""Compares the Rust types that informer-gen writes with those of kopium, field by field.

    informer-gen/tests/compare_kopium.py [--all] [MANIFEST ..]     (default: the vendors' manifests of the tests)

Needs `kopium` on the PATH (cargo install kopium). Prints each difference, and the number of equal fields. The exit status is 1
if EXPECTED does not explain a difference. `--all` also prints the explained differences.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Intended differences: pattern of the output line, and reason.
EXPECTED = [
    (r"Option<Vec<Condition>> \| here", "the schema requires fewer fields than the Condition of k8s-openapi"),
    (r"(Ref|Scope|RemediationTemplate): only kopium's", "informer-gen uses the ObjectReference of k8s-openapi"),
    (r"StatusCode: only kopium's", "informer-gen generates a number for an enum of numbers"),
    (r"Vec<(\w+)>>? \| here .*Vec<Option<\1>>", "elements that may be null"),
    (r"Vec<String>> \| here .*Vec<\w+>>", "informer-gen generates an enum for the elements of a list"),
    (r"Option<(\w+)> \| here \w+: \1$", "required in the values of a map"),
    (r"Status> \| here .*StatusX>|BackupStatus.lastPhase", "the name belongs to the kind's own status"),
    (r"kind Option: ", "names that hide those of the standard library"),
]


def types(text):
    """Returns the structs and enums of a text: name -> {name in JSON: {"ident: type"}}, in all versions of the kind."""
    found, name, kind, rename = {}, None, None, None
    buffer = ""
    for line in text.splitlines():
        line = line.strip()
        start = re.match(r"pub (struct|enum) (\w+)( \{(\})?|;)", line)
        if start:
            kind, name, rename, buffer = start[1], start[2], None, ""
            found.setdefault(name, {})
            if start[3] == ";" or start[4]:
                name = None
            continue
        if name is None:
            continue
        if line == "}" and not buffer:
            name = None
            continue
        if line.startswith("//") or not line:
            continue
        buffer = f"{buffer} {line}".strip()
        if buffer.count("[") != buffer.count("]") or buffer.count("(") != buffer.count(")"):
            continue
        if buffer.startswith("#["):
            named = re.search(r'rename\s*=\s*"([^"]*)"', buffer)
            rename, buffer = (named[1] if named else rename), ""
            continue
        if not buffer.endswith(",") or buffer.count("<") != buffer.count(">"):
            continue
        # A type of several lines.
        buffer = re.sub(r",? >", ">", buffer.replace("< ", "<"))
        part, buffer = buffer.rstrip(","), ""
        if kind == "struct":
            # A keyword is `r#type` there, and `type_` here.
            field = re.match(r"pub (?:r#)?(\w+?)_?: (.*)", part)
            if field:
                found[name].setdefault(rename or field[1], set()).add(f"{field[1]}: {plain(field[2])}")
        else:
            variant = re.match(r"(\w+)", part)
            found[name].setdefault(rename or variant[1], set()).add(variant[1])
        rename = None
    return found


def plain(type_):
    """Returns a type without the paths of its names."""
    return re.sub(r"(?:::)?(?:\w+::)+(?=\w)", "", re.sub(r"\s+", " ", type_))


def run(*command):
    ended = subprocess.run(command, capture_output=True, text=True)
    return ended.stdout if ended.returncode == 0 else None


def documents(path):
    """Returns the definitions of a manifest in YAML or JSON, each as a text with its kind."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        parts = json.loads(text)
    except ValueError:
        parts = [part for part in re.split(r"(?m)^---.*$", text) if "CustomResourceDefinition" in part]
        return [(part, re.search(r"\bkind: (?!CustomResourceDefinition)(\w+)", part)[1]) for part in parts]
    parts = parts["items"] if isinstance(parts, dict) and "items" in parts else [parts]
    return [(json.dumps(part), part["spec"]["names"]["kind"]) for part in parts]


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--all"]
    manifests = arguments or sorted(glob.glob(f"{ROOT}/informer-gen/tests/vendors/crds/*.yaml"))
    subprocess.run(["cargo", "build", "--quiet", "-p", "informer-gen"], cwd=ROOT, check=True)
    ours_program = os.path.join(os.environ.get("CARGO_TARGET_DIR", f"{ROOT}/target"), "debug/informer-gen")
    same, lines, unread = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        crd, out = f"{folder}/crd.yaml", f"{folder}/ours.rs"
        for manifest in manifests:
            for document, kind in documents(manifest):
                with open(crd, "w", encoding="utf-8") as file:
                    file.write(document)
                where = f"{os.path.basename(manifest)}: kind {kind}"
                theirs = run("kopium", "--hide-prelude", "-f", crd)
                written = run(ours_program, "generate", "--crd", crd, "-o", out)
                if theirs is None or written is None:
                    by = "kopium" if theirs is None else "informer-gen"
                    unread.append(f"{where}: not written by {by}")
                    continue
                with open(out, encoding="utf-8") as file:
                    ours = types(file.read())
                for name, parts in types(theirs).items():
                    if name not in ours:
                        lines.append(f"{where}: {name}: only kopium's")
                        continue
                    for member, part in parts.items():
                        here = ours[name].get(member, set())
                        if part & here:
                            same += 1
                        else:
                            shown = " or ".join(sorted(here)) or "nothing"
                            lines.append(f"{where}: {name}.{member}: {min(part)} | here {shown}")
    odd = 0
    for line in unread + lines:
        why = next((why for pattern, why in EXPECTED if re.search(pattern, line)), None)
        odd += why is None
        if why is None or "--all" in sys.argv:
            print(f"{line} ({why})" if why else line)
    print(f"{same} fields and variants are the same, {len(unread + lines)} differ, {odd} of these without a known reason")
    return min(odd, 1)


sys.exit(main())
