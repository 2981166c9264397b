/* SPDX-License-Identifier: Apache-2.0 */
/* Steps one by one, for heads. */

/* A row of the matrix of s steps: both of its entries, term e of which lies at s - (terms lost) + e. */
#define ENTRY (2 * s + 1)

/* Does s steps to the leading s coefficients of both polynomials, from the leading one on, and to the rows of a matrix,
 * which is that of no steps at first.  Of each row the terms from least to most are not 0.  told: the terms that a and b
 * lost, the least power of z in the matrix, and how many powers it has. */
void take_steps(LOCAL word *cell_a, LOCAL word *cell_b, LOCAL word *row_a, LOCAL word *row_b, LOCAL int *told, int da,
                int db, int s)
{
    int u = 0, v = 0, least_a = 0, most_a = 0, least_b = 0, most_b = 0;
    ITEMS (i, 2 * ENTRY) {
        row_a[i] = i == s ? ONE : 0;
        row_b[i] = i == s + ENTRY ? ONE : 0;
    }
    for (int k = 0; k < s && u <= da && v <= db; k++) {
        word lead_a = cell_a[u], lead_b = cell_b[v];
        int divides = lead_a && lead_b, lower_a = !lead_a || (lead_b && da - u >= db - v);
        int least = min(least_a, least_b), most = max(most_a, most_b), range = divides ? most - least + 1 : 0;
        int at_a = s - u + least, at_b = s - v + least;
        multiplier keep = multiplier_of(lower_a ? lead_b : lead_a), take = multiplier_of(lower_a ? lead_a : lead_b);
        LOCAL word *cell = lower_a ? &cell_a[u + 1] : &cell_b[v + 1];
        LOCAL const word *other = lower_a ? &cell_b[v + 1] : &cell_a[u + 1];
        LOCAL word *first = lower_a ? &row_a[at_a] : &row_b[at_b];
        LOCAL const word *other_first = lower_a ? &row_b[at_b] : &row_a[at_a];
        LOCAL word *second = lower_a ? &row_a[ENTRY + at_a] : &row_b[ENTRY + at_b];
        LOCAL const word *other_second = lower_a ? &row_b[ENTRY + at_b] : &row_a[ENTRY + at_a];
        REGION {
            ITEM_LANES (word, i, divides ? s - 1 - k : 0)
                lanes_store(cell[i], cross_by(keep, lanes_load(cell[i]), take, lanes_load(other[i])));
            ITEM_LANES (word, i, range)
                lanes_store(first[i], cross_by(keep, lanes_load(first[i]), take, lanes_load(other_first[i])));
            ITEM_LANES (word, i, range)
                lanes_store(second[i], cross_by(keep, lanes_load(second[i]), take, lanes_load(other_second[i])));
        }
        u += lower_a;
        v += !lower_a;
        least_a = !lower_a ? least_a : divides ? least + 1 : least_a + 1;
        most_a = !lower_a ? most_a : divides ? most + 1 : most_a + 1;
        least_b = lower_a ? least_b : divides ? least + 1 : least_b + 1;
        most_b = lower_a ? most_b : divides ? most + 1 : most_b + 1;
    }
    int low = min(least_a, least_b), terms = max(most_a, most_b) - low + 1;
    ITEMS (i, 4)
        told[i] = i == 0 ? u : i == 1 ? v : i == 2 ? low : terms;
}
