#!/bin/bash
# A profile of a trace, as a job of LSF:
#
#   TRACE=run/traces.otf2 OUT=profile.h5 bsub < jobscripts/lsf.sh
#
# Options of bsub come before what stands here.

#BSUB -J streamfold
#BSUB -o streamfold.%J.out
# Four ranks of 4 cores each, all on one node; the memory is that of the job on a node, where the
# site does not count it for each slot.
#BSUB -n 4
#BSUB -R "span[ptile=4] affinity[core(4)] rusage[mem=16GB]"
#BSUB -W 30
# Two minutes before the time is over all processes of the job get SIGUSR1.
#BSUB -wt 2
#BSUB -wa USR1

# module load openmpi hdf5          # what streamfold was built with

: "${TRACE:?the anchor file of the trace}" "${OUT:?where the profile goes}"

# The number in core(...) above: LSF tells it to nobody but by binding.
threads=${THREADS:-4}

# This shell gets the signal, too, and has to wait for the others to end.
trap : USR1

mpirun -n "$LSB_DJOB_NUMPROC" --map-by "slot:PE=$threads" --bind-to core \
  "${STREAMFOLD:-streamfold}" profile "$TRACE" -o "$OUT" --threads "$threads"
