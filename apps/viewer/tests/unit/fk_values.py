#!/usr/bin/env python3
"""Writes fk_values.json: poses that the program computes, for the page's kinematics to be compared with.

    fk_values.py ULNA > fk_values.json

q is given as the viewer's stream orders it: (x, y, angle) of planar joints, (x, y, z, qw, qx, qy, qz) of
floating ones; the program's own order is (angle, x, y) and (qw, qx, qy, qz, x, y, z).
"""
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROBOTS = HERE.parents[3] / 'robots'
TURNED = [0.8, 0.2, -0.4, 0.4]
CASES = [
    ('panda', [0.3, -0.5, 0.2, -2.0, 0.4, 1.5, 0.7], []),
    ('ur5e', [0.3, -1.2, 1.4, -0.4, -1.0, 2.0], []),
    ('scara', [0.4, -0.9, 0.1, 1.2], []),
    ('lead_screw', [7.5, 0.6], []),
    ('ball_wrist', [0.4, -0.7] + TURNED, []),
    ('planar_cart', [0.3, -0.2, 0.5, 0.25], [(0, 3)]),
    ('quadruped', [0.1, -0.2, 0.4] + TURNED + [0.1 * k - 0.5 for k in range(12)], [(0, 7)]),
    ('odd_joints', [0.1, -0.2, 0.4] + TURNED + [0.3, -0.2, 0.5] + [7.5, -0.8] + TURNED, [(0, 7), (7, 3)]),
]


def programs_order(q, moved):
    q = q[:]
    for at, n in moved:
        part = q[at:at + n]
        q[at:at + n] = part[2:] + part[:2] if n == 3 else part[3:] + part[:3]
    return q


cases = []
for name, q, moved in CASES:
    path = HERE / f'{name}.urdf' if name == 'odd_joints' else ROBOTS / f'{name}.urdf'
    given = ','.join(repr(x) for x in programs_order(q, moved))
    answer = json.loads(subprocess.run([sys.argv[1], 'fk', str(path), '--q', given, '--json'], check=True,
                                       capture_output=True, text=True).stdout)
    poses = {f['name']: f['xyz'] + f['quat_wxyz'] for f in answer['frames']}
    lines = ',\n'.join(f'  {json.dumps(name)}: {json.dumps(pose)}' for name, pose in poses.items())
    cases.append(f'{{"robot": "{name}", "q": {json.dumps(q)}, "poses": {{\n{lines}\n}}}}')
print('[' + ',\n'.join(cases) + ']')
