#!/usr/bin/env bash
# The main job on a real text: load, reports, a question, a picture, the address of Neo4j Browser.
# Safe to run again: a repeated load changes nothing.
set -euo pipefail
kg=$1
out=$2
graph=$3
text=examples/alexander_von_humboldt.md
question='Who was Aimé Bonpland?'
mkdir -p "$out"

step() { printf '\n== %s\n' "$*"; }

step "kg db start"
"$kg" db start
step "kg load $text --graph $graph"
"$kg" load "$text" --graph "$graph"
for report in most-connected relationships-by-type nodes-by-type; do
    step "kg report $report --graph $graph"
    "$kg" report "$report" --graph "$graph"
done
step "kg ask '$question' --graph $graph"
"$kg" ask "$question" --graph "$graph"
step "kg plot $out/graph.png --graph $graph"
"$kg" plot "$out/graph.png" --graph "$graph"
step "kg browse --no-open"
"$kg" browse --no-open
