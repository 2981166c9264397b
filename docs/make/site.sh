#!/bin/sh
# docs/ as pages for a browser: no network, no script in the pages.  Needs python3-markdown.  Use: site.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import markdown' 2>/dev/null || { echo "site: python3-markdown is not installed (sh deps.sh browser installs it)"; exit 3; }
mkdir -p "$1"
awk -v form=markdown -v examples=docs/make/examples.c -f docs/make/api.awk include/mmm.h >"$1/api.md"
exec "$python" docs/make/site.py "$1"
