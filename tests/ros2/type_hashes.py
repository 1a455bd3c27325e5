"""Computes the hashes of types that ROS 2 announces (REP 2011, RIHS01: SHA-256 of the type's description as JSON) from messages.idl,
and looks whether domain.cpp has the same.

    python3 type_hashes.py MESSAGES.idl DOMAIN.cpp
"""

import hashlib
import json
import re
import sys

# type_description_interfaces/msg/FieldType
IDS = {"octet": 16, "long": 6, "unsigned long": 7, "double": 11, "string": 17}
NESTED, UNBOUNDED_SEQUENCE = 1, 144


def ros_name(idl_name):
    """std_msgs::msg::dds_::Header_ is std_msgs/msg/Header."""
    parts = idl_name.split("::")
    assert parts[1:3] == ["msg", "dds_"] and parts[3].endswith("_"), idl_name
    return f"{parts[0]}/msg/{parts[3][:-1]}"


def field(kind, name):
    sequence = re.fullmatch(r"sequence<(.+)>", kind)
    inner = sequence[1] if sequence else kind
    nested = "" if inner in IDS else ros_name(inner)
    number = (IDS.get(inner, NESTED)) + (UNBOUNDED_SEQUENCE if sequence else 0)
    return {"name": name, "type": {"type_id": number, "capacity": 0, "string_capacity": 0, "nested_type_name": nested}}


def parse(text):
    """Fields of each struct, by its name in ROS."""
    types = {}
    text = re.sub(r"//.*", "", text)
    for package, body in re.findall(r"module (\w+) \{ module msg \{ module dds_ \{(.*?)\n\}; \}; \};", text, re.DOTALL):
        for struct, fields in re.findall(r"struct (\w+) \{(.*?)\};", body, re.DOTALL):
            found = re.findall(r"\s*(\S.*?)\s+(\w+);", fields)
            types[ros_name(f"{package}::msg::dds_::{struct}")] = [field(*f) for f in found]
    return types


def used_by(types, name):
    used = set()
    for f in types[name]:
        nested = f["type"]["nested_type_name"]
        if nested:
            used |= {nested} | used_by(types, nested)
    return used


def type_hash(types, name):
    def describe(n):
        return {"type_name": n, "fields": types[n]}

    whole = {"type_description": describe(name), "referenced_type_descriptions": [describe(n) for n in sorted(used_by(types, name))]}
    return "RIHS01_" + hashlib.sha256(json.dumps(whole, separators=(", ", ": ")).encode()).hexdigest()


# the algorithm is right: std_msgs/msg/String as every ROS 2 of Iron and later announces it
known = {"std_msgs/msg/String": [field("string", "data")]}
assert type_hash(known, "std_msgs/msg/String") == "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"

idl, source = (open(path).read() for path in sys.argv[1:3])
types = parse(idl)
topics = [ros_name(f"{m[0]}::msg::dds_::{s}") for m in re.findall(r"module (\w+) \{ module msg.*?\{(.*?)\n\}; \}; \};", idl, re.DOTALL) for s in re.findall(r"@topic struct (\w+)", m[1])]
assert len(topics) == 3, topics
written = dict(re.findall(r'\{"(\w+::msg::dds_::\w+_)",\s*"(RIHS01_\w+)"\}', source))
assert len(written) == len(topics), written
for idl_name, hash_there in written.items():
    expected = type_hash(types, ros_name(idl_name))
    assert hash_there == expected, f"{idl_name}: {hash_there} is not {expected}"
    print(ros_name(idl_name), expected)
assert sorted(map(ros_name, written)) == sorted(topics)
