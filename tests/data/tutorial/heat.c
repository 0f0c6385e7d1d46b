/* Heat in a plate: rows of cells on some processes, each with some threads. Two faults are in it on purpose: see README.md. */
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

enum { ROWS = 48, COLUMNS = 64, BAND = 8, STEPS = 40, EVERY = 9 };

typedef double row[COLUMNS];

static int rank, ranks, mine;     /* rows of this process, without one of the neighbour above and one below */
static row *now, *next;

/* The rows that a process has. */
static int rows_of(int of)
{
    int bands = ROWS / BAND, each = bands / ranks;
    return BAND * (of < ranks - 1 ? each : bands - each * (ranks - 1));
}

/* A material that is costly to compute. It pauses: so four processes can be recorded on any machine. */
static double material(double heat)
{
    nanosleep(&(struct timespec){ .tv_nsec = 4000000 }, NULL);
    return 0.2 + 0.001 * heat;
}

static void exchange(void)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request open[4];
    ENTER("exchange");
    MPI_Irecv(now[0], COLUMNS, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &open[0]);
    MPI_Irecv(now[mine + 1], COLUMNS, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &open[1]);
    MPI_Isend(now[mine], COLUMNS, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &open[2]);
    MPI_Isend(now[1], COLUMNS, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &open[3]);
    MPI_Waitall(4, open, MPI_STATUSES_IGNORE);
    LEAVE();
}

static double update(void)
{
    double change = 0;
    ENTER("update");
    PARALLEL(reduction(+ : change))
        #pragma omp for nowait
        for (int y = 1; y <= mine; y++) {
            double a = material(now[y][COLUMNS / 2]);
            for (int x = 1; x < COLUMNS - 1; x++) {
                next[y][x] = now[y][x] + a * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1] - 4 * now[y][x]);
                change += fabs(next[y][x] - now[y][x]);
            }
        }
    END_PARALLEL
    row *old = now;
    now = next;
    next = old;
    LEAVE();
    return change;
}

/* The first process writes all rows. */
static void checkpoint(int file)
{
    static row all[ROWS];
    int counts[ranks], first[ranks];
    ENTER("checkpoint");
    for (int of = 0, y = 0; of < ranks; of++) {
        counts[of] = COLUMNS * rows_of(of);
        first[of] = COLUMNS * y;
        y += rows_of(of);
    }
    MPI_Gatherv(now[1], COLUMNS * mine, MPI_DOUBLE, all, counts, first, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int y = 0; y < ROWS; y++)
            if (write(file, all[y], sizeof all[y]) < 0)
                MPI_Abort(MPI_COMM_WORLD, 1);
    LEAVE();
}

int main(int count, char **arguments)
{
    int file = -1;
    double change, total = 1;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mine = rows_of(rank);
    now = calloc(mine + 2, sizeof *now);
    next = calloc(mine + 2, sizeof *next);
    if (rank == 0) {
        for (int x = 0; x < COLUMNS; x++)
            now[0][x] = next[0][x] = 100;
        file = open("heat.out", O_CREAT | O_TRUNC | O_WRONLY | O_SYNC, 0644);
    }
    for (int step = 1; step <= STEPS && total > 1e-9; step++) {
        exchange();
        change = update();
        if (step % EVERY == 0) {
            MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            checkpoint(file);
        }
    }
    if (rank == 0)
        close(file);
    MPI_Finalize();
    return 0;
}
