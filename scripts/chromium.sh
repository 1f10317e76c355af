#!/usr/bin/env bash
# Make sure that a Chromium is on the path: without one, root installs Debian's package. Fails where none can be had.
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" > /dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update --quiet=2 && apt-get install --quiet=2 --yes chromium > /dev/null; then exit 0; fi
fi
echo "no Chromium on the path, and none could be installed" >&2
exit 1
