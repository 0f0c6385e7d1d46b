#!/bin/bash
# A profile of a trace, as a job of Flux:
#
#   TRACE=run/traces.otf2 OUT=profile.h5 flux batch jobscripts/flux.sh
#
# Options of flux batch come before what stands here. Flux gives whole cores; memory is that of their
# nodes.

# flux: --job-name=streamfold
# flux: --nodes=1
# flux: --nslots=4
# flux: --cores-per-slot=4
# flux: --time-limit=30m

# module load openmpi hdf5          # what streamfold was built with

: "${TRACE:?the anchor file of the trace}" "${OUT:?where the profile goes}"

# The number of cores-per-slot above.
threads=${THREADS:-4}
cores=$(flux resource list --states=up --no-header --format='{ncores}')
# One rank at least, and no more threads than there are cores.
[ "$threads" -le "$cores" ] || threads=$cores

# The ranks get SIGUSR1 a minute before their own time is over, which is less than that of the job.
exec flux run --ntasks="$((cores / threads))" --cores-per-task="$threads" \
  --time-limit="${TIME:-29m}" --signal=USR1@1m \
  "${STREAMFOLD:-streamfold}" profile "$TRACE" -o "$OUT" --threads "$threads"
