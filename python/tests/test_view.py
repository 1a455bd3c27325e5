"""What a Python program shows reaches a page."""

import base64
import json
import os
import socket
import struct
import urllib.request

import numpy as np
import pytest

import ulna

pytestmark = pytest.mark.skipif(not ulna._core.has_viewer(), reason="built without the viewer")


class Page:
    """A page's end of the stream."""

    def __init__(self, url):
        port = int(url.rstrip("/").rsplit(":", 1)[1])
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self.input = b""
        while b"\r\n\r\n" not in self.input:
            self.input += self.socket.recv(4096)
        self.input = self.input.split(b"\r\n\r\n", 1)[1]

    def _take(self, size):
        while len(self.input) < size:
            self.input += self.socket.recv(65536)
        taken, self.input = self.input[:size], self.input[size:]
        return taken

    def next(self):
        head = self._take(2)
        size = head[1] & 127
        if size >= 126:
            size = struct.unpack(">H" if size == 126 else ">Q", self._take(2 if size == 126 else 8))[0]
        return head[0] & 15, self._take(size)

    def wait_for(self, wanted):
        while True:
            kind, message = self.next()
            if kind == 1 and json.loads(message)["type"] == wanted:
                return json.loads(message)
            if kind == 2 and message[0] == wanted:
                return message


@pytest.fixture()
def robot():
    return ulna.Robot("panda")


def test_what_is_shown_arrives(robot):
    viewer = ulna.Viewer(robot, ghosts=[robot], plots={"torque": "Nm", "power": ("W", ["all"])})
    page = Page(viewer.url)
    scene = page.wait_for("scene")
    assert [r["ghost"] for r in scene["robots"]] == [False, True]
    groups = page.wait_for("channels")["groups"]
    assert [len(g["series"]) for g in groups] == [7, 1]
    assert viewer.clients == 1
    q = 0.1 * np.arange(7)
    viewer.show(0.25, q, robot=1)
    state = page.wait_for(1)
    assert state[1] == 1 and struct.unpack("<d", state[4:12])[0] == 0.25
    assert np.allclose(np.frombuffer(state[12:], dtype="<f4"), q)
    viewer.plot(0.25, [*q, np.nan])
    values = np.frombuffer(page.wait_for(2)[12:], dtype="<f4")
    assert np.allclose(values[:7], q) and np.isnan(values[7])


def test_a_motion_is_a_track(robot):
    Q = np.random.default_rng(1).normal(size=(50, 7))
    viewer = ulna.view(robot, Q, browser=False)
    track = Page(viewer.url).wait_for(5)
    assert np.allclose(np.frombuffer(track[12 : 12 + 400], dtype="<f8"), 0.01 * np.arange(50))
    assert np.allclose(np.frombuffer(track[412:], dtype="<f4").reshape(50, 7), Q)


def test_the_page_is_served(robot):
    viewer = ulna.view(robot, browser=False)
    with urllib.request.urlopen(viewer.url) as page:
        assert b"<html" in page.read()
    assert viewer.url in repr(viewer) and viewer.url in viewer._repr_html_()


def test_what_cannot_be_shown_is_refused(robot):
    viewer = ulna.Viewer(robot)
    with pytest.raises(ValueError, match="6 numbers given, the robot has 7"):
        viewer.show(0.0, np.zeros(6))
    with pytest.raises(ValueError, match="not finite"):
        viewer.show(0.0, np.full(7, np.nan))
    with pytest.raises(IndexError, match="no robot 1"):
        viewer.show(0.0, np.zeros(7), robot=1)
    with pytest.raises(ValueError, match="the plots have 0"):
        viewer.plot(0.0, [1.0])
    with pytest.raises(ValueError, match="needs"):
        viewer.play([0.0, 1.0], np.zeros((3, 7)))
    with pytest.raises(ValueError, match="no robot"):
        ulna.Viewer([])
    with pytest.raises(RuntimeError, match="take another"):
        ulna.Viewer(robot, port=int(viewer.url.rstrip("/").rsplit(":", 1)[1]))
