"""ulna beside the peers that Debian has for Python: PyKDL (python3-pykdl) and DART (python3-dartpy).

    PYTHONPATH=build/release/python python3 python/bench/peers.py [--write]

One process, one robot, which all of them get from ulna's description; a call begins with numpy arrays and ends with one. Each
result must equal ulna's to 1e-9 before it is timed. Rounds alternate, and the fastest of each counts. --write puts table and
picture into docs/python.md.
"""

import argparse
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import numpy as np

import ulna

ROOT = Path(__file__).resolve().parents[2]
ROUNDS, CALLS, STATES = 15, 2000, 4096
WHAT = ["inverse dynamics", "mass matrix", "forward dynamics", "Jacobian of the tip", "pose of the tip"]


class Ulna:
    name = "ulna"

    def __init__(self, robot, tip):
        self.calls = {
            "inverse dynamics": robot.inverse_dynamics,
            "mass matrix": lambda q, v, a: robot.mass_matrix(q),
            "forward dynamics": robot.forward_dynamics,
            "Jacobian of the tip": lambda q, v, a: robot.jacobian(q, tip),
            "pose of the tip": lambda q, v, a: robot.pose(q, tip),
        }


class Kdl:
    """A chain from the description of a serial robot whose fixed joints are dissolved. PyKDL has no forward dynamics."""

    name = "PyKDL"

    def __init__(self, robot, tip):
        import PyKDL as kdl

        description = robot.lump_fixed_joints().description()
        links = {link["name"]: link["inertial"] for link in description["links"]}
        chain = self.chain = kdl.Chain()  # solvers refer to it
        vector = lambda x: kdl.Vector(*map(float, x))
        frame = lambda pose: kdl.Frame(kdl.Rotation.RPY(*map(float, pose["rpy"])), vector(pose["xyz"]))
        at = {description["joints"][0]["parent"]: None}
        for joint in description["joints"]:  # depth-first
            assert joint["parent"] in at and joint["type"] in ("revolute", "continuous"), "a serial chain of revolute joints is needed"
            at = {joint["child"]: None}
            X, inertial = frame(joint["origin"]), links[joint["child"]]
            I = inertial["inertia"]
            body = kdl.RigidBodyInertia(
                inertial["mass"], vector(inertial["com"]), kdl.RotationalInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
            )
            turning = kdl.Joint(joint["name"], X.p, X.M * vector(joint["axis"]), kdl.Joint.RotAxis)
            chain.addSegment(kdl.Segment(joint["child"], turning, X, body))
        q0 = robot.neutral()
        last = robot.fk(q0)[description["joints"][-1]["child"]]
        offset = np.linalg.inv(last) @ robot.pose(q0, tip)
        rotation = kdl.Rotation(*offset[:3, :3].ravel().tolist())
        chain.addSegment(kdl.Segment(tip, kdl.Joint(kdl.Joint.Fixed), kdl.Frame(rotation, vector(offset[:3, 3]))))
        n, g = robot.nv, vector(robot.gravity)
        rne, dynamics = kdl.ChainIdSolver_RNE(chain, g), kdl.ChainDynParam(chain, g)
        jac, fk = kdl.ChainJntToJacSolver(chain), kdl.ChainFkSolverPos_recursive(chain)
        kq, kv, ka, ktau = (kdl.JntArray(n) for _ in range(4))
        M, J, X, none = kdl.JntSpaceInertiaMatrix(n), kdl.Jacobian(n), kdl.Frame(), [kdl.Wrench() for _ in range(chain.getNrOfSegments())]

        def fill(to, x):
            for i in range(n):
                to[i] = float(x[i])

        def inverse(q, v, a):
            fill(kq, q), fill(kv, v), fill(ka, a)
            rne.CartToJnt(kq, kv, ka, none, ktau)
            return np.array([ktau[i] for i in range(n)])

        def mass(q, v, a):
            fill(kq, q)
            dynamics.JntToMass(kq, M)
            return np.array([[M[i, j] for j in range(n)] for i in range(n)])

        def jacobian(q, v, a):
            fill(kq, q)
            jac.JntToJac(kq, J)
            columns = np.array([[J[i, j] for j in range(n)] for i in range(6)])
            return columns[[3, 4, 5, 0, 1, 2]]

        def pose(q, v, a):
            fill(kq, q)
            fk.JntToCart(kq, X)
            return np.array([[X[i, j] for j in range(4)] for i in range(3)] + [[0, 0, 0, 1]], dtype=float)

        self.calls = {"inverse dynamics": inverse, "mass matrix": mass, "Jacobian of the tip": jacobian, "pose of the tip": pose}


class Dart:
    name = "dartpy"

    def __init__(self, robot, tip):
        import dartpy

        tree = ElementTree.fromstring(robot.to_urdf())
        for link in tree.iter("link"):  # meshes are not at hand
            for shape in link.findall("visual") + link.findall("collision"):
                link.remove(shape)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            file.write_bytes(ElementTree.tostring(tree))
            options = dartpy.utils.DartLoaderOptions()
            options.mDefaultRootJointType = dartpy.utils.DartLoaderRootJointType.FIXED
            # links without inertia would weigh 1 kg
            options.mDefaultInertia = dartpy.dynamics.Inertia(1e-15, np.zeros(3), 1e-18 * np.eye(3))
            loader = dartpy.utils.DartLoader()
            loader.setOptions(options)
            s = self.skeleton = loader.parseSkeleton(str(file))
        s.setGravity(robot.gravity)
        body, world = s.getBodyNode(tip), dartpy.dynamics.Frame.World()

        def inverse(q, v, a):
            s.setPositions(q), s.setVelocities(v), s.setAccelerations(a)
            s.computeInverseDynamics()
            return s.getForces()

        def forward(q, v, tau):
            s.setPositions(q), s.setVelocities(v), s.setForces(tau)
            s.computeForwardDynamics()
            return s.getAccelerations()

        def mass(q, v, a):
            s.setPositions(q)
            return s.getMassMatrix()

        def jacobian(q, v, a):
            s.setPositions(q)
            return s.getJacobian(body, world)

        def pose(q, v, a):
            s.setPositions(q)
            return body.getWorldTransform().matrix()

        self.calls = {"inverse dynamics": inverse, "forward dynamics": forward, "mass matrix": mass, "Jacobian of the tip": jacobian, "pose of the tip": pose}


def ns_per_call(call, states):
    begin = time.thread_time()
    for k in range(CALLS):
        call(*states[k % len(states)])
    return (time.thread_time() - begin) / CALLS * 1e9


def measure(robot, tip):
    peers = [Ulna(robot, tip)]
    for peer in (Kdl, Dart):
        try:
            peers.append(peer(robot, tip))
        except ImportError as missing:
            print(f"left out: {missing}")
    random = np.random.default_rng(1)
    Q, (V, A) = robot.random_configuration(random, STATES), random.normal(size=(2, STATES, robot.nv))
    states = [(Q[i].copy(), V[i].copy(), A[i].copy()) for i in range(64)]
    for peer in peers[1:]:
        for what, call in list(peer.calls.items()):
            for state in states:
                wanted = np.asarray(peers[0].calls[what](*state))
                error = np.abs(np.asarray(call(*state)) - wanted).max() / np.abs(wanted).max()
                if not error < 1e-9:
                    raise SystemExit(f"{peer.name}, {what}: differs by {error:.1e}")
    best = {}
    single = ulna.Robot(robot.name, threads=1).without_friction()
    single.threads = 1
    out = np.empty_like(V)
    for _ in range(ROUNDS):
        for peer in peers:
            for what, call in peer.calls.items():
                best[what, peer.name] = min(best.get((what, peer.name), np.inf), ns_per_call(call, states))
        begin = time.thread_time()
        single.inverse_dynamics(Q, V, A, out=out)
        batch = (time.thread_time() - begin) / STATES * 1e9
        best["batch"] = min(best.get("batch", np.inf), batch)
    return [peer.name for peer in peers], best


def table(names, best):
    rows = [f"| Panda, ns per call | {' | '.join(names)} | best peer / ulna |", "|---" + "|---:" * (len(names) + 1) + "|"]
    for what in WHAT:
        times = [best.get((what, name)) for name in names]
        cells = [f"{t:,.0f}" if t else "-" for t in times]
        rows.append(f"| {what} | {' | '.join(cells)} | {min(t for t in times[1:] if t) / times[0]:.1f} |")
    rows.append(f"| inverse dynamics of {STATES} states at once, per state, one thread | {best['batch']:,.0f} | {' | '.join('-' for _ in names[1:])} | |")
    return "\n".join(rows)


def picture(names, best, file):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10, "svg.hashsalt": "ulna"})
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.2, 3.4), constrained_layout=True)
    y, height = np.arange(len(WHAT)), 0.8 / len(names)
    for k, (name, color) in enumerate(zip(names, ("#2f6fb5", "#c98a3a", "#8a8f98"))):
        x = [best.get((what, name), np.nan) for what in WHAT]
        bars = ax.barh(y + (k - (len(names) - 1) / 2) * height, x, 0.92 * height, color=color, label=name)
        ax.bar_label(bars, [f"{t:,.0f}" if np.isfinite(t) else "" for t in x], padding=3, fontsize=8)
    ax.set(xscale="log", xlim=(100, 40_000), yticks=y, yticklabels=WHAT, xlabel="ns per call, from numpy arrays to numpy arrays; Panda")
    ax.invert_yaxis()
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, frameon=False)
    figure.savefig(file, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put table and picture into docs/python.md")
    options = parser.parse_args()
    robot = ulna.Robot("panda").without_friction()
    names, best = measure(robot, "panda_link8")
    text = table(names, best)
    print(text)
    if options.write:
        page = ROOT / "docs" / "python.md"
        begin, end = "<!-- bench: python peers -->", "<!-- end -->"
        written, count = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n\n{text}\n\n{end}", page.read_text(), flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"{page}: there is no place for the table")
        page.write_text(written)
        picture(names, best, ROOT / "docs" / "python-peers.svg")


if __name__ == "__main__":
    main()
