#!/usr/bin/env python3
"""Runs commands in turn, in a new order each round, and prints the median of each in milliseconds.

usage: alternate.py ROUNDS COMMAND...

Whatever else the machine does then falls on all of them alike, which a run of one after the other
cannot promise. The time is from posix_spawn to the end of the process; output is thrown away. A
command that fails ends the measurement.
"""
import os
import random
import shlex
import statistics
import sys
import time

rounds, commands = int(sys.argv[1]), [shlex.split(line) for line in sys.argv[2:]]
null = os.open(os.devnull, os.O_RDWR)
warm_up = 5
times = [[] for _ in commands]
for number in range(rounds + warm_up):
    order = list(range(len(commands)))
    random.shuffle(order)
    for index in order:
        command = commands[index]
        begun = time.perf_counter_ns()
        process = os.posix_spawnp(
            command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)]
        )
        _, status = os.waitpid(process, 0)
        elapsed = time.perf_counter_ns() - begun
        if status:
            sys.exit(f"{shlex.join(command)}: status {os.waitstatus_to_exitcode(status)}")
        if number >= warm_up:
            times[index].append(elapsed / 1e6)
for series in times:
    print(f"{statistics.median(series):.3f}")
