#!/bin/bash
# A profile of a trace, as a job of Slurm:
#
#   sbatch --export=ALL,TRACE=run/traces.otf2,OUT=profile.h5 jobscripts/slurm.sh
#
# Options of sbatch, as in "sbatch -N 4 --time=2:00:00 ...", come before what stands here.

#SBATCH --job-name=streamfold
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --time=00:30:00
# Two minutes before the time is over this script (B:) gets SIGUSR1.
#SBATCH --signal=B:USR1@120

# module load openmpi hdf5          # what streamfold was built with

: "${TRACE:?the anchor file of the trace}" "${OUT:?where the profile goes}"
threads=${SLURM_CPUS_PER_TASK:-1}

case ${LAUNCHER:-srun} in
  # Since Slurm 22.05 srun does not take --cpus-per-task from the job. --mpi has to be what the MPI
  # library understands: pmix for Open MPI, pmi2 for many builds of MPICH and Intel MPI. What there
  # is: srun --mpi=list. Without it srun starts so many programs that know nothing of each other,
  # which streamfold refuses.
  srun) launch=(srun "--mpi=${SRUN_MPI:-pmix}" "--cpus-per-task=$threads") ;;
  # Open MPI's own, which asks Slurm for the nodes.
  mpirun) launch=(mpirun -n "$SLURM_NTASKS" --map-by "slot:PE=$threads" --bind-to core) ;;
  *) echo "LAUNCHER is srun or mpirun, not $LAUNCHER" >&2; exit 1 ;;
esac

"${launch[@]}" "${STREAMFOLD:-streamfold}" profile "$TRACE" -o "$OUT" --threads "$threads" &
launcher=$!

# Both launchers pass the signal on to all ranks. A signal ends
# the wait, but not the launcher.
trap 'kill -USR1 "$launcher"' USR1
trap 'kill -TERM "$launcher"' TERM
while :; do
  wait "$launcher"
  code=$?
  kill -0 "$launcher" 2>/dev/null || exit "$code"
done
