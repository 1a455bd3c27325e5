"""Kills the controller, the robot or the link between them (SIGKILL) at random times, and looks whether the other side is safe
within its stated time, and whether a restart works.

    python3 kill.py ULNA [--count 100] [--seed 1] [--robot panda]

The robot is `ulna rig`, the controller `ulna drive --hold`, the link a process that passes datagrams on. What is checked is read by a
third side: a robot whose controller died says that it holds itself (state of health) within the watchdog's time; a controller whose robot
or link died ends by itself and says so. The first state of the session after the next start, in which the robot still holds itself, shows
whether a robot that lived on stayed where it was and rests; a robot that died begins anew.
"""

import argparse
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

WATCHDOG, GONE, SLACK = 0.2, 0.1, 1.5  # s; slack: of a machine that does other things as well


def relay(robot_path, own_path, tap_path):
    """Passes datagrams on, and copies the robot's to who watches. Never waits: a queue that is full loses packets, and connecting anew
    empties one that was not."""
    front = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    front.bind(own_path)
    back = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    back.bind(own_path + ".back")
    back.connect(robot_path)
    tap = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    tap.setblocking(False)
    import select

    controller = None
    while True:
        for ready in select.select([front, back], [], [])[0]:
            try:
                if ready is front:
                    data, controller = front.recvfrom(8192, socket.MSG_DONTWAIT)
                    try:
                        back.send(data, socket.MSG_DONTWAIT)
                    except BlockingIOError:
                        pass
                    except OSError:
                        back.connect(robot_path)  # the robot was started again
                else:
                    data = back.recv(8192, socket.MSG_DONTWAIT)
                    try:
                        tap.sendto(data, tap_path)
                    except OSError:
                        pass
                    if controller:
                        front.sendto(data, socket.MSG_DONTWAIT, controller)
            except OSError:
                pass


class Scene:
    def __init__(self, ulna, robot, folder):
        self.ulna, self.robot, self.folder = ulna, robot, folder
        self.processes = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, who):
        log, messages = open(self.path(who + ".log"), "wb"), open(self.path(who + ".err"), "wb")
        if who == "link":
            for name in ("link", "link.back"):
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            command = [sys.executable, __file__, "--relay", self.path("robot"), self.path("link"), self.path("tap")]
        elif who == "robot":
            command = [self.ulna, "rig", self.robot, "--address", "unix:" + self.path("robot"), "--rate", "500", "--watchdog", str(WATCHDOG)]
        else:
            command = [self.ulna, "drive", self.robot, "--address", "unix:" + self.path("link"), "--hold", "600", "--rate", "200", "--steps", "5",
                       "--no-identify", "--json", "--wait", "30", "--watchdog", "1"]
        self.processes[who] = subprocess.Popen(command, stdout=log, stderr=messages)

    def ended(self, who):
        return self.processes[who].poll() is not None

    def stop(self, who):
        process = self.processes.pop(who)
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise SystemExit(f"{who} did not end by SIGTERM")

    def kill(self, who):
        process = self.processes.pop(who)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return time.monotonic()


class Watcher:
    """Reads the states that the robot sends, from the link."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(0.02)

    def drain(self):
        self.socket.setblocking(False)
        try:
            while True:
                self.socket.recv(8192)
        except OSError:
            pass
        self.socket.settimeout(0.02)

    def until(self, seconds, holds):
        """The first state of a robot that holds itself, or is driven: when it came, its clock, q, v; None: there was none."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                data = self.socket.recv(8192)
            except OSError:
                continue
            if len(data) < 48 or data[5] != 3:
                continue
            status, sent = struct.unpack("<Id", data[20:32])
            n = struct.unpack("<I", data[36:40])[0]
            if bool(status & 1) == holds:
                x = struct.unpack(f"<{2 * n}d", data[48 : 48 + 16 * n])
                return time.monotonic(), sent, x[:n], x[n:]
        return None


def require(condition, what, scene):
    if condition:
        return
    print("FAILED:", what)
    for who in ("robot", "controller", "link"):
        for kind in ("log", "err"):
            if os.path.exists(scene.path(f"{who}.{kind}")):
                print(f"--- {who}.{kind}\n{open(scene.path(f'{who}.{kind}'), errors='replace').read()[-3000:]}")
    raise SystemExit(1)


def once(scene, watcher, victim, after, figures):
    """All is running and the robot is driven; the victim dies after a while."""
    # a machine that stalls for longer than the watchdog's time ends a run as well: then it is started again
    for _ in range(10):
        watcher.drain()
        require(watcher.until(60.0, holds=False) or scene.ended("controller"), "the robot is not driven", scene)
        time.sleep(after)
        watcher.drain()
        before = watcher.until(1.0, holds=False)
        if before and not scene.ended("controller"):
            break
        require(scene.ended("controller"), "the controller does not drive the robot, nor does it end", scene)
        figures.setdefault("stalls", []).append(0.0)
        scene.start("controller")
    require(before, "the robot is not driven for long", scene)
    died = scene.kill(victim)
    if victim == "controller":
        held = watcher.until(5.0, holds=True)
        require(held, "the robot does not hold itself", scene)
        figures.setdefault(victim, []).append(held[0] - died)
        require(held[0] - died < WATCHDOG + SLACK, f"the robot held itself after {held[0] - died:.3f} s", scene)
    else:
        process = scene.processes["controller"]
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            require(False, f"the controller goes on without the {victim}", scene)
        took = time.monotonic() - died
        summary = json.load(open(scene.path("controller.log")))["summary"]
        figures.setdefault(victim, []).append(took)
        require(process.returncode == 1 and summary["end"] in ("robot gone", "torques refused", "hung", "stopped by the supervisor"), f"the controller ended as {summary['end']}", scene)
        require(took < GONE + 2.0 * SLACK, f"the controller ended after {took:.3f} s", scene)
        scene.processes.pop("controller")
    # it has come to rest by then, and sends nothing to a link that is gone
    time.sleep(0.3)
    watcher.drain()
    for who in (victim, "controller"):
        if who not in scene.processes:
            scene.start(who)
    held = watcher.until(30.0, holds=True)
    require(held, f"the robot says nothing after the restart of the {victim}", scene)
    if victim != "robot":
        moved = max(abs(a - b) for a, b in zip(held[2], before[2]))
        figures.setdefault("moved", []).append(moved)
        require(moved < 0.05 and max(map(abs, held[3])) < 0.05, f"the robot has moved by {moved:.4f} rad", scene)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ulna")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--robot", default="panda")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    figures = {}
    with tempfile.TemporaryDirectory(prefix="ulna-kill-") as folder:
        scene, watcher = Scene(options.ulna, options.robot, folder), Watcher(os.path.join(folder, "tap"))
        try:
            for who in ("robot", "link", "controller"):
                scene.start(who)
                time.sleep(0.2)
            for k in range(options.count):
                victim = ("controller", "robot", "link")[k % 3]
                once(scene, watcher, victim, chance.uniform(0.0, 1.0), figures)
            require(watcher.until(60.0, holds=False), "the robot is not driven in the end", scene)
            for who in ("controller", "robot", "link"):
                scene.stop(who) if who != "link" else scene.kill(who)
        finally:
            for process in scene.processes.values():
                process.kill()
                process.wait()
    print(f"runs that stalls of the machine ended: {len(figures.pop('stalls', []))}")
    moved = figures.pop("moved", [])
    if moved:
        print(f"places looked at after a restart: {len(moved)}; the robot had moved by {1e3 * max(moved):.3f} mrad at most")
    for victim, times in figures.items():
        other = "robot held itself" if victim == "controller" else "controller ended"
        print(f"{victim} killed {len(times)} times: {other} after {min(times):.3f} to {max(times):.3f} s")


if len(sys.argv) > 2 and sys.argv[1] == "--relay":
    relay(*sys.argv[2:])
main()
