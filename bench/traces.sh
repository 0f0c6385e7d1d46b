#!/bin/bash
# Makes the traces that are measured. A trace that is already there stays.
#
#   bench/traces.sh FOLDER [NAME...]    makes these traces in FOLDER (without names: those of bench/run)
#   bench/traces.sh --list              lists all names
#
# The archive of a trace is FOLDER/NAME/traces.otf2; one of DFTracer is all files of FOLDER/NAME. `unify` needs the
# example unify_memory:
# cargo build --release --examples. EXAMPLES names the folder that holds it.
set -euo pipefail
bench=$(cd "$(dirname "$0")" && pwd)
examples=${EXAMPLES:-$bench/../target/release/examples}

# Names of the traces of bench/run: locations x events of each.
measured=(64x1.5M 64x1.5M-mapped 4096x5k 16x1.25M 64-one-of-18M 64x1.5625M unify dftracer-gz dftracer-plain)
# Names of the traces of docs/performance.md and of runs that are kept.
others=(no-messages no-collectives deep instructions-{calls,mapped,messages}-{500k,1M})

# The arguments of bench/peers/gen.c for a trace.
recipe() {
  case $1 in
    64x1.5M)         echo -L 64 -E 1500000 -m 20 ;;
    # Each location has a mapping table of regions and two clock offsets.
    64x1.5M-mapped)  echo -L 64 -E 1500000 -m 20 -M -C ;;
    4096x5k)         echo -L 4096 -E 5000 -m 20 ;;
    16x1.25M)        echo -L 16 -E 1250000 -m 20 ;;
    # One location holds nine tenths of the events.
    64-one-of-18M)   echo -L 64 -E 31750 -l 18000000 -m 20 ;;
    # More than 100 M events, 2 M messages.
    64x1.5625M)      echo -L 64 -E 1562500 -m 20 ;;
    # Enters and leaves only; the same with messages and without collective operations.
    no-messages)     echo -L 16 -E 1250000 -m 0 -p none ;;
    no-collectives)  echo -L 16 -E 1250000 -m 0 -p ring ;;
    # 238 760 call paths.
    deep)            echo -L 4 -E 200000 -B 0 -d 40 -R 300 ;;
    # Pairs: the difference of their instructions is what 500 000 events take.
    instructions-calls-500k)    echo -L 4 -E 125000 -m 0 -p none ;;
    instructions-calls-1M)      echo -L 4 -E 250000 -m 0 -p none ;;
    instructions-mapped-500k)   echo -L 4 -E 125000 -m 0 -p none -M -C ;;
    instructions-mapped-1M)     echo -L 4 -E 250000 -m 0 -p none -M -C ;;
    instructions-messages-500k) echo -L 4 -E 125000 -m 0 -p ring ;;
    instructions-messages-1M)   echo -L 4 -E 250000 -m 0 -p ring ;;
    *) echo "traces.sh: there is no recipe for $1" >&2; return 1 ;;
  esac
}

if [ "${1:-}" = --list ]; then
  printf '%s\n' "${measured[@]}" "${others[@]}"
  exit
fi
folder=${1:?usage: bench/traces.sh FOLDER [NAME...]}
shift
[ $# -gt 0 ] || set -- "${measured[@]}"

mkdir -p "$folder"
if [ ! -x "$folder/gen" ] || [ "$bench/peers/gen.c" -nt "$folder/gen" ]; then
  read -ra flags < <(pkg-config --cflags otf2; echo)
  gcc -O3 -march=native "${flags[@]}" -o "$folder/gen" "$bench/peers/gen.c" -lopen-trace-format2 -lm
fi
for name; do
  { [ ! -e "$folder/$name/traces.otf2" ] && [ ! -e "$folder/$name/facts" ]; } || continue
  # A trace appears under its name when it is complete.
  rm -rf "${folder:?}/$name" "${folder:?}/$name.part"
  if [ "$name" = unify ]; then
    # 10 000 locations; each has 205 definitions in a file of its own that nobody has unified.
    mkdir "$folder/$name.part"
    "$examples/unify_memory" 10000 "$folder/$name.part/traces.otf2" files
  elif [[ $name = dftracer-* ]]; then
    # A million calls of 8 processes.
    arguments=(-p 8 -n 125000 --expected "$folder/$name.part/facts")
    [ "$name" != dftracer-plain ] || arguments+=(--plain)
    python3 "$bench/peers/dftracer_gen.py" "$folder/$name.part" "${arguments[@]}" >/dev/null
  else
    options=$(recipe "$name")
    read -ra arguments <<<"$options"
    "$folder/gen" -o "$folder/$name.part" "${arguments[@]}" >/dev/null
  fi
  mv "$folder/$name.part" "$folder/$name"
done
