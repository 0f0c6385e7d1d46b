/* ref_definitions.c - the least that unifying definitions has to do: reads all definition files of
 * locations with the reference C library, each string and each region handed to a callback that keeps
 * nothing, and gives every event file a second name in FOLDER.
 *
 *   ref_definitions trace.otf2 FOLDER      (FOLDER must not exist)
 *
 * One line of timings on stderr.
 */
#include <unistd.h>

#include "ref_common.h"

static OTF2_CallbackCode string(void *u, OTF2_StringRef s, const char *text)
{ (void)s; *(uint64_t *)u += text[0] != 0; return OTF2_CALLBACK_SUCCESS; }
static OTF2_CallbackCode region(void *u, OTF2_RegionRef r, OTF2_StringRef name, OTF2_StringRef canon, OTF2_StringRef desc,
    OTF2_RegionRole role, OTF2_Paradigm par, OTF2_RegionFlag fl, OTF2_StringRef file, uint32_t b, uint32_t e)
{ (void)r; (void)name; (void)canon; (void)desc; (void)role; (void)par; (void)fl; (void)file; (void)b; (void)e;
  *(uint64_t *)u += 1; return OTF2_CALLBACK_SUCCESS; }

int main(int argc, char **argv)
{
    if (argc != 3) DIE("usage: %s trace.otf2 FOLDER", argv[0]);
    char folder[4096], from[4200], to[4200];
    const char *end = strrchr(argv[1], '.');
    if (!end || (size_t)(end - argv[1]) >= sizeof folder) DIE("%s is no anchor", argv[1]);
    snprintf(folder, sizeof folder, "%.*s", (int)(end - argv[1]), argv[1]);
    if (mkdir(argv[2], 0777) != 0) DIE("cannot make %s", argv[2]);
    OTF2_Reader *rd = OTF2_Reader_Open(argv[1]);
    if (!rd) DIE("cannot open %s", argv[1]);
    CK(OTF2_Reader_SetSerialCollectiveCallbacks(rd));
    defs_t d = { 0 }; read_global_defs(rd, &d);
    for (size_t i = 0; i < d.nlocs; i++) CK(OTF2_Reader_SelectLocation(rd, d.locs[i].id));
    CK(OTF2_Reader_OpenDefFiles(rd));
    OTF2_DefReaderCallbacks *c = OTF2_DefReaderCallbacks_New();
    OTF2_DefReaderCallbacks_SetStringCallback(c, string);
    OTF2_DefReaderCallbacks_SetRegionCallback(c, region);
    double t1 = now_s(), c1 = cpu_s();
    uint64_t all = 0, seen = 0;
    for (size_t i = 0; i < d.nlocs; i++) {
        OTF2_DefReader *dr = OTF2_Reader_GetDefReader(rd, d.locs[i].id);
        if (!dr) DIE("no definitions of location %" PRIu64, d.locs[i].id);
        CK(OTF2_Reader_RegisterDefCallbacks(rd, dr, c, &seen));
        uint64_t n; CK(OTF2_Reader_ReadAllLocalDefinitions(rd, dr, &n));
        CK(OTF2_Reader_CloseDefReader(rd, dr));
        all += n;
    }
    double t2 = now_s(), c2 = cpu_s();
    for (size_t i = 0; i < d.nlocs; i++) {
        snprintf(from, sizeof from, "%s/%" PRIu64 ".evt", folder, d.locs[i].id);
        snprintf(to, sizeof to, "%s/%" PRIu64 ".evt", argv[2], d.locs[i].id);
        if (link(from, to) != 0) DIE("cannot link %s", to);
    }
    double t3 = now_s(), c3 = cpu_s();
    OTF2_DefReaderCallbacks_Delete(c);
    CK(OTF2_Reader_CloseDefFiles(rd));
    CK(OTF2_Reader_Close(rd));
    fprintf(stderr, "locations=%zu definitions=%" PRIu64 " seen=%" PRIu64 " copy=%.3f copy_cpu=%.3f read=%.3f read_cpu=%.3f rss_max_mib=%.1f\n",
        d.nlocs, all, seen, t3 - t1, c3 - c1, t2 - t1, c2 - c1, rss_mib());
    return 0;
}
