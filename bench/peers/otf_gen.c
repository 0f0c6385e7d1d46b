/* Load generator: writes a large OTF version 1 trace with the reference library, for timing readers.
 *
 * Compile:  gcc -O2 -o otf_gen otf_gen.c -I/usr/include/open-trace-format -lopen-trace-format -lz
 * Use:      ./otf_gen <name> <processes> <streams> <iterations> [long=0] [zlevel=0]
 *
 * Every iteration writes per process: enter compute, 4 x (enter/leave kernel), counter, leave compute,
 * enter send, send, leave send, enter recv, recv, leave recv, and a begin/end of a collective with its
 * enter and leave; that is 21 event records. It prints the number of event records written.
 * About 15 bytes per event record in short form, the time and process lines included;
 * 8 processes, 4 streams and 82000 iterations give about 200 MB with 13.8 million event records.
 */
#include <otf.h>
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <stdint.h>

static uint64_t s = 88172645463325252ULL;
static unsigned rnd( unsigned n ) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (unsigned)( ( s >> 20 ) % n ); }

int main( int argc, char** argv )
{
    if ( argc < 5 ) { fprintf( stderr, "usage: %s name processes streams iterations [long] [zlevel]\n", argv[0] ); return 1; }
    int np = atoi( argv[2] ), ns = atoi( argv[3] ); long iters = atol( argv[4] );
    OTF_FileManager* m = OTF_FileManager_open( 200 );
    OTF_Writer* w = OTF_Writer_open( argv[1], ns, m );
    assert( w && np > 1 && np <= 4096 );
    if ( argc > 5 && atoi( argv[5] ) ) OTF_Writer_setFormat( w, OTF_WSTREAM_FORMAT_LONG );
    if ( argc > 6 && atoi( argv[6] ) ) OTF_Writer_setCompression( w, atoi( argv[6] ) );
    OTF_Writer_writeDefTimerResolution( w, 0, 1000000000ULL );
    OTF_Writer_writeDefFunctionGroup( w, 0, 1, "user" ); OTF_Writer_writeDefFunctionGroup( w, 0, 2, "mpi" );
    const char* fn[] = { "compute", "kernel_a", "kernel_b", "kernel_c", "kernel_d", "MPI_Send", "MPI_Recv", "MPI_Allreduce" };
    for ( int i = 0; i < 8; i++ ) OTF_Writer_writeDefFunction( w, 0, i + 1, fn[i], i < 5 ? 1 : 2, 0 );
    OTF_Writer_writeDefCollectiveOperation( w, 0, 1, "MPI_Allreduce", OTF_COLLECTIVE_TYPE_ALL2ALL );
    OTF_Writer_writeDefCounterGroup( w, 0, 1, "hw" ); OTF_Writer_writeDefCounter( w, 0, 1, "ops", OTF_COUNTER_TYPE_ACC, 1, "#" );
    uint32_t* pr = malloc( np * sizeof *pr ); uint64_t* t = malloc( np * sizeof *t ); uint64_t* c = calloc( np, sizeof *c );
    for ( int p = 0; p < np; p++ ) { char b[32]; sprintf( b, "Process %d", p ); pr[p] = p + 1; OTF_Writer_writeDefProcess( w, 0, p + 1, b, 0 );
        OTF_Writer_assignProcess( w, p + 1, 1 + p * ns / np ); }
    OTF_Writer_writeDefProcessGroup( w, 0, 10000, "world", np, pr );
    /* all processes step in turn on one clock, so every stream stays sorted */
    uint64_t now = 1000; unsigned long long n = 0;
    for ( long it = 0; it < iters; it++ )
    {
#define EACH for ( int p = 0; p < np; p++ ) { now += 1 + rnd( 40 ); uint32_t id = p + 1; (void)id;
        EACH OTF_Writer_writeEnter( w, now, 1, id, 0 ); n++; }
        for ( int k = 0; k < 4; k++ ) { EACH OTF_Writer_writeEnter( w, now, 2 + k, id, 0 ); n++; } EACH OTF_Writer_writeLeave( w, now, 2 + k, id, 0 ); n++; } }
        EACH c[p] += rnd( 100000 ); OTF_Writer_writeCounter( w, now, id, 1, c[p] ); OTF_Writer_writeLeave( w, now, 1, id, 0 ); n += 2; }
        EACH OTF_Writer_writeEnter( w, now, 6, id, 0 ); OTF_Writer_writeSendMsg( w, now + 1, id, 1 + id % np, 10000, 7, 1u << rnd( 20 ), 0 ); now += 2; OTF_Writer_writeLeave( w, now, 6, id, 0 ); n += 3; }
        EACH OTF_Writer_writeEnter( w, now, 7, id, 0 ); OTF_Writer_writeRecvMsg( w, now + 1, id, 1 + ( id + np - 2 ) % np, 10000, 7, 1024, 0 ); now += 2; OTF_Writer_writeLeave( w, now, 7, id, 0 ); n += 3; }
        EACH OTF_Writer_writeEnter( w, now, 8, id, 0 ); OTF_Writer_writeBeginCollectiveOperation( w, now, id, 1, it + 1, 10000, 0, 64, 64, 0 ); n += 2; }
        EACH OTF_Writer_writeEndCollectiveOperation( w, now, id, it + 1 ); OTF_Writer_writeLeave( w, now, 8, id, 0 ); n += 2; }
    }
    OTF_Writer_close( w ); OTF_FileManager_close( m );
    printf( "%llu event records\n", n );
    return 0;
}
