#!/usr/bin/env python3
"""Writes what the viewer's stream says of URDF files, as a `scene` message: robots for tests of the page.

Only what URDF files of this repository use; the program has its own reader, this one is independent of it.

    urdf_scene.py FILE [--ghost]
"""
import json
import math
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

NUMBERS = {'fixed': 0, 'revolute': 1, 'continuous': 1, 'prismatic': 1, 'helical': 1, 'planar': 3, 'ball': 4,
           'floating': 7}
ULNA = '{https://ulna.dev/urdf}'


def numbers(text, default):
    return [float(x) for x in text.split()] if text else list(default)


def quaternion(roll, pitch, yaw):
    cr, sr, cp, sp, cy, sy = (f(a / 2) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy]


def pose(element):
    origin = element.find('origin') if element is not None else None
    if origin is None:
        return [0, 0, 0, 1, 0, 0, 0]
    return numbers(origin.get('xyz'), (0, 0, 0)) + quaternion(*numbers(origin.get('rpy'), (0, 0, 0)))


def product(a, b):
    """Rotation matrix a times b."""
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def principal(inertia):
    """Eigenvalues and axes of a symmetric matrix, by Jacobi's rotations."""
    a, axes = [row[:] for row in inertia], [[float(i == j) for j in range(3)] for i in range(3)]
    for _ in range(60):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda pq: abs(a[pq[0]][pq[1]]))
        if abs(a[p][q]) < 1e-15:
            break
        angle = 0.5 * math.atan2(2 * a[p][q], a[q][q] - a[p][p])
        turn = [[float(i == j) for j in range(3)] for i in range(3)]
        turn[p][p] = turn[q][q] = math.cos(angle)
        turn[p][q], turn[q][p] = math.sin(angle), -math.sin(angle)
        back = [list(row) for row in zip(*turn)]
        a, axes = product(product(back, a), turn), product(axes, turn)
    return [a[i][i] for i in range(3)], axes


def matrix_quaternion(m):
    if m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) + \
            m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) < 0:
        m = [[-row[0], row[1], row[2]] for row in m]
    w = math.sqrt(max(0, 1 + m[0][0] + m[1][1] + m[2][2])) / 2
    x = math.copysign(math.sqrt(max(0, 1 + m[0][0] - m[1][1] - m[2][2])) / 2, m[2][1] - m[1][2])
    y = math.copysign(math.sqrt(max(0, 1 - m[0][0] + m[1][1] - m[2][2])) / 2, m[0][2] - m[2][0])
    z = math.copysign(math.sqrt(max(0, 1 - m[0][0] - m[1][1] + m[2][2])) / 2, m[1][0] - m[0][1])
    return [w, x, y, z]


def shapes(link, tag, materials):
    for element in link.findall(tag):
        shape = next(iter(element.find('geometry')), None)
        if shape is None or shape.tag == 'mesh':
            continue
        one = {'kind': shape.tag, 'pose': pose(element), 'color': None}
        material = element.find('material')
        if material is not None:
            color = material.find('color')
            one['color'] = numbers(color.get('rgba'), ()) if color is not None else materials.get(material.get('name'))
        if shape.tag == 'box':
            one['size'] = numbers(shape.get('size'), ())
        else:
            one['radius'] = float(shape.get('radius'))
        if shape.get('length'):
            one['length'] = float(shape.get('length'))
        yield one


def link_of(element, materials):
    link = {'name': element.get('name'), 'mass': 0, 'com': [0, 0, 0], 'inertia': None, 'physical': True, 'reason': '',
            'visuals': list(shapes(element, 'visual', materials)),
            'collisions': list(shapes(element, 'collision', materials))}
    inertial = element.find('inertial')
    if inertial is None:
        return link
    link['mass'] = float(inertial.find('mass').get('value'))
    link['com'] = pose(inertial)[:3]
    i = {name: float(inertial.find('inertia').get(name, 0)) for name in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')}
    moments, axes = principal([[i['ixx'], i['ixy'], i['ixz']], [i['ixy'], i['iyy'], i['iyz']],
                               [i['ixz'], i['iyz'], i['izz']]])
    link['inertia'] = {'moments': moments, 'axes': matrix_quaternion(axes)}
    low, middle, high = sorted(moments)
    if low < -1e-9 or low + middle < high * (1 - 1e-6):
        link['physical'], link['reason'] = False, 'the largest moment exceeds the sum of the other two'
    return link


def robot_of(path, ghost=False, identity=0):
    root = xml.parse(path).getroot()
    materials = {m.get('name'): numbers(m.find('color').get('rgba'), ()) for m in root.findall('material')
                 if m.find('color') is not None}
    links = [link_of(e, materials) for e in root.findall('link')]
    index = {link['name']: k for k, link in enumerate(links)}
    elements = root.findall('joint')
    joint_index = {e.get('name'): k for k, e in enumerate(elements)}
    joints, q, nv = [], [], 0
    for e in elements:
        kind, axis, limit, mimic = e.get('type'), e.find('axis'), e.find('limit'), e.find('mimic')
        kind = {'spherical': 'ball'}.get(kind, kind)
        n = 0 if mimic is not None else NUMBERS[kind]
        bound = lambda name: [float(limit.get(name))] if limit is not None and limit.get(name) else None
        single = lambda name: float(limit.get(name)) if limit is not None and limit.get(name) else None
        joints.append({
            'name': e.get('name'), 'type': kind, 'pitch': float(axis.get(ULNA + 'pitch', 0)) if axis is not None else 0,
            'axis': numbers(axis.get('xyz') if axis is not None else None, (1, 0, 0)),
            'parent': index[e.find('parent').get('link')], 'child': index[e.find('child').get('link')], 'pose': pose(e),
            'q': len(q) if n else -1, 'nq': n,
            'mimic': None if mimic is None else {'joint': joint_index[mimic.get('joint')],
                                                 'multiplier': float(mimic.get('multiplier', 1)),
                                                 'offset': float(mimic.get('offset', 0))},
            'lower': bound('lower'), 'upper': bound('upper'), 'velocity': single('velocity'),
            'effort': single('effort'), 'unit': 'm' if kind == 'prismatic' else 'rad'})
        q += {4: [1, 0, 0, 0], 7: [0, 0, 0, 1, 0, 0, 0]}.get(n, [0] * n)
        nv += {4: 3, 7: 6}.get(n, n)
    frames = [{'name': f.get('name'), 'link': index[f.get('link')], 'pose': pose(f)} for f in root.findall(ULNA + 'frame')
              if f.get('link') in index]
    return {'id': identity, 'name': root.get('name'), 'ghost': ghost, 'nq': len(q), 'nv': nv,
            'gravity': [0, 0, -9.81], 'joints': joints, 'links': links, 'frames': frames, 'q': q}


if __name__ == '__main__':
    files = [a for a in sys.argv[1:] if not a.startswith('--')]
    robots = [robot_of(Path(f)) for f in files]
    if '--ghost' in sys.argv:
        robots.append(robot_of(Path(files[0]), True, len(robots)))
    json.dump({'type': 'scene', 'robots': robots, 'fixed': []}, sys.stdout)
