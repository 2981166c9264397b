#!/bin/sh
# docs/ as pages for a browser: no network, no script in the pages.  Needs python3-markdown.  Use: site.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
for header in include/mmm.h include/mmm/*.h; do
    name=$(basename "$header" .h)
    page=$([ "$name" = mmm ] && echo api || echo "api-$name")
    awk -v form=markdown -v examples=docs/make/examples -f docs/make/api.awk "$header" >"$1/$page.md"
done
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import markdown' 2>/dev/null || { echo "site: python3-markdown is not installed (sh deps.sh browser installs it)"; exit 3; }
exec "$python" docs/make/site.py "$1"
