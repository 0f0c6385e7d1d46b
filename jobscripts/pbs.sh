#!/bin/bash
# A profile of a trace, as a job of OpenPBS or PBS Pro:
#
#   qsub -v TRACE=run/traces.otf2,OUT=profile.h5 jobscripts/pbs.sh
#
# Options of qsub come before what stands here.

#PBS -N streamfold
# One node with 4 ranks of 4 threads each. ompthreads is what NCPUS becomes.
#PBS -l select=1:ncpus=16:mpiprocs=4:ompthreads=4:mem=16gb
#PBS -l walltime=00:30:00

# PBS sends SIGTERM when the time is over, and SIGKILL some seconds later. So that there is more time
# to end, the job gets SIGUSR1 after this much time: somewhat less than walltime.
stop_after=${STOP_AFTER:-28m}

# module load openmpi hdf5          # what streamfold was built with

cd "$PBS_O_WORKDIR" || exit 1
: "${TRACE:?the anchor file of the trace}" "${OUT:?where the profile goes}"

# A line of the node file for each rank.
ranks=$(wc -l < "$PBS_NODEFILE")
threads=${NCPUS:-1}

# mpirun passes the signal on to all ranks. --foreground: to mpirun alone, and once.
exec timeout --foreground --preserve-status --signal=USR1 "$stop_after" \
  mpirun -n "$ranks" --hostfile "$PBS_NODEFILE" --map-by "slot:PE=$threads" --bind-to core \
  "${STREAMFOLD:-streamfold}" profile "$TRACE" -o "$OUT" --threads "$threads"
