#!/bin/sh
# A browser shows the HTML report: no message on its console, no request but for the page itself, every part there and
# drawn, nothing wider than the window at any width, in light and in dark.  Use: report.sh MMM SCRATCH
set -eu
mmm=$(realpath "$1")
if ! browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    echo "report: skipped, chromium is not installed"
    exit 0
fi
mkdir -p "$2"
cd "$2"
rm -rf profile ./*.html ./*.log ./*.json
"$mmm" report division n=600 m=300 s=4,8,16,1000000000 --repeat 2 --parameters U=8,Z=65536,P=2,operation=1e-9 -o runs.html >/dev/null
"$mmm" report radix-sort n=5000 s=2,5 --no-runs -P 132 -o counts.html >/dev/null
"$mmm" report gcd n=300 m=250 s=1-40 --no-runs --parameters h200 -o gpu.html >/dev/null
"$mmm" report division n=600 m=300 s=4,8,16 --no-runs --parameters cpu-epyc -o core.html >/dev/null

# The page in a frame of each width; the outer page may use scripts, the report has none.
cat >frames.html <<'END'
<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><pre id="out"></pre><script>
const [page, ids, kinds] = location.hash.slice(1).split(':'), widths = [320, 390, 600, 601, 800, 1280], lines = [];
let left = widths.length;
for (const width of widths) {
    const frame = document.createElement('iframe');
    frame.style = `width:${width}px;height:900px;border:0`;
    frame.onload = () => {
        const view = frame.contentWindow, doc = frame.contentDocument, root = doc.documentElement;
        const say = text => lines.push(`BAD ${page} at ${width}: ${text}`);
        if (root.scrollWidth > root.clientWidth) say(`${root.scrollWidth} pixels wide`);
        for (const entry of view.performance.getEntriesByType('resource')) say(`asks for ${entry.name}`);
        for (const id of ids.split(',')) {
            const part = doc.getElementById(id);
            if (!part || part.getBoundingClientRect().height < 10) say(`lacks ${id}`);
        }
        for (const kind of kinds.split(',')) {
            const shown = [...doc.querySelectorAll('svg.' + kind)].filter(svg => svg.getBoundingClientRect().height > 20);
            if (!shown.length) say(`shows no ${kind}`);
            for (const svg of shown) {
                const box = svg.getBoundingClientRect();
                for (const text of svg.querySelectorAll('text')) {
                    const at = text.getBoundingClientRect();
                    if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 1)
                        say(`'${text.textContent}' is cut off`);
                    if (at.height < 8) say(`'${text.textContent}' is too small`);
                }
            }
        }
        for (const math of doc.querySelectorAll('math'))
            if (math.getBoundingClientRect().height < 5) say('a formula is not drawn');
        if (--left == 0) document.getElementById('out').textContent = lines.concat('DONE').join('\n');
    };
    frame.src = page;
    document.body.append(frame);
}
</script>
END
for page in runs counts gpu core; do
    ids=verdict,time,measures,words,tables,dag,schedule,formulas,origin kinds=plot,dag,gantt
    case $page in gpu | core) ids=$ids,limits kinds=$kinds,bars ;; esac
    for scheme in 0 1; do
        log=$page-$scheme
        timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=profile \
            --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-extensions \
            --host-resolver-rules="MAP * ~NOTFOUND" \
            --allow-file-access-from-files --blink-settings=preferredColorScheme=$scheme --enable-logging=stderr --v=0 \
            --log-net-log="$log-net.json" --virtual-time-budget=10000 --dump-dom \
            "file://$PWD/frames.html#$page.html:$ids:$kinds" >"$log-dom.html" 2>"$log.log" ||
            { echo "report: the browser failed on $page.html"; tail -5 "$log.log"; exit 1; }
        if grep "BAD $page.html at" "$log-dom.html" || grep 'CONSOLE' "$log.log"; then
            echo "report: $page.html is not as it should be in a browser"
            exit 1
        fi
        grep -q '^DONE\|>DONE' "$log-dom.html" || { echo "report: the browser did not get through $page.html"; exit 1; }
        # What the browser asks for on its own account has no page as its initiator.
        if tr '{' '\n' <"$log-net.json" | grep '"url":"\(https\?\|wss\?\|ftp\):' | grep '"initiator":"\(null\|file:\)'; then
            echo "report: $page.html asks for something"
            exit 1
        fi
    done
done
echo "report: shown by a browser at six widths, in light and dark, with no request and no message"
