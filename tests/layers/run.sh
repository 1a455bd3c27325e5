#!/bin/sh
# The layers check, run on a tree with one violation of every kind, reports these and no others.
set -eu
cd "$(dirname "$0")"

if report=$(sh ../../tools/check-layers wrong); then
  echo "the check accepts a wrong tree"
  exit 1
fi
printf '%s\n' "$report" | diff expected.txt -
