/* ref_copy.c - copies the events of an archive with the reference C library: one event reader after
 * the other, each event handed from its callback to the event writer of the same location in a new
 * archive, with the chunk sizes of the old one. Mapping tables and clock offsets are not applied.
 *
 *   ref_copy trace.otf2 FOLDER      (FOLDER must not exist)
 *
 * One line of timings on stderr. Knows the kinds of events that gen.c writes, and stops at others.
 */
#include "ref_common.h"

static OTF2_FlushType pre_flush(void *u, OTF2_FileType f, OTF2_LocationRef l, void *c, bool final)
{ (void)u; (void)f; (void)l; (void)c; (void)final; return OTF2_FLUSH; }
static OTF2_TimeStamp post_flush(void *u, OTF2_FileType f, OTF2_LocationRef l)
{ (void)u; (void)f; (void)l; return 0; }

typedef struct { OTF2_EvtWriter *w; uint64_t n; } to_t;
#define ARGS OTF2_LocationRef l, OTF2_TimeStamp t, uint64_t pos, void *u, OTF2_AttributeList *a
#define PUT(kind, ...) { (void)l; (void)pos; to_t *to = u; to->n++; \
    return OTF2_EvtWriter_##kind(to->w, a, t, ##__VA_ARGS__) == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT; }
static OTF2_CallbackCode enter(ARGS, OTF2_RegionRef r) PUT(Enter, r)
static OTF2_CallbackCode leave(ARGS, OTF2_RegionRef r) PUT(Leave, r)
static OTF2_CallbackCode mpi_send(ARGS, uint32_t x, OTF2_CommRef c, uint32_t tag, uint64_t n) PUT(MpiSend, x, c, tag, n)
static OTF2_CallbackCode mpi_recv(ARGS, uint32_t x, OTF2_CommRef c, uint32_t tag, uint64_t n) PUT(MpiRecv, x, c, tag, n)
static OTF2_CallbackCode coll_begin(ARGS) PUT(MpiCollectiveBegin)
static OTF2_CallbackCode coll_end(ARGS, OTF2_CollectiveOp op, OTF2_CommRef c, uint32_t root, uint64_t s, uint64_t r) PUT(MpiCollectiveEnd, op, c, root, s, r)
static OTF2_CallbackCode unknown(ARGS) { (void)l; (void)t; (void)pos; (void)u; (void)a; DIE("an event of a kind that this program does not copy"); }

int main(int argc, char **argv)
{
    double t0 = now_s(), c0 = cpu_s();
    if (argc != 3) DIE("usage: %s trace.otf2 FOLDER", argv[0]);
    OTF2_Reader *rd = OTF2_Reader_Open(argv[1]);
    if (!rd) DIE("cannot open %s", argv[1]);
    CK(OTF2_Reader_SetSerialCollectiveCallbacks(rd));
    defs_t d = { 0 }; read_global_defs(rd, &d);
    uint64_t evt_chunk, def_chunk; CK(OTF2_Reader_GetChunkSize(rd, &evt_chunk, &def_chunk));
    OTF2_Archive *out = OTF2_Archive_Open(argv[2], "traces", OTF2_FILEMODE_WRITE, evt_chunk, def_chunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!out) DIE("cannot make an archive in %s", argv[2]);
    static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush, .otf2_post_flush = post_flush };
    CK(OTF2_Archive_SetFlushCallbacks(out, &flush, NULL));
    CK(OTF2_Archive_SetSerialCollectiveCallbacks(out));
    CK(OTF2_Archive_OpenEvtFiles(out));
    for (size_t i = 0; i < d.nlocs; i++) CK(OTF2_Reader_SelectLocation(rd, d.locs[i].id));
    CK(OTF2_Reader_OpenEvtFiles(rd));

    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetUnknownCallback(c, unknown);
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, mpi_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, mpi_recv);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, coll_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, coll_end);
    double t1 = now_s(), c1 = cpu_s();
    uint64_t events = 0;
    for (size_t i = 0; i < d.nlocs; i++) {
        OTF2_EvtReader *er = OTF2_Reader_GetEvtReader(rd, d.locs[i].id);
        if (!er) DIE("no events of location %" PRIu64, d.locs[i].id);
        to_t to = { OTF2_Archive_GetEvtWriter(out, d.locs[i].id), 0 };
        if (!to.w) DIE("cannot write events of location %" PRIu64, d.locs[i].id);
        CK(OTF2_Reader_RegisterEvtCallbacks(rd, er, c, &to));
        uint64_t n; CK(OTF2_Reader_ReadAllLocalEvents(rd, er, &n));
        if (n != to.n) DIE("%" PRIu64 " of %" PRIu64 " events of location %" PRIu64 " copied", to.n, n, d.locs[i].id);
        events += n;
        CK(OTF2_Archive_CloseEvtWriter(out, to.w));
        CK(OTF2_Reader_CloseEvtReader(rd, er));
    }
    double t2 = now_s(), c2 = cpu_s();
    OTF2_EvtReaderCallbacks_Delete(c);
    CK(OTF2_Archive_CloseEvtFiles(out));
    CK(OTF2_Reader_CloseEvtFiles(rd));
    CK(OTF2_Archive_Close(out));
    CK(OTF2_Reader_Close(rd));
    fprintf(stderr, "locations=%zu events=%" PRIu64 " start=%.3f copy=%.3f copy_cpu=%.3f total=%.3f total_cpu=%.3f rss_max_mib=%.1f Mev_per_copy_cpu_s=%.2f\n",
        d.nlocs, events, t1 - t0, t2 - t1, c2 - c1, now_s() - t0, cpu_s() - c0, rss_mib(), events / (c2 - c1) * 1e-6);
    return 0;
}
