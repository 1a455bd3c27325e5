"""Writes the log of the tests as bags of ROS 2, after the pages of their formats alone: MCAP (mcap.dev, with indices and
checksums as rosbag2 writes them), SQLite, and messages in CDR of either byte order."""

import math
import pathlib
import sqlite3
import struct
import sys
import zlib

SAMPLES, JOINTS = 50, ["shoulder", "elbow"]


def value(k, column):
    return math.sin(0.1 * k * column) + column


class Cdr:
    """Plain CDR: numbers are aligned to their size, counted from behind the four bytes of its head."""

    def __init__(self, order):
        self.order, self.head, self.body = order, bytes([0, 1 if order == "<" else 0, 0, 0]), b""

    def number(self, kind, x):
        size = struct.calcsize(kind)
        self.body += b"\0" * (-len(self.body) % size) + struct.pack(self.order + kind, x)

    def text(self, s):
        data = s.encode() + b"\0"
        self.number("I", len(data))
        self.body += data

    def numbers(self, list):
        self.number("I", len(list))
        for x in list:
            self.number("d", x)


def joint_state(k, order):
    m = Cdr(order)
    stamp = 1_700_000_000_000_000_000 + 4_000_000 * k
    m.number("i", stamp // 1_000_000_000)
    m.number("I", stamp % 1_000_000_000)
    m.text("base_link")
    m.number("I", len(JOINTS))
    for joint in JOINTS:
        m.text(joint)
    for first in (1, 3, 5):
        m.numbers([value(k, first), value(k, first + 1)])
    return stamp, m.head + m.body


def text(s):
    return struct.pack("<I", len(s)) + s.encode()


def record(op, data):
    return struct.pack("<BQ", op, len(data)) + data


def mcap(order):
    magic = b"\x89MCAP0\r\n"
    out = magic + record(1, text("ros2") + text("write_ros2_bags"))
    schemas = record(3, struct.pack("<H", 1) + text("std_msgs/msg/String") + text("ros2msg") + text("string data"))
    schemas += record(3, struct.pack("<H", 2) + text("sensor_msgs/msg/JointState") + text("ros2msg") + text("# ..."))
    metadata = text("offered_qos_profiles") + text("")
    metadata = struct.pack("<I", len(metadata)) + metadata
    channels = record(4, struct.pack("<HH", 1, 1) + text("/chatter") + text("cdr") + metadata)
    channels += record(4, struct.pack("<HH", 2, 2) + text("/joint_states") + text("cdr") + metadata)
    chunk_indices = b""
    for first in range(0, SAMPLES, 20):
        chunk = schemas + channels if first == 0 else b""
        offsets, stamps = [], []
        for k in range(first, min(first + 20, SAMPLES)):
            stamp, data = joint_state(k, order)
            chunk += record(5, struct.pack("<HIQQ", 1, k, stamp, stamp) + b"\0\1\0\0" + struct.pack("<I", 3) + b"hi\0")
            offsets.append(struct.pack("<QQ", stamp, len(chunk)))
            stamps.append(stamp)
            chunk += record(5, struct.pack("<HIQQ", 2, k, stamp, stamp) + data)
        start = len(out)
        out += record(6, struct.pack("<QQQI", stamps[0], stamps[-1], len(chunk), zlib.crc32(chunk)) + text("")
                      + struct.pack("<Q", len(chunk)) + chunk)
        length, index_start = len(out) - start, len(out)
        index = b"".join(offsets)
        out += record(7, struct.pack("<HI", 2, len(index)) + index)
        chunk_indices += record(8, struct.pack("<QQQQ", stamps[0], stamps[-1], start, length)
                                + struct.pack("<IHQ", 10, 2, index_start) + struct.pack("<Q", len(out) - index_start)
                                + text("") + struct.pack("<QQ", len(chunk), len(chunk)))
    out += record(15, struct.pack("<I", 0))
    summary = len(out)
    out += schemas + channels + chunk_indices
    footer = struct.pack("<QQ", summary, 0)
    crc = zlib.crc32(out[summary:] + struct.pack("<BQ", 2, 20) + footer)
    return out + record(2, footer + struct.pack("<I", crc)) + magic


def database(path):
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
        CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
        CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
          serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
        CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);
        CREATE INDEX timestamp_idx ON messages (timestamp ASC);
        INSERT INTO schema VALUES(3, 'humble');
        INSERT INTO topics VALUES(1, '/rosout', 'rcl_interfaces/msg/Log', 'cdr', '');
        INSERT INTO topics VALUES(2, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr', '');""")
    for k in reversed(range(SAMPLES)):  # times decide on the order, not rows
        stamp, data = joint_state(k, "<")
        db.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(2, ?, ?)", (stamp, data))
        db.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, ?, ?)", (stamp, b"\0\1\0\0"))
    db.commit()
    db.close()


folder = pathlib.Path(sys.argv[1])
(folder / "run.mcap").write_bytes(mcap("<"))
(folder / "big_endian.mcap").write_bytes(mcap(">"))
database(folder / "run.db3")
