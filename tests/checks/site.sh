#!/bin/sh
# Every example of the reference is compiled against what is installed, and runs (docs/make/api.awk fails where a function
# has none); the pages of the site have no dead links,
# and in a browser nothing is wider than the window, on a phone or a desk.  Use: site.sh INSTALLED SCRATCH
set -eu
installed=$(cd "$1" && pwd)
rm -rf "$2" && mkdir -p "$2/examples"
scratch=$(cd "$2" && pwd)
export PKG_CONFIG_PATH="$installed/lib/pkgconfig" LD_LIBRARY_PATH="$installed/lib"
export MMM_WISDOM="$scratch/wisdom.jsonl"
for example in docs/make/examples/*.c; do
    name=$(basename "$example" .c)
    # shellcheck disable=SC2046
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror "$example" $(pkg-config --cflags --libs mmm) -lflint -lgmp -o "$scratch/$name"
    mkdir "$scratch/examples/$name"
    (cd "$scratch/examples/$name" && "$scratch/$name" >"$scratch/log" 2>&1) || { tail -n 5 "$scratch/log"; echo "site: an example of $name.h fails"; exit 1; }
done
status=0
docs/make/site.sh "$scratch/site" || status=$?
[ $status != 3 ] || { echo "site: examples of the reference hold; pages left out"; exit 0; }
[ $status = 0 ] || exit 1
if ! browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    echo "site: examples hold; not looked at, chromium is not installed"
    exit 0
fi
cat >"$scratch/site/frames.html" <<'PAGE'
<!DOCTYPE html><meta charset="utf-8"><pre id="out"></pre><script>
const pages = location.hash.slice(1).split(','), widths = [320, 390, 800, 1280], lines = [];
let left = pages.length * widths.length;
for (const page of pages)
    for (const width of widths) {
        const frame = document.createElement('iframe');
        frame.style = `width:${width}px;height:900px;border:0`;
        frame.onload = () => {
            const root = frame.contentDocument.documentElement;
            if (root.scrollWidth > root.clientWidth) lines.push(`BAD ${page} at ${width}: ${root.scrollWidth} pixels wide`);
            if (!frame.contentDocument.querySelector('main h1')) lines.push(`BAD ${page}: it has no title`);
            frame.remove();
            if (--left == 0) document.getElementById('out').textContent = lines.concat('DONE').join('\n');
        };
        frame.src = page;
        document.body.append(frame);
    }
</script>
PAGE
pages=$(cd "$scratch/site" && ls ./*.html | sed 's|^\./||' | grep -v frames | paste -sd, -)
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" --no-first-run \
    --disable-background-networking --allow-file-access-from-files --virtual-time-budget=60000 --dump-dom "file://$scratch/site/frames.html#$pages" >"$scratch/dom" 2>/dev/null || true
grep -q '^DONE\|>DONE' "$scratch/dom" || { echo "site: the browser does not finish"; exit 1; }
! grep '^BAD\|>BAD' "$scratch/dom" || exit 1
echo "site: examples hold, pages fit"
