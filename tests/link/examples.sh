#!/bin/sh
# Compiles the example in C as C99, and lets it drive the robot in Python and, where there is one, `ulna rig`.
# examples.sh SOURCE_FOLDER [ULNA]
set -eu
source=$1 ulna=${2:-}
folder=$(mktemp -d)
robot=
trap 'if [ -n "$robot" ]; then kill "$robot" 2>/dev/null || true; wait "$robot" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT

"${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror -O1 -I"$source/src/link" "$source/examples/link/controller.c" -lm -o "$folder/controller"

python3 "$source/examples/link/robot.py" "$folder/pendulum" 4 &
robot=$!
"$folder/controller" "unix:$folder/pendulum" 2.5
wait "$robot"
robot=
[ -n "$ulna" ] || exit 0
for address in "unix:$folder/arm" "shm:/ulna-example-$$" "udp:127.0.0.1:$((26000 + $$ % 6000))"; do
  "$ulna" rig panda --address "$address" >"$folder/rig.txt" 2>&1 &
  robot=$!
  "$folder/controller" "$address" 2
  kill -TERM "$robot"
  wait "$robot" || true
  cat "$folder/rig.txt"
  robot=
done
