/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a page and its style: light and dark, for wide screens, phones and paper. */
#include "show/page/page.h"

/* The colours of screens in light and of paper. */
#define LIGHT                                                                                              \
    "--accent:#0a5c9e;--near:#0a5c9e1f;--bad:#b3261e;--c0:#0a5c9e;--c1:#c2510c;--c2:#0b7a5a;--c3:#8a3f86;" \
    "--k0:#3f7fb8;--k1:#d98a3d;--k2:#3f9c7d;--k3:#a869a4;--k4:#a89a3a;--k5:#7d8794;--k6:#c0625c;--k7:#5b67ad"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--page:#faf9f6;--card:#fff;--ink:#1d2126;--soft:#5a616b;--rule:#d9d6cf;--grid:#ebe8e1;" LIGHT "}\n"
    "@media "
    "(prefers-color-scheme:dark){:root{--page:#14171b;--card:#1c2025;--ink:#e6e8ea;--soft:#a2aab4;--rule:#363c44;"
    "--grid:#2a2f36;--accent:#6db7f2;--near:#6db7f226;--bad:#ff8a80;"
    "--c0:#6db7f2;--c1:#f0a05a;--c2:#5fcfa8;--c3:#d59ad1;--k0:#4f8fc6;--k1:#c98443;--k2:#459f82;--k3:#a772a4;--k4:#"
    "a89c4c;"
    "--k5:#78828e;--k6:#bb6a64;--k7:#7f8ad0}}\n"
    "@media "
    "print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--rule:#bbb;--grid:#e4e4e4;" LIGHT
    "}}\n"
    "*{box-sizing:border-box}"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}"
    "body{margin:0 auto;max-width:58rem;padding:1.5rem clamp(1rem,4vw,2rem) "
    "3rem;background:var(--page);color:var(--ink);"
    "font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif;overflow-wrap:break-word}\n"
    "header{margin-bottom:2rem}"
    ".kicker{margin:0 0 .4rem;color:var(--soft);font-size:.9rem}"
    "h1{margin:0;font-size:clamp(1.25rem,1rem + 1.6vw,1.7rem);line-height:1.35;font-weight:600;text-wrap:pretty}"
    "h2{margin:2.6rem 0 .6rem;font-size:1.2rem;line-height:1.3;break-after:avoid}"
    "h3{margin:1.4rem 0 .3rem;font-size:1rem;break-after:avoid}"
    "p{margin:.5rem 0;max-width:44rem}"
    ".soft,figcaption{color:var(--soft);font-size:.9rem}"
    "figcaption{max-width:44rem;margin-top:.4rem}"
    ".warning{border-left:4px solid var(--bad);padding-left:.8rem}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.6rem,1fr));gap:.7rem;margin:1.4rem 0 "
    "0;padding:0}"
    ".tiles div{background:var(--card);border:1px solid var(--rule);border-radius:.5rem;padding:.6rem .8rem}"
    ".tiles dt{color:var(--soft);font-size:.82rem}"
    ".tiles dd{margin:0;font-size:1.1rem;white-space:nowrap;font-weight:600;font-variant-numeric:tabular-nums}\n"
    "figure{margin:.8rem 0;padding:.8rem;background:var(--card);border:1px solid var(--rule);border-radius:.5rem;"
    "break-inside:avoid}"
    "svg{display:block}"
    "svg.wide,svg.narrow{width:100%;height:auto}"
    "svg.narrow{display:none}"
    "svg text{fill:var(--soft);font-size:12.5px;font-family:inherit;font-variant-numeric:tabular-nums}"
    "svg text.name{fill:var(--ink)}"
    "svg text.chosen{fill:var(--accent);font-weight:600}"
    "svg text.strong{fill:var(--ink);font-weight:600}"
    ".grid{stroke:var(--grid)}.axis{stroke:var(--soft)}"
    "line.chosen{stroke:var(--accent);stroke-width:1.2;stroke-dasharray:2 3}"
    ".near{fill:var(--near)}"
    ".line{fill:none;stroke-width:2;stroke-linejoin:round}.spread{fill:none;stroke-width:1.4}"
    ".c0{stroke:var(--c0)}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3)}"
    ".line.c1{stroke-dasharray:6 4}.line.c2{stroke-dasharray:2 3}.line.c3{stroke-dasharray:8 3 2 3}"
    ".mark{stroke:var(--card);stroke-width:1.2}"
    ".mark.c0{fill:var(--c0)}.mark.c1{fill:var(--c1)}.mark.c2{fill:var(--c2)}.mark.c3{fill:var(--c3)}"
    ".bad{fill:none;stroke:var(--bad);stroke-width:2.5}"
    ".node{fill:var(--card);stroke:var(--soft);stroke-width:1.2}.edge{fill:none;stroke:var(--soft);stroke-width:1.2}"
    ".head{fill:var(--soft)}.idle{fill:var(--grid)}.bracket{fill:none;stroke:var(--accent);stroke-width:1.5}"
    ".k0{fill:var(--k0)}.k1{fill:var(--k1)}.k2{fill:var(--k2)}.k3{fill:var(--k3)}.k4{fill:var(--k4)}.k5{fill:var(--k5)}"
    ".k6{fill:var(--k6)}.k7{fill:var(--k7)}"
    ".cut{stroke:var(--card);stroke-width:.6}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:0 0 .4rem;padding:0;font-size:.88rem}"
    ".legend li{display:flex;align-items:center;gap:.45rem}"
    ".legend svg{flex:none;width:34px;height:14px}.legend svg.swatch{width:14px}\n"
    ".scroll{overflow-x:auto;max-width:100%;background:var(--card);border:1px solid var(--rule);border-radius:.5rem;"
    "margin:.8rem 0}"
    ".fit{width:fit-content}"
    "table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.38rem .7rem;text-align:right;white-space:nowrap}"
    "th{font-weight:600;border-bottom:1px solid var(--rule);vertical-align:bottom}"
    "tbody th{border:0}"
    "tbody tr+tr{border-top:1px solid var(--grid)}"
    "tr.chosen{background:var(--near)}tr.chosen th{color:var(--accent)}"
    "td.text,th.text{text-align:left}td.wrap{white-space:normal;min-width:12rem}"
    "td.wrong{color:var(--bad);font-weight:600}"
    "table.plain{width:auto}table.plain td,table.plain th{text-align:left;white-space:normal;vertical-align:top}\n"
    ".formula{overflow-x:auto;overflow-y:hidden;margin:.1rem 0 .7rem;padding:.25rem 0 .25rem 1.2rem;font-size:1.1rem}"
    ".formula math{margin:0;width:max-content}"
    "math{font-family:'STIX Two Math','Cambria Math','Latin Modern Math','DejaVu Math TeX Gyre',math,serif}"
    "td math{font-size:1.1em}"
    "code{font:.88em/1.4 ui-monospace,'Liberation Mono',monospace;overflow-wrap:anywhere}"
    "pre{margin:.5rem 0;padding:.6rem .8rem;background:var(--card);border:1px solid var(--rule);border-radius:.5rem;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    "footer{margin-top:3rem;padding-top:.8rem;border-top:1px solid var(--rule)}\n"
    "@media (max-width:600px){svg.wide{display:none}svg.narrow{display:block}figure{padding:.6rem .3rem}"
    "figcaption,.legend{padding:0 .4rem}}\n"
    "@media "
    "print{html{font-size:10pt}body{max-width:none;padding:0}h1{font-size:1.4rem}h2{margin-top:1.4rem}table{font-size:"
    "7.5pt}"
    "th,td{padding:.2rem .35rem}.scroll{overflow:visible;break-inside:avoid}.formula{overflow:visible;font-size:10pt}"
    "svg.wide{display:block}svg.narrow{display:none}@page{margin:15mm}}\n";

void mmm_page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
          out);
    mmm_html_text(out, title);
    fputs("</title>\n<link rel=\"icon\" href=\"data:,\"/>\n<style>\n", out); /* an icon, or browsers ask for one */
    fputs(style, out);
    fputs("</style>\n</head>\n<body>\n", out);
}

void mmm_page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}
