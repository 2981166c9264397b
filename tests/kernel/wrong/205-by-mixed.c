/* 'cross_by' of a word and of lanes; make both word_lanes */
KERNEL void wrong(GLOBAL word *a, int n)
{
    multiplier f = multiplier_of(ONE);
    ITEM_LANES (word, i, n)
        lanes_store(a[i], cross_by(f, lanes_load(a[i]), f, a[0])); /* here */
}
