/* SPDX-License-Identifier: Apache-2.0 */
/* Text and numbers for HTML. */
#include "show/page/page.h"

#include <math.h>
#include <string.h>

#define SPACE "\u202f" /* narrow and not broken */

/* Bytes of the UTF-8 character at `c`; 0 where there is none, or one that HTML does not take. */
static int character(const unsigned char *c)
{
    if (*c < 0x80) return *c >= 0x20 && *c != 0x7f;
    int bytes = *c >= 0xc2 && *c < 0xe0 ? 2 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xf0 && *c < 0xf5 ? 4 : 0;
    for (int i = 1; i < bytes; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    if (bytes == 2 && c[0] == 0xc2 && c[1] < 0xa0) return 0;  /* controls */
    if (bytes == 3 && c[0] == 0xe0 && c[1] < 0xa0) return 0;  /* overlong */
    if (bytes == 3 && c[0] == 0xed && c[1] >= 0xa0) return 0; /* surrogates */
    if (bytes == 4 && c[0] == 0xf0 && c[1] < 0x90) return 0;  /* overlong */
    if (bytes == 4 && c[0] == 0xf4 && c[1] >= 0x90) return 0; /* past the last */
    return bytes;
}

void mmm_html_text(FILE *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int bytes = character(c);
        switch (*c) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        case '\n':
        case '\t': fputc(' ', out); break;
        default:
            if (bytes)
                fwrite(c, 1, (size_t)bytes, out);
            else
                fputs("\ufffd", out);
        }
        c += bytes ? bytes : 1;
    }
}

void mmm_html_command(FILE *out, const char *command)
{
    if (!command) return;
    fputs("<pre><code>", out);
    mmm_html_text(out, command);
    fputs("</code></pre>\n", out);
}

/* mantissa · 10^exponent with raised digits */
static mmm_label power(double mantissa, int exponent)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    mmm_label label = {""};
    char digits[16];
    if (mantissa != 1) snprintf(label.text, sizeof label.text, "%.3g·", mantissa);
    strcat(label.text, exponent < 0 ? "10⁻" : "10");
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *c = digits; *c; c++)
        strcat(label.text, raised[*c - '0']);
    return label;
}

static mmm_label scientific(double value)
{
    int exponent = (int)floor(log10(fabs(value)));
    double mantissa = round(value / pow(10, exponent) * 100) / 100;
    if (fabs(mantissa) >= 10) mantissa /= 10, exponent++;
    return power(mantissa, exponent);
}

mmm_label mmm_label_number(double value)
{
    mmm_label label = {""};
    if (!isfinite(value)) return (mmm_label){"–"};
    if (fabs(value) >= 1e12 || (value != 0 && fabs(value) < 1e-3)) return scientific(value);
    if (fabs(value) < 1000 && value != floor(value)) {
        snprintf(label.text, sizeof label.text, "%.4g", value);
        return label;
    }
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    if (value < 0) strcat(label.text, "−");
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) strcat(label.text, SPACE);
        strncat(label.text, &digits[i], 1);
    }
    return label;
}

mmm_label mmm_label_short(double value)
{
    mmm_label label = {""};
    if (value != 0 && (fabs(value) >= 1e4 || fabs(value) < 1e-3)) return scientific(value);
    snprintf(label.text, sizeof label.text, "%.6g", value);
    return label;
}

mmm_label mmm_label_seconds(double value)
{
    mmm_label label = {""};
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}, {0, 1e9, "ns"}};
    int i = 0;
    if (!isfinite(value)) return (mmm_label){"–"};
    while (value < units[i].least * 0.9995)
        i++;
    double scaled = value * units[i].factor;
    int decimals = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
    snprintf(label.text, sizeof label.text, "%.*f" SPACE "%s", decimals, scaled, units[i].unit);
    return label;
}
