"""What is left in memory after many calls of every class.

    PYTHONPATH=build/release/python python3 python/bench/memory.py [--scale 1.0] [NAME...]

A tenth of the calls warm up; then the resident memory of the process is read before and after the others. --scale 0.01 makes a hundredth
of the calls. Exit code 1 if anything grows by more than 2 bytes a call and more than 1 MB.
"""

import argparse
import gc
import resource
import sys
import time

import numpy as np

import ulna


def resident():
    """kB that the process has in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize() // 1024


def cases():
    """(name, how many calls, one call)"""
    arm = ulna.Robot("double_pendulum").without_friction()
    q, v, a = arm.random_configuration(1), np.array([0.1, -0.2]), np.array([0.3, 0.1])
    rest, tau = np.zeros(2), np.zeros(2)
    million = 1_000_000

    f = arm.inverse_dynamics_fn()
    yield "inverse_dynamics", million, lambda: f(q, v, a)
    yield "step_derivatives", million, lambda: arm.step_derivatives(q, v, tau)
    Q, V, T = (np.tile(x, (8, 1)) for x in (q, v, tau))
    yield "step of 8 states", million // 10, lambda: arm.step(Q, V, T)
    yield "operational_space", million // 10, lambda: arm.operational_space(q, np.eye(2))
    yield "impulse_response", million, lambda: arm.impulse_response(q, {"lower": [0, 0, 0, 1, 0, 0]})

    sim = ulna.Simulation(arm, sensors={"seed": 1})

    def simulate():
        sim.step(tau, 1e-3)
        sim.read()
        if sim.time > 10.0:
            sim.set_state(q)

    yield "Simulation.step", million, simulate
    yield "Simulation.run", million // 1000, lambda: (sim.set_state(q), sim.run(0.05, lambda t, q, v: -v))
    yield "Simulation()", million // 100, lambda: ulna.Simulation(arm)

    world = ulna.World(step=1e-3)
    world.add_fixed("ground", "plane")
    world.add_body("box", ("box", (0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.05))
    world.add_robot(arm, q, position=(1, 0, 1))
    yield "World.step", million, lambda: world.step(1)
    yield "World.contacts", million // 10, lambda: world.contacts

    def new_world():
        w = ulna.World(step=1e-3)
        w.add_body("stone", ulna.Shape.hull(np.vstack([np.eye(3), -np.eye(3)])), mass=1.0)
        w.step(1)

    yield "World(), Shape.hull()", million // 100, new_world
    box, ball = ulna.Shape("box", (1, 1, 1)), ulna.Shape("sphere", 0.6)
    yield "contact_points", million, lambda: ulna.contact_points(box, ball, margin=1.0)

    estimator, clock = ulna.OnlineEstimator(arm), [0.0]

    def learn():
        clock[0] += 1e-3
        s = np.sin(3 * clock[0])
        estimator.learn(q + s, v * s, tau + s)

    yield "OnlineEstimator.learn", million, learn
    yield "OnlineEstimator()", million // 1000, lambda: ulna.OnlineEstimator(arm).robot

    supervisor, observer, at = ulna.Supervisor(arm), ulna.MomentumObserver(arm), [0.0]

    def filtered():
        at[0] += 1e-3
        supervisor.filter(at[0], rest, rest, tau)

    yield "Supervisor.filter", million, filtered
    yield "MomentumObserver.update", million, lambda: observer.update(q, v, tau, 1e-3)

    controller, now = ulna.IdentifyingController(arm, problem={"steps": 5}), [0.0]
    controller.follow(lambda t: np.array([0.1 * np.sin(t), 0.0]))

    def control():
        now[0] += 1e-3
        controller.update(now[0], rest, rest, controller.act(now[0], rest, rest))

    yield "IdentifyingController", million, control
    yield "IdentifyingController()", million // 10_000, lambda: ulna.IdentifyingController(arm, problem={"steps": 5})

    loops = ulna.Loops(ulna.Robot("fourbar"))
    at_rest = np.zeros(3)
    yield "Loops.forward_dynamics", million, lambda: loops.forward_dynamics(loops.closed_at, at_rest, at_rest)
    yield "Loops, derivatives", million // 10, lambda: loops.forward_dynamics_derivatives(loops.closed_at, at_rest, at_rest)

    stage = dict(A=[[1, 0.1], [0, 1]], B=[[0.005], [0.1]], Q=np.eye(2), R=[[0.1]], u_upper=0.5)
    program = ulna.QuadraticProgram([stage] * 5 + [dict(Q=np.eye(2))])
    yield "QuadraticProgram.solve", million // 10, lambda: program.solve([1.0, 0.0])
    problem = ulna.RobotProblem(arm, steps=3)
    problem.set_goal([0.1, 0.1])
    yield "RobotProblem.solve", million // 100, lambda: problem.solve([0, 0])
    own = lambda: ulna.OptimalControlProblem(3, 1, 1, lambda k, x, u: x + u, residual=lambda k, x, u: np.r_[x, u]).solve([1.0])
    yield "OptimalControlProblem", million // 1000, own

    yield "Robot.description, from_description", million // 1000, lambda: ulna.Robot.from_description(arm.description())
    yield "Robot(), to_urdf", million // 1000, lambda: ulna.Robot.from_string(arm.to_urdf())
    yield "formulations", million // 1000, lambda: arm.formulations()["lagrange-euler"].inverse_dynamics(q, v, a)
    t = np.arange(0, 4, 0.01)
    wave = np.stack([np.sin(3 * t) + 0.5 * np.sin(7.1 * t), np.sin(5 * t + 1)], axis=1)
    rate, second = np.gradient(wave, t, axis=0), np.gradient(np.gradient(wave, t, axis=0), t, axis=0)
    log = ulna.Log(t=t, q=wave, v=rate, tau=arm.inverse_dynamics(wave, rate, second))
    yield "Identification", million // 2000, lambda: arm.identify(log).parameters
    yield "base_parameters", million // 1000, lambda: arm.base_parameters()
    yield "ExcitingMotion", million // 20_000, lambda: arm.excite(5.0, starts=1, iterations=1, distance=None).sample(50.0)
    yield "simplify", million // 1000, lambda: arm.simplify(wave[:10], rate[:10], second[:10]).terms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only cases whose names contain one of these")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the calls")
    options = parser.parse_args()
    leaks = []
    print(f"{'':36} {'calls':>9} {'µs':>8} {'kB more':>8} {'bytes a call':>13}")
    for name, calls, call in cases():
        if options.names and not any(n in name for n in options.names):
            continue
        calls = max(20, int(options.scale * calls))
        for _ in range(calls // 10):
            call()
        gc.collect()
        before, begin = resident(), time.perf_counter()
        for _ in range(calls):
            call()
        seconds = time.perf_counter() - begin
        gc.collect()
        grown = resident() - before
        print(f"{name:36} {calls:9,} {seconds / calls * 1e6:8.1f} {grown:8,} {1024 * grown / calls:13.3f}", flush=True)
        if grown > 1024 and 1024 * grown / calls > 2:
            leaks.append(name)
    if leaks:
        print("memory grows:", ", ".join(leaks))
    sys.exit(1 if leaks else 0)


if __name__ == "__main__":
    main()
