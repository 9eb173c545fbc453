#!/usr/bin/env bash
# Records the README's picture from a real run in a real terminal (needs tmux): docs/npm-start.svg
set -euo pipefail
cd "$(dirname "$0")/.."
columns=118
home=$(mktemp -d)
trap 'tmux kill-session -t troupe-picture 2>/dev/null || true; rm -rf "$home"' EXIT
tmux new-session -d -s troupe-picture -x "$columns" -y 200 \
  "env -u ANTHROPIC_API_KEY -u ANTHROPIC_BASE_URL HOME=$home PS1='\$ ' bash --norc"
tmux send-keys -t troupe-picture "clear; PATH=$PWD/node_modules/.bin:\$PATH" Enter "clear" Enter
tmux send-keys -t troupe-picture "npx troupe start" Enter
until tmux capture-pane -t troupe-picture -p | grep -q 'agents ·'; do sleep 0.2; done
tmux capture-pane -t troupe-picture -e -p | sed -n '1,30p' | node scripts/picture.ts "$columns" > docs/npm-start.svg
