/* A flat profile of a trace of OTF, version 1, by the reference library: calls, exclusive and inclusive ticks of each
 * function on each process, and messages. Written as CSV. The peer of `streamfold profile`. */
#include <otf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 4096
typedef struct { uint64_t calls, exclusive, inclusive; } sums;
typedef struct {
    uint32_t function;
    uint64_t enter, inside;
} visit;
typedef struct {
    uint32_t id;
    int depth;
    uint32_t functions;
    sums* of;
    uint64_t sent, received;
    visit stack[DEPTH];
} process;

static process* processes[1 << 20];

static process* find(uint32_t id) {
    process** p = &processes[id & ((1 << 20) - 1)];
    if (!*p) {
        *p = calloc(1, sizeof(process));
        (*p)->id = id;
    }
    return *p;
}

static int enter(void* user, uint64_t time, uint32_t function, uint32_t id, uint32_t source, OTF_KeyValueList* list) {
    process* p = find(id);
    (void)user, (void)source, (void)list;
    if (p->depth < DEPTH) p->stack[p->depth] = (visit){function, time, 0};
    p->depth++;
    return OTF_RETURN_OK;
}

static int leave(void* user, uint64_t time, uint32_t function, uint32_t id, uint32_t source, OTF_KeyValueList* list) {
    process* p = find(id);
    (void)user, (void)function, (void)source, (void)list;
    if (p->depth == 0 || --p->depth >= DEPTH) return OTF_RETURN_OK;
    visit v = p->stack[p->depth];
    if (v.function >= p->functions) {
        uint32_t count = v.function + 64;
        p->of = realloc(p->of, count * sizeof(sums));
        memset(p->of + p->functions, 0, (count - p->functions) * sizeof(sums));
        p->functions = count;
    }
    uint64_t inclusive = time - v.enter;
    p->of[v.function].calls++;
    p->of[v.function].inclusive += inclusive;
    p->of[v.function].exclusive += inclusive - v.inside;
    if (p->depth > 0) p->stack[p->depth - 1].inside += inclusive;
    return OTF_RETURN_OK;
}

static int sent(void* user, uint64_t time, uint32_t from, uint32_t to, uint32_t group, uint32_t tag, uint32_t length,
                uint32_t source, OTF_KeyValueList* list) {
    (void)user, (void)time, (void)to, (void)group, (void)tag, (void)source, (void)list;
    find(from)->sent += length;
    return OTF_RETURN_OK;
}

static int received(void* user, uint64_t time, uint32_t by, uint32_t from, uint32_t group, uint32_t tag,
                    uint32_t length, uint32_t source, OTF_KeyValueList* list) {
    (void)user, (void)time, (void)from, (void)group, (void)tag, (void)source, (void)list;
    find(by)->received += length;
    return OTF_RETURN_OK;
}

int main(int count, char** arguments) {
    if (count != 2) return fprintf(stderr, "usage: otf_profile TRACE\n"), 1;
    OTF_FileManager* manager = OTF_FileManager_open(100);
    OTF_Reader* reader = OTF_Reader_open(arguments[1], manager);
    if (!reader) return 2;
    OTF_HandlerArray* handlers = OTF_HandlerArray_open();
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer*)enter, OTF_ENTER_RECORD);
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer*)leave, OTF_LEAVE_RECORD);
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer*)sent, OTF_SEND_RECORD);
    OTF_HandlerArray_setHandler(handlers, (OTF_FunctionPointer*)received, OTF_RECEIVE_RECORD);
    uint64_t read = OTF_Reader_readEvents(reader, handlers);
    for (uint32_t i = 0; i < 1 << 20; i++) {
        process* p = processes[i];
        for (uint32_t f = 0; p && f < p->functions; f++)
            if (p->of[f].calls)
                printf("%u;%u;%llu;%llu;%llu\n", p->id, f, (unsigned long long)p->of[f].calls,
                       (unsigned long long)p->of[f].exclusive, (unsigned long long)p->of[f].inclusive);
    }
    fprintf(stderr, "%llu records\n", (unsigned long long)read);
    OTF_Reader_close(reader);
    OTF_HandlerArray_close(handlers);
    OTF_FileManager_close(manager);
    return 0;
}
