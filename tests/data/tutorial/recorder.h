/* Marks of a program that recorder.c records: functions and parallel regions. MPI and files need none. */
#include <stdint.h>

enum region_kind { FUNCTION, PARALLEL_REGION, BARRIER, MPI_MANAGEMENT, MPI_MESSAGE, MPI_ALL_TO_ALL, MPI_ALL_TO_ONE, FILE_DATA, FILE_OTHER };

struct region {
    const char *name, *file;
    int line;
    enum region_kind kind;
};

/* A region is known by its place in this section: all processes run the same program, so they agree on numbers. */
#define REGION(variable, name, file, line, kind)                          \
    static struct region variable##_ = { name, file, line, kind };        \
    static struct region *variable __attribute__((section("regions"), used)) = &variable##_

void record_enter(struct region **region);
void record_leave(void);
void record_fork(void);
void record_team_begin(void);
void record_team_end(void);
void record_join(void);

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define PRAGMA(x) _Pragma(#x)

#define ENTER_(name, kind) do { REGION(here, name, __FILE__, __LINE__, kind); record_enter(&here); } while (0)
#define ENTER(name) ENTER_(name, FUNCTION)
#define LEAVE() record_leave()

/* A parallel region ends with a barrier that is recorded. */
#define PARALLEL(clauses)                                                                \
    record_fork();                                                                       \
    PRAGMA(omp parallel clauses)                                                         \
    {                                                                                    \
        record_team_begin();                                                             \
        ENTER_("!$omp parallel @" __FILE__ ":" TEXT(__LINE__), PARALLEL_REGION);
#define END_PARALLEL                                                                     \
        ENTER_("!$omp implicit barrier @" __FILE__ ":" TEXT(__LINE__), BARRIER);         \
        PRAGMA(omp barrier)                                                              \
        LEAVE();                                                                         \
        LEAVE();                                                                         \
        record_team_end();                                                               \
    }                                                                                    \
    record_join();
