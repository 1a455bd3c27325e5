"""What Python adds to the C++ it calls.

    PYTHONPATH=build/release/python python3 python/bench/bench.py build/release/bin/ulna_python_reference

`cmake --build --preset release --target ulna_python_reference` compiles the program it compares with. Rounds of both
alternate, and the fastest of each counts: other work on the machine only ever adds time.
"""

import multiprocessing
import resource
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
    """ns per state: elapsed, and of CPU of all threads."""
    begin, cpu = time.perf_counter(), time.process_time()
    f(*args, **kwargs)
    return [x / STATES * 1e9 for x in (time.perf_counter() - begin, time.process_time() - cpu)]


def side_by_side(start, parts):
    """Wall time and CPU time of this process and its children for all parts at once, s."""
    usage = lambda: sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    begin, cpu = time.perf_counter(), usage()
    running = [start(part) for part in parts]
    for one in running:
        one.start()
    for one in running:
        one.join()
    return time.perf_counter() - begin, usage() - cpu


def two_threads(robot, Q, V, A, repeats=20):
    """Two Python threads, each with one core's batches, beside the same work in one thread and in two processes.

    Returns how much faster they are than one thread, how many cores they got meanwhile, and the same of two processes, which share no
    lock: threads that are slower than processes wait for one; processes that are slow have a busy machine.
    """
    half = len(Q) // 2
    parts = [slice(0, half), slice(half, None)]
    outs = [np.empty_like(V[part]) for part in parts]

    def run(k):
        for _ in range(repeats):
            robot.inverse_dynamics(Q[parts[k]], V[parts[k]], A[parts[k]], out=outs[k])

    thread = lambda k: threading.Thread(target=run, args=(k,))
    process = lambda k: multiprocessing.get_context("fork").Process(target=run, args=(k,))
    alone = sum(side_by_side(thread, [k])[0] for k in range(2))
    found = []
    for start in (thread, process):
        wall, cpu = side_by_side(start, range(2))
        found += [alone / wall, cpu / wall]
    return found


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
    best, threads = {}, []

    def keep(name, value):
        best[name] = min(best.get(name, value), value)

    for _ in range(ROUNDS):
        keep("empty loop", empty_loop())
        keep("f(q, v, a)", loop(f, q, v, a))
        keep("f(q, v, a, out=out)", loop(f, q, v, a, out=out))
        keep("robot.inverse_dynamics(q, v, a)", loop(robot.inverse_dynamics, q, v, a))
        keep("generated f(q, v, a)", loop(generated, q, v, a))
        keep("Simulation.step(tau, 0.001)", loop(sim.step, held, 1e-3, calls=5000))
        keep("act and update, beyond C++", control_loop(robot, robot.neutral()))
        for name, x in zip(("batch, out=", "batch, out=, CPU"), once(robot.inverse_dynamics, Q, V, A, out=all_out)):
            keep(name, x)
        keep("batch, new array", once(robot.inverse_dynamics, Q, V, A)[0])
        threads.append(two_threads(single, Q[:200_000], V[:200_000], A[:200_000]))
        if len(sys.argv) > 1:
            text = subprocess.run([sys.argv[1], str(STATES), "1"], check=True, capture_output=True, text=True).stdout
            for name, x in zip(("C++, one state", "C++, batch", "C++, batch, CPU"), map(float, text.split())):
                keep(name, x)
    for name, value in best.items():
        print(f"{name:34} {value:8.2f} ns")
    print("\ntwo threads, each with batches of its own, over one: times as fast (cores that they got); two processes likewise")
    for faster, cores, faster_processes, cores_processes in sorted(threads, reverse=True):
        print(f"    {faster:.2f} ({cores:.2f})    {faster_processes:.2f} ({cores_processes:.2f})")


if __name__ == "__main__":
    main()
