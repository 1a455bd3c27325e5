"""Robots and states that the tests share."""

import numpy as np

import ulna

#: arms, a gripper's mimicking joints, ball, planar and floating joints are among them
ROBOTS = [name for name in ulna.robots() if ulna.Robot(name).nv <= 40]


def motion(robot, seed, n=None):
    """q, v, a at random."""
    random = np.random.default_rng(seed)
    shape = (robot.nv,) if n is None else (n, robot.nv)
    return robot.random_configuration(random, n), random.normal(size=shape), random.normal(size=shape)


def random_chain(seed):
    """A chain of revolute and prismatic joints with random axes, places and masses, as URDF."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 9))
    text = ['<robot name="random"><link name="link0"/>']
    for i in range(1, n + 1):
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        kind = "prismatic" if random.random() < 0.3 else "continuous"
        limit = '<limit lower="-1" upper="1" effort="100" velocity="3"/>' if kind == "prismatic" else ""
        numbers = lambda x: " ".join(repr(float(y)) for y in x)
        rod = random.uniform(0.1, 0.3, size=3)
        second = np.diag(rod**2)
        inertia = np.trace(second) * np.eye(3) - second
        mass = random.uniform(0.5, 4.0)
        text.append(
            f'<link name="link{i}"><inertial><origin xyz="{numbers(random.uniform(-0.2, 0.2, 3))}"/><mass value="{mass!r}"/>'
            f'<inertia ixx="{mass * inertia[0, 0]!r}" iyy="{mass * inertia[1, 1]!r}" izz="{mass * inertia[2, 2]!r}"'
            f' ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="joint{i}" type="{kind}"><parent link="link{int(random.integers(0, i))}"/><child link="link{i}"/>'
            f'<origin xyz="{numbers(random.uniform(-0.5, 0.5, 3))}" rpy="{numbers(random.uniform(-3, 3, 3))}"/>'
            f'<axis xyz="{numbers(axis)}"/>{limit}<dynamics damping="{random.uniform(0, 1)!r}" friction="0"/></joint>'
        )
    return ulna.Robot.from_string("".join(text) + "</robot>")
