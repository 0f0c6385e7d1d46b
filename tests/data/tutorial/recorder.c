/* A small recorder: writes the run of heat.c as an archive of OTF2, with the reference library.
 *
 * Calls of MPI are taken by its profiling interface, calls of files by the linker (--wrap), functions and parallel
 * regions by the marks of recorder.h. All processes run on one machine, so that their clocks are one clock. The first
 * process opens all files. RECORD is the folder of the archive, RECORD_NODE the name of the machine. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <otf2/otf2.h>
#include <otf2/OTF2_MPI_Collectives.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "recorder.h"

enum { THREADS = 2, FILES = 16, DEPTH = 32, REQUESTS = 8 };

#define CHECK(call) do { OTF2_ErrorCode code_ = (call); if (code_ != OTF2_SUCCESS) { \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, OTF2_Error_GetDescription(code_)); exit(1); } } while (0)

extern struct region *__start_regions[], *__stop_regions[];

static OTF2_Archive *archive;
static OTF2_EvtWriter *writers[THREADS];
static int rank, ranks;
static uint64_t begin;
static const char *opened[FILES];
static int handle_of[1024], handles;
static uint64_t operations;

static __thread OTF2_EvtWriter *writer;
static __thread uint32_t stack[DEPTH];
static __thread int depth;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* Messages under way, by their requests. */
static struct message {
    MPI_Request request;
    int is_send, peer, tag;
    uint64_t size, number;
} messages[REQUESTS];
static uint64_t requests;

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp post_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return now();
}

static uint64_t location_of(int of, int thread)
{
    return (uint64_t)thread << 32 | of;
}

/* Communicator 0 has all processes, those after it are the teams of threads. */
static uint32_t team(void)
{
    return 1 + rank;
}

void record_enter(struct region **region)
{
    stack[depth++] = region - __start_regions;
    CHECK(OTF2_EvtWriter_Enter(writer, NULL, now(), stack[depth - 1]));
}

void record_leave(void) { CHECK(OTF2_EvtWriter_Leave(writer, NULL, now(), stack[--depth])); }
void record_fork(void) { CHECK(OTF2_EvtWriter_ThreadFork(writer, NULL, now(), OTF2_PARADIGM_OPENMP, THREADS)); }
void record_join(void) { CHECK(OTF2_EvtWriter_ThreadJoin(writer, NULL, now(), OTF2_PARADIGM_OPENMP)); }
void record_team_end(void) { CHECK(OTF2_EvtWriter_ThreadTeamEnd(writer, NULL, now(), team())); }

void record_team_begin(void)
{
    writer = writers[omp_get_thread_num()];
    CHECK(OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, now(), team()));
}

#define MPI(name, kind) REGION(region, #name, "MPI", 0, kind); record_enter(&region)

REGION(main_region, "main", "heat.c", MAIN_LINE, FUNCTION);

/* Recording begins when MPI is there, on all processes at once: the start of MPI is not in the archive. */
int MPI_Init(int *count, char ***arguments)
{
    static OTF2_FlushCallbacks flush = { pre_flush, post_flush };
    int result = PMPI_Init(count, arguments);
    omp_set_num_threads(THREADS);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    archive = OTF2_Archive_Open(getenv("RECORD"), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20, OTF2_SUBSTRATE_POSIX,
                                OTF2_COMPRESSION_NONE);
    if (archive == NULL)
        exit(1);
    CHECK(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL));
    CHECK(OTF2_Archive_SetCreator(archive, "the recorder of the tutorial"));
    CHECK(OTF2_Archive_OpenEvtFiles(archive));
    for (int thread = 0; thread < THREADS; thread++)
        writers[thread] = OTF2_Archive_GetEvtWriter(archive, location_of(rank, thread));
    writer = writers[0];
    for (int i = 0; i < REQUESTS; i++)
        messages[i].request = MPI_REQUEST_NULL;
    PMPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    record_enter(&main_region);
    return result;
}

static uint64_t message_begins(MPI_Request request, int is_send, int peer, int tag, int count, MPI_Datatype type)
{
    struct message *free = messages;
    int size;
    while (free->request != MPI_REQUEST_NULL)
        if (++free == messages + REQUESTS)
            exit(1);
    PMPI_Type_size(type, &size);
    *free = (struct message){ request, is_send, peer, tag, (uint64_t)count * size, requests };
    return requests++;
}

static void message_ends(MPI_Request request)
{
    for (struct message *of = messages; of < messages + REQUESTS; of++) {
        if (of->request != request)
            continue;
        if (of->is_send)
            CHECK(OTF2_EvtWriter_MpiIsendComplete(writer, NULL, now(), of->number));
        else
            CHECK(OTF2_EvtWriter_MpiIrecv(writer, NULL, now(), of->peer, 0, of->tag, of->size, of->number));
        of->request = MPI_REQUEST_NULL;
    }
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    int result;
    MPI(MPI_Irecv, MPI_MESSAGE);
    result = PMPI_Irecv(to, count, type, from, tag, comm, request);
    if (from != MPI_PROC_NULL)
        CHECK(OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, now(), message_begins(*request, 0, from, tag, count, type)));
    record_leave();
    return result;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    uint64_t time;
    int result, size;
    MPI(MPI_Isend, MPI_MESSAGE);
    PMPI_Type_size(type, &size);
    time = now();
    result = PMPI_Isend(from, count, type, to, tag, comm, request);
    if (to != MPI_PROC_NULL)
        CHECK(OTF2_EvtWriter_MpiIsend(writer, NULL, time, to, 0, tag, (uint64_t)count * size,
                                      message_begins(*request, 1, to, tag, count, type)));
    record_leave();
    return result;
}

int MPI_Waitall(int count, MPI_Request *all, MPI_Status *statuses)
{
    MPI_Request old[count];
    int result;
    MPI(MPI_Waitall, MPI_MESSAGE);
    memcpy(old, all, sizeof old);
    result = PMPI_Waitall(count, all, statuses);
    for (int i = 0; i < count; i++)
        message_ends(old[i]);
    record_leave();
    return result;
}

static void collective_begin(void) { CHECK(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, now())); }

static void collective_end(OTF2_CollectiveOp operation, uint32_t root, uint64_t sent, uint64_t received)
{
    CHECK(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, now(), operation, 0, root, sent, received));
    record_leave();
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
{
    int size, result;
    MPI(MPI_Allreduce, MPI_ALL_TO_ALL);
    PMPI_Type_size(type, &size);
    collective_begin();
    result = PMPI_Allreduce(in, out, count, type, operation, comm);
    collective_end(OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_UNDEFINED_UINT32, (uint64_t)count * size * ranks, (uint64_t)count * size * ranks);
    return result;
}

int MPI_Gatherv(const void *in, int count, MPI_Datatype type, void *out, const int *counts, const int *places,
                MPI_Datatype out_type, int root, MPI_Comm comm)
{
    int size, result;
    uint64_t received = 0;
    MPI(MPI_Gatherv, MPI_ALL_TO_ONE);
    PMPI_Type_size(type, &size);
    for (int of = 0; rank == root && of < ranks; of++)
        received += (uint64_t)counts[of] * size;
    collective_begin();
    result = PMPI_Gatherv(in, count, type, out, counts, places, out_type, root, comm);
    collective_end(OTF2_COLLECTIVE_OP_GATHERV, root, (uint64_t)count * size, received);
    return result;
}

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_close(int file);

#define CALL(name, kind) REGION(region, name, "POSIX_IO", 0, kind); record_enter(&region)

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    int file;
    OTF2_IoCreationFlag created = (flags & O_CREAT ? OTF2_IO_CREATION_FLAG_CREATE : 0) | (flags & O_TRUNC ? OTF2_IO_CREATION_FLAG_TRUNCATE : 0);
    OTF2_IoStatusFlag status = flags & O_SYNC ? OTF2_IO_STATUS_FLAG_SYNC : OTF2_IO_STATUS_FLAG_NONE;
    CALL("open", FILE_OTHER);
    va_start(rest, flags);
    file = __real_open(path, flags, va_arg(rest, int));
    va_end(rest);
    if (rank != 0 || file < 0 || file >= 1024 || handles == FILES)
        exit(1);
    opened[handles] = path;
    handle_of[file] = handles++;
    CHECK(OTF2_EvtWriter_IoCreateHandle(writer, NULL, now(), handle_of[file], OTF2_IO_ACCESS_MODE_WRITE_ONLY, created, status));
    record_leave();
    return file;
}

ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    ssize_t written;
    uint64_t operation = operations++;
    CALL("write", FILE_DATA);
    CHECK(OTF2_EvtWriter_IoOperationBegin(writer, NULL, now(), handle_of[file], OTF2_IO_OPERATION_MODE_WRITE,
                                          OTF2_IO_OPERATION_FLAG_NONE, size, operation));
    written = __real_write(file, bytes, size);
    CHECK(OTF2_EvtWriter_IoOperationComplete(writer, NULL, now(), handle_of[file], written < 0 ? 0 : written, operation));
    record_leave();
    return written;
}

int __wrap_close(int file)
{
    int result;
    CALL("close", FILE_OTHER);
    result = __real_close(file);
    CHECK(OTF2_EvtWriter_IoDestroyHandle(writer, NULL, now(), handle_of[file]));
    record_leave();
    return result;
}

static OTF2_GlobalDefWriter *definitions;

static uint32_t text(const char *format, ...)
{
    static uint32_t strings;
    char line[256];
    va_list rest;
    va_start(rest, format);
    vsnprintf(line, sizeof line, format, rest);
    va_end(rest);
    CHECK(OTF2_GlobalDefWriter_WriteString(definitions, strings, line));
    return strings++;
}

static void define(uint64_t end, const uint64_t *events)
{
    static const OTF2_RegionRole roles[] = {
        [FUNCTION] = OTF2_REGION_ROLE_FUNCTION, [PARALLEL_REGION] = OTF2_REGION_ROLE_PARALLEL,
        [BARRIER] = OTF2_REGION_ROLE_IMPLICIT_BARRIER, [MPI_MANAGEMENT] = OTF2_REGION_ROLE_COLL_OTHER,
        [MPI_MESSAGE] = OTF2_REGION_ROLE_POINT2POINT, [MPI_ALL_TO_ALL] = OTF2_REGION_ROLE_COLL_ALL2ALL,
        [MPI_ALL_TO_ONE] = OTF2_REGION_ROLE_COLL_ALL2ONE, [FILE_DATA] = OTF2_REGION_ROLE_FILE_IO,
        [FILE_OTHER] = OTF2_REGION_ROLE_FILE_IO_METADATA,
    };
    int locations = ranks * THREADS;
    uint64_t members[locations], *places = members;
    uint32_t empty, machine, node, class_node, master, other;
    const char *name = getenv("RECORD_NODE");
    struct timespec date;
    definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    clock_gettime(CLOCK_REALTIME, &date);
    CHECK(OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, begin, end - begin + 1,
                                                    date.tv_sec * 1000000000ull + date.tv_nsec - (now() - begin)));
    empty = text("");
    CHECK(OTF2_GlobalDefWriter_WriteParadigm(definitions, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    CHECK(OTF2_GlobalDefWriter_WriteParadigm(definitions, OTF2_PARADIGM_OPENMP, text("OpenMP"), OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
    CHECK(OTF2_GlobalDefWriter_WriteIoParadigm(definitions, 0, text("POSIX"), text("POSIX I/O"), OTF2_IO_PARADIGM_CLASS_SERIAL,
                                               OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL, NULL));
    machine = text("machine");
    node = text("%s", name != NULL ? name : "node");
    class_node = text("node");
    CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    CHECK(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 1, node, class_node, 0));
    master = text("Master thread");
    other = text("OMP thread 1");
    for (int of = 0; of < ranks; of++)
        CHECK(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, of, text("MPI Rank %d", of), OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    for (int i = 0; i < locations; i++)
        CHECK(OTF2_GlobalDefWriter_WriteLocation(definitions, location_of(i / THREADS, i % THREADS), i % THREADS ? other : master,
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, events[i], i / THREADS));
    for (int i = 0; i < __stop_regions - __start_regions; i++) {
        struct region *region = __start_regions[i];
        OTF2_Paradigm paradigm = region->kind == FUNCTION ? OTF2_PARADIGM_USER : region->kind <= BARRIER ? OTF2_PARADIGM_OPENMP
            : region->kind <= MPI_ALL_TO_ONE ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_NONE;
        uint32_t called = text("%s", region->name);
        CHECK(OTF2_GlobalDefWriter_WriteRegion(definitions, i, called, called, empty, roles[region->kind], paradigm,
                                               OTF2_REGION_FLAG_NONE, text("%s", region->file), region->line, region->line));
    }
    for (int of = 0; of < ranks; of++)
        members[of] = location_of(of, 0);
    CHECK(OTF2_GlobalDefWriter_WriteGroup(definitions, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, members));
    for (int i = 0; i < locations; i++)
        members[i] = location_of(i / THREADS, i % THREADS);
    CHECK(OTF2_GlobalDefWriter_WriteGroup(definitions, 1, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, locations, members));
    for (int i = 0; i < locations; i++)
        members[i] = i;
    CHECK(OTF2_GlobalDefWriter_WriteGroup(definitions, 2, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, members));
    CHECK(OTF2_GlobalDefWriter_WriteComm(definitions, 0, text("MPI_COMM_WORLD"), 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    for (int of = 0; of < ranks; of++, places += THREADS) {
        CHECK(OTF2_GlobalDefWriter_WriteGroup(definitions, 3 + of, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, THREADS, places));
        CHECK(OTF2_GlobalDefWriter_WriteComm(definitions, 1 + of, text("threads of process %d", of), 3 + of, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
    for (int i = 0; i < handles; i++) {
        CHECK(OTF2_GlobalDefWriter_WriteIoRegularFile(definitions, i, text("%s", opened[i]), 1));
        CHECK(OTF2_GlobalDefWriter_WriteIoHandle(definitions, i, empty, i, 0, OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
    }
    CHECK(OTF2_Archive_CloseGlobalDefWriter(archive, definitions));
}

/* The archive is written while MPI is there: it ends when all processes have come to MPI_Finalize. */
int MPI_Finalize(void)
{
    uint64_t end, first, last, counts[THREADS], *events = calloc(ranks * THREADS, sizeof *events);
    MPI(MPI_Finalize, MPI_MANAGEMENT);
    PMPI_Barrier(MPI_COMM_WORLD);
    record_leave();
    record_leave();
    end = now();
    for (int thread = 0; thread < THREADS; thread++) {
        CHECK(OTF2_EvtWriter_GetNumberOfEvents(writers[thread], &counts[thread]));
        CHECK(OTF2_Archive_CloseEvtWriter(archive, writers[thread]));
    }
    CHECK(OTF2_Archive_CloseEvtFiles(archive));
    CHECK(OTF2_Archive_OpenDefFiles(archive));
    for (int thread = 0; thread < THREADS; thread++) {
        OTF2_DefWriter *own = OTF2_Archive_GetDefWriter(archive, location_of(rank, thread));
        CHECK(OTF2_DefWriter_WriteClockOffset(own, begin, 0, 0));
        CHECK(OTF2_DefWriter_WriteClockOffset(own, end, 0, 0));
        CHECK(OTF2_Archive_CloseDefWriter(archive, own));
    }
    CHECK(OTF2_Archive_CloseDefFiles(archive));
    PMPI_Reduce(&begin, &first, 1, MPI_UINT64_T, MPI_MIN, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&end, &last, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Gather(counts, THREADS, MPI_UINT64_T, events, THREADS, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        begin = first;
        define(last, events);
    }
    CHECK(OTF2_Archive_Close(archive));
    free(events);
    return PMPI_Finalize();
}
