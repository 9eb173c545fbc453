#!/usr/bin/env bash
# Records the README's pictures from real runs in a real terminal (needs tmux): docs/npm-start.svg, docs/demo-edits.svg,
# docs/eight-agents.svg.
# With a name, only that one: scripts/record-picture.sh demo-edits
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
columns=118
home=$(mktemp -d)
trap 'tmux kill-session -t troupe-picture 2>/dev/null || true; rm -rf "$home"' EXIT

# NAME, folder, lines to keep, what stands on the screen at the end, command, title
record() {
  tmux new-session -d -s troupe-picture -x "$columns" -y 200 -c "$2" \
    "env -u ANTHROPIC_API_KEY -u ANTHROPIC_BASE_URL npm_config_update_notifier=false ${model:-} HOME=$home PS1='\$ ' bash --norc"
  tmux send-keys -t troupe-picture "clear; PATH=$home/bin:$root/node_modules/.bin:\$PATH" Enter "clear" Enter
  tmux send-keys -t troupe-picture "$5" Enter
  local left=600
  until tmux capture-pane -t troupe-picture -p | grep -q "$4"; do
    ((left -= 1)) || { tmux capture-pane -t troupe-picture -p | sed '/^$/d' >&2; exit 1; }
    sleep 0.2
  done
  tmux capture-pane -t troupe-picture -e -p | sed -n "1,$3p" |
    node_modules/.bin/node scripts/picture.ts "$columns" "$6" > "docs/$1.svg"
  tmux kill-session -t troupe-picture
}

if [[ ${1:-npm-start} == npm-start ]]; then
  record npm-start "$root" 30 'agents ·' 'npx troupe start' \
    'npx troupe start: three agents answer three questions about this repository'
fi
# A clone of its own, so that the picture names no folder of whoever records it.
git clone -q -b main . "$home/troupe"
ln -s "$root/node_modules" "$root/dist" "$home/troupe/"
mkdir "$home/bin"
ln -s "$root/bin/troupe.js" "$home/bin/troupe"
if [[ ${1:-demo-edits} == demo-edits ]]; then
  record demo-edits "$home/troupe" 64 'The scratch checkout' 'npm start -- --demo edits' \
    'npm start -- --demo edits: three agents edit a scratch clone, and their edits are merged and undone'
fi
if [[ ${1:-eight-agents} == eight-agents ]]; then
  node_modules/.bin/node scripts/eight-agents.ts > "$home/url" &
  server=$!
  until [[ -s $home/url ]]; do sleep 0.1; done
  model="ANTHROPIC_BASE_URL=$(cat "$home/url") ANTHROPIC_API_KEY=none"
  record eight-agents "$home/troupe" 22 '  4 turns' \
    "troupe --trust 'Find out about this repository'" \
    'troupe: eight agents answer eight questions at once'
  kill "$server"
fi
