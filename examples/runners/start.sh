#!/bin/sh
# Begins as root, which can read the secret whoever owns its file, and continues as the user `runner`.
set -eu
export HOME=/home/runner
install -d -o runner -m 700 "$HOME/.troupe"
install -o runner -m 600 /run/secrets/fleet-key "$HOME/.troupe/fleet-key"
cd "$HOME"
exec setpriv --reuid=runner --regid=runner --init-groups troupe "$@"
