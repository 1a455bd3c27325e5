"""A robot in Python, without any package: a pendulum that a controller drives.   python3 robot.py /tmp/pendulum 5"""
import math, os, random, socket, struct, sys, time, zlib

HEADER, PERIOD, WATCHDOG, INERTIA, WEIGHT = "<4sBBHIIIId", 0.002, 0.05, 0.5, 3.0
path, seconds = sys.argv[1], float(sys.argv[2])
if os.path.exists(path):
    os.unlink(path)
link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
link.bind(path)
link.setblocking(False)


def packet(kind, session, number, status, body):
    head = [b"ULNK", 1, kind, 32 + len(body), 0, session, number, status, time.monotonic()]
    head[4] = zlib.crc32(struct.pack(HEADER, *head) + body)
    return struct.pack(HEADER, *head) + body


q, v, tau, session, number, seen, heard, sent_at, peer = 0.3, 0.0, None, 0, 0, 0, 0.0, 0.0, None
begin = due = time.monotonic()
while (now := time.monotonic()) < begin + seconds:
    while True:
        try:
            data, sender = link.recvfrom(8192)
        except OSError:
            break
        if len(data) < 40 or data[:5] != b"ULNK\1" or zlib.crc32(data[:8] + bytes(4) + data[12:]) != struct.unpack("<I", data[8:12])[0]:
            continue  # no packet of this protocol
        _, _, kind, _, _, whose, count, _, _ = struct.unpack(HEADER, data[:32])
        if kind == 1 and tau is None:  # hello: a new session
            session, number, seen, peer = random.randrange(1, 2**32), 0, 0, sender
            about = data[32:36] + struct.pack("<IddQ", 1, PERIOD, WATCHDOG, 1) + b"\0\5joint"
            link.sendto(packet(2, session, 0, 0, about), peer)
        elif kind == 4 and whose == session and count > seen and len(data) == 56:
            seen, (mode, _, answers, torque) = count, struct.unpack("<IIdd", data[32:])
            if mode == 0:
                tau = None
            elif math.isfinite(torque) and 0.0 <= sent_at - answers <= 0.02:
                tau, heard = torque, now
    if tau is not None and now - heard > WATCHDOG:
        tau = None  # the controller is gone (a robot should also wait for a hold, see docs/protocol.md)
    torque = WEIGHT * math.sin(q) + 20.0 * (0.3 - q) - 5.0 * v if tau is None else tau
    v += PERIOD * (torque - WEIGHT * math.sin(q)) / INERTIA
    q += PERIOD * v
    if peer:
        number, sent_at = number + 1, time.monotonic()
        body = struct.pack("<IIdddd", seen, 1, sent_at, q, v, torque)
        try:
            link.sendto(packet(3, session, number, 1 if tau is None else 0, body), peer)
        except OSError:
            peer = None
    due += PERIOD
    time.sleep(max(0.0, due - time.monotonic()))
print(f"{number} states sent, {seen} commands, at {q:.3f}")
os.unlink(path)
