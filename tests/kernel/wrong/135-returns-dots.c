/* 'wrong' returns dots; return a word, dots_value(...) */
dots wrong(word x) /* here */
{
    dots h;
    dots_clear(h);
    dots_more(h, operand_of(x), operand_of(x));
    return h;
}
