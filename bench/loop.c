// The arithmetic of one step of FsNet and nothing else: no framework, no files, no network on the chosen features, two passes over tiles
// of features on all cores. It is the limit that the steps of fsnet are held against. K is even.
//
//	cc -O3 -march=native -mprefer-vector-width=512 -ffast-math -fopenmp bench/loop.c -o bin/loop && bin/loop D K STEPS
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 16, T = 8, B = 8, PHI = 22, H = 64, ALIGN = 64 }; // floats of a vector, vectors of a tile, batch, rows of Φ, h'
typedef float v __attribute__((vector_size(64)));
typedef int32_t vi __attribute__((vector_size(64)));
typedef uint32_t vu __attribute__((vector_size(64)));

static v all(float x) { return x - (v){}; }
static float sum(v x) { float s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; }
static v choose(vi c, v a, v b) { return (v)((c & (vi)a) | (~c & (vi)b)); }

static v expv(v x) { // 2^n e^r, |r| ≤ ½ log 2
    x = choose(x > all(-87), x, all(-87));
    v n = x * 1.44269504f;
    vi whole = __builtin_convertvector(n + choose(n > 0, all(.5f), all(-.5f)), vi);
    v r = x - __builtin_convertvector(whole, v) * .693147181f;
    v p = ((((r * (1 / 720.f) + 1 / 120.f) * r + 1 / 24.f) * r + 1 / 6.f) * r + .5f) * r * r + r + 1;
    return p * (v)((whole + 127) << 23);
}
static v logv(v x) { // Cephes' logf
    vi bits = (vi)x, e = (bits >> 23) - 126;
    v m = (v)((bits & 0x7fffff) | 0x3f000000);
    vi small = m < all(.707106781f);
    e += small;
    m = choose(small, m + m, m) - 1;
    v z = m * m, p = all(7.0376836292e-2f);
    const float c[] = {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                       -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f};
    for (int i = 0; i < 8; i++) p = p * m + c[i];
    v f = __builtin_convertvector(e, v);
    return p * m * z - .5f * z + m + f * .693147181f;
}
static v tanhv(v x) { // XLA's and Eigen's rational function
    x = choose(x > all(7.9f), all(7.9f), choose(x < all(-7.9f), all(-7.9f), x));
    v q = x * x, p = all(-2.76076847742355e-16f), d = all(1.19825839466702e-06f);
    const float c[] = {2.00018790482477e-13f, -8.60467152213735e-11f, 5.12229709037114e-08f,
                       1.48572235717979e-05f, 6.37261928875436e-04f, 4.89352455891786e-03f};
    const float e[] = {1.18534705686654e-04f, 2.26843463243900e-03f, 4.89352518554385e-03f};
    for (int i = 0; i < 6; i++) p = p * q + c[i];
    for (int i = 0; i < 3; i++) d = d * q + e[i];
    return x * p / d;
}
static v gumbel(vu index, uint32_t key) { // internal/noise: two rounds of a hash, −log(−log u)
    index ^= key; index *= 0x7feb352du; index ^= index >> 15; index *= 0x846ca68bu; index ^= index >> 16;
    v u = (v)((index >> 9) | 0x3f800000u) - .99999994f;
    return -logv(-logv(u));
}

// predict is rows×tile of W (rows×PHI) Φ, two rows and four vectors at a time.
static inline __attribute__((always_inline)) void predict(v *out, const float *w, int rows, const v *phi) {
    for (int o = 0; o < rows; o += 2)
        for (int t = 0; t < T; t += 4) {
            v a[4] = {}, b[4] = {};
            for (int i = 0; i < PHI; i++)
                for (int u = 0; u < 4; u++) {
                    a[u] += w[o * PHI + i] * phi[i * T + t + u];
                    b[u] += w[(o + 1) * PHI + i] * phi[i * T + t + u];
                }
            for (int u = 0; u < 4; u++) { out[o * T + t + u] = a[u]; out[(o + 1) * T + t + u] = b[u]; }
        }
}
// products adds to sums, rows×columns vectors, the products of rows of a and of b over a tile; columns is even.
static inline __attribute__((always_inline)) void products(v *sums, const v *a, int rows, const v *b, int columns) {
    for (int o = 0; o < rows; o += 2)
        for (int i = 0; i < columns; i += 2) {
            v *s = sums + o * columns + i, *s2 = s + columns, p = s[0], q = s[1], r = s2[0], u = s2[1];
            for (int t = 0; t < T; t++) {
                v x = a[o * T + t], y = a[(o + 1) * T + t], z = b[i * T + t], w = b[(i + 1) * T + t];
                p += x * z; q += x * w; r += y * z; u += y * w;
            }
            s[0] = p; s[1] = q; s2[0] = r; s2[1] = u;
        }
}

int main(int argc, char **argv) {
    int d = atoi(argv[1]), K = atoi(argv[2]), steps = atoi(argv[3]);
    int tiles = (d + N * T - 1) / (N * T), threads = omp_get_max_threads(), rows = 36;
    v *phi = aligned_alloc(ALIGN, sizeof(v) * tiles * T * PHI);
    v *x = aligned_alloc(ALIGN, sizeof(v) * tiles * T * rows);
    v *e = aligned_alloc(ALIGN, sizeof(v) * tiles * T * K);
    for (int i = 0; i < tiles * T * PHI * N; i++) ((float *)phi)[i] = (rand() % 2001 - 1000) / 4000.f;
    for (int i = 0; i < tiles * T * rows * N; i++) ((float *)x)[i] = (rand() % 2001 - 1000) / 1000.f;
    float *ws = malloc(4 * K * PHI), wr[H * PHI], hidden[B][H];
    for (int i = 0; i < K * PHI; i++) ws[i] = (rand() % 2001 - 1000) / 20000.f;
    for (int i = 0; i < H * PHI; i++) wr[i] = (rand() % 2001 - 1000) / 20000.f;
    int size = B * K + K + B * H + H * PHI + K * PHI + B; // vectors that a thread sums up
    v *sums = aligned_alloc(ALIGN, sizeof(v) * size * threads);
    double *took = malloc(8 * steps), check = 0;
    float *dsel = malloc(4 * B * K), *centre = malloc(4 * K), *scale = malloc(4 * K), *selected = malloc(4 * B * K);
    for (int step = 0; step < steps; step++) {
        struct timespec t0, t1; clock_gettime(CLOCK_MONOTONIC, &t0);
        int batch[B]; for (int b = 0; b < B; b++) batch[b] = (step * B + b) % rows;
        uint32_t key = step * 2654435761u;
#pragma omp parallel
        {
            int me = omp_get_thread_num(); v *s = sums + size * me; memset(s, 0, sizeof(v) * size);
            v *passed = s, *total = s + B * K, *dh = total + K, *dwr = dh + B * H, *dws = dwr + H * PHI, *errors = dws + K * PHI;
            v local[64 * T] __attribute__((aligned(64))), rest[B * T], weights[H * T];
            int from = tiles * me / threads, to = tiles * (me + 1) / threads;
            for (int tile = from; tile < to; tile++) { // the sample
                v *f = phi + tile * T * PHI, *xs = x + tile * T * rows, *out = e + tile * T * K;
                predict(out, ws, K, f);
                vu lane; for (int i = 0; i < N; i++) lane[i] = tile * N * T + i;
                for (int k = 0; k < K; k++)
                    for (int t = 0; t < T; t++) {
                        v z = expv((out[k * T + t] + gumbel(lane + (uint32_t)(k * d + t * N), key)) * .5f - 8);
                        out[k * T + t] = z; total[k] += z;
                    }
                for (int k = 0; k < K; k++)
                    for (int b = 0; b < B; b++) {
                        v p = passed[b * K + k];
                        for (int t = 0; t < T; t++) p += out[k * T + t] * xs[batch[b] * T + t];
                        passed[b * K + k] = p;
                    }
            }
#pragma omp barrier
#pragma omp single
            { // the network on x^S is small: its place is taken by sums
                for (int k = 0; k < K; k++) {
                    float a = 0;
                    for (int i = 0; i < threads; i++) a += sum(sums[size * i + B * K + k]);
                    scale[k] = 1 / a, centre[k] = 0;
                }
                for (int i = 0; i < B * K; i++) {
                    float a = 0;
                    for (int j = 0; j < threads; j++) a += sum(sums[size * j + i]);
                    selected[i] = a * scale[i % K], dsel[i] = selected[i] * .01f, centre[i % K] += selected[i] * dsel[i];
                }
                for (int b = 0; b < B; b++) for (int h = 0; h < H; h++) hidden[b][h] = selected[b * K + h % K] * .1f;
            }
            for (int tile = from; tile < to; tile++) { // reconstruction and the gradients
                v *f = phi + tile * T * PHI, *xs = x + tile * T * rows, *out = e + tile * T * K;
                predict(weights, wr, H, f);
                for (int i = 0; i < H * T; i++) weights[i] = tanhv(weights[i]);
                for (int t = 0; t < T; t++) {
                    v r[B]; for (int b = 0; b < B; b++) r[b] = -xs[batch[b] * T + t];
                    for (int h = 0; h < H; h++) for (int b = 0; b < B; b++) r[b] += hidden[b][h] * weights[h * T + t];
                    for (int b = 0; b < B; b++) { errors[b] += r[b] * r[b]; rest[b * T + t] = r[b] * .001f; }
                }
                products(dh, rest, B, weights, H);
                for (int t = 0; t < T; t++)
                    for (int h = 0; h < H; h++) {
                        v a = {}, w = weights[h * T + t];
                        for (int b = 0; b < B; b++) a += hidden[b][h] * rest[b * T + t];
                        local[h * T + t] = a * (1 - w * w);
                    }
                products(dwr, local, H, f, PHI);
                for (int k = 0; k < K; k++)
                    for (int t = 0; t < T; t++) {
                        v a = all(-centre[k]);
                        for (int b = 0; b < B; b++) a += dsel[b * K + k] * xs[batch[b] * T + t];
                        out[k * T + t] *= a * scale[k];
                    }
                products(dws, out, K, f, PHI);
            }
        }
        for (int i = 0; i < threads; i++) for (int j = B * K + K; j < size; j++) check += sum(sums[size * i + j]);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        took[step] = (t1.tv_sec - t0.tv_sec) * 1e3 + (t1.tv_nsec - t0.tv_nsec) / 1e6;
    }
    for (int i = 1; i < steps; i++)
        for (int j = i; j > 0 && took[j - 1] > took[j]; j--) {
            double t = took[j];
            took[j] = took[j - 1], took[j - 1] = t;
        }
    printf("d %d K %d: %.3f ms (lowest tenth %.3f) %g\n", d, K, took[steps / 2], took[steps / 10], check);
}
