"""What Python adds to the C++ it calls.

    PYTHONPATH=build/release/python python3 python/bench/bench.py build/release/bin/ulna_python_reference

`cmake --build --preset release --target ulna_python_reference` compiles the program it compares with. Rounds of both
alternate, and the fastest of each counts: other work on the machine only ever adds time.
"""

import subprocess
import sys
import threading
import time

import numpy as np

import ulna

STATES, ROUNDS, CALLS = 1_000_000, 8, 200_000


def loop(f, *args, calls=CALLS, **kwargs):
    """ns of this thread per call."""
    begin = time.thread_time()
    for _ in range(calls):
        f(*args, **kwargs)
    return (time.thread_time() - begin) / calls * 1e9


def control_loop(robot, q, cycles=300):
    """ns per cycle that the controller takes in Python beyond what C++ measures itself."""
    controller = ulna.IdentifyingController(robot)
    controller.follow(lambda t: q)
    v, tau = np.zeros(robot.nv), robot.gravity_torque(q)
    inside = 0.0
    for k in range(cycles + 1):
        if k == 1:  # the first solves to convergence
            begin, inside = time.perf_counter(), 0.0
        controller.act(1e-3 * k, q, v)
        controller.update(1e-3 * k, q, v, tau)
        us = controller.times_us
        inside += us["act"] + us["update"]
    return (time.perf_counter() - begin) / cycles * 1e9 - inside / cycles * 1e3


def empty_loop():
    """What of it is Python's loop."""
    begin = time.thread_time()
    for _ in range(CALLS):
        pass
    return (time.thread_time() - begin) / CALLS * 1e9


def once(f, *args, **kwargs):
    """ns per state."""
    begin = time.perf_counter()
    f(*args, **kwargs)
    return (time.perf_counter() - begin) / STATES * 1e9


def two_threads(robot, Q, V, A, out):
    """How much faster two Python threads are than one, each call on one core."""
    half = len(Q) // 2
    parts = [slice(0, half), slice(half, None)]
    run = lambda s: robot.inverse_dynamics(Q[s], V[s], A[s], out=out[s])
    begin = time.perf_counter()
    for part in parts:
        run(part)
    alone = time.perf_counter() - begin
    threads = [threading.Thread(target=run, args=(part,)) for part in parts]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return alone / (time.perf_counter() - begin)


def main():
    robot = ulna.Robot("panda")
    random = np.random.default_rng(1)
    Q = robot.random_configuration(random, STATES)
    V, A = random.normal(size=(2, STATES, 7))
    q, v, a = Q[0].copy(), V[0].copy(), A[0].copy()
    f, out, all_out = robot.inverse_dynamics_fn(), np.empty(7), np.empty((STATES, 7))
    single = ulna.Robot("panda", threads=1)
    generated = robot.codegen("inverse_dynamics")
    sim = ulna.Simulation(robot)
    held = robot.gravity_torque(sim.q)
    best = {}

    def keep(name, value, choose=min):
        best[name] = choose(best.get(name, value), value)

    for _ in range(ROUNDS):
        keep("empty loop", empty_loop())
        keep("f(q, v, a)", loop(f, q, v, a))
        keep("f(q, v, a, out=out)", loop(f, q, v, a, out=out))
        keep("robot.inverse_dynamics(q, v, a)", loop(robot.inverse_dynamics, q, v, a))
        keep("generated f(q, v, a)", loop(generated, q, v, a))
        keep("Simulation.step(tau, 0.001)", loop(sim.step, held, 1e-3, calls=5000))
        keep("act and update, beyond C++", control_loop(robot, robot.neutral()))
        keep("batch, out=", once(robot.inverse_dynamics, Q, V, A, out=all_out))
        keep("batch, new array", once(robot.inverse_dynamics, Q, V, A))
        keep("two threads / one", two_threads(single, Q, V, A, all_out), max)
        if len(sys.argv) > 1:
            text = subprocess.run([sys.argv[1], str(STATES), "1"], check=True, capture_output=True, text=True).stdout
            one, many = map(float, text.split())
            keep("C++, one state", one)
            keep("C++, batch", many)
    for name, value in best.items():
        print(f"{name:34} {value:8.2f}" + ("" if "/" in name else " ns"))


if __name__ == "__main__":
    main()
