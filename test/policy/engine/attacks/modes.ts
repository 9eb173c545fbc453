import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

/** §3 for commands. */
export const modeDefaults: readonly AttackGroup[] = [
  {
    about: "the modes' defaults for commands",
    mode: "plan",
    rules: { allow: ["Bash(npm test)", "Bash(touch:*)"] },
    allow: lines`
      ls ¦ git log --oneline -5 ¦ grep -rn x src ¦ cat README.md | head
    `,
    ask: lines`
      npm test ¦ touch x ¦ mkdir x ¦ ls > x ¦ rm x ¦ curl x ¦ ls && npm test
    `,
  },
  {
    about: "what default asks and acceptEdits permits",
    ask: lines`
      mkdir x ¦ touch x ¦ rm README.md ¦ rmdir x ¦ mv README.md x ¦ cp README.md x ¦ sed -i s/a/b/ README.md
    `,
  },
  {
    about: "file commands in acceptEdits",
    mode: "acceptEdits",
    tier: "both",
    allow: lines`
      mkdir x ¦ mkdir -p x/y/z ¦ touch x ¦ touch x y z ¦ rm README.md ¦ rm -f README.md ¦ rm -rf src/deep
      rm -r docs ¦ rmdir x ¦ mv README.md x ¦ mv src/a.ts src/b.ts docs ¦ cp README.md x ¦ cp -r src x
      cp -t docs README.md ¦ mv -t docs README.md ¦ sed -i s/a/b/ README.md ¦ mkdir x && touch x/y
      rm 'docs/with blank.md'
    `,
    ask: combine(
      ["rm %%", "touch %%", "cp README.md %%", "mv README.md %%"],
      ["../x", "/etc/x", "~/x", "link-out/x", "$x", "@out/x"],
    ),
  },
  {
    about: "dontAsk denies what default asks",
    mode: "dontAsk",
    deny: ["npm test", "touch x", "cat /etc/passwd", "ls > x"],
    allow: ["ls", "cat README.md"],
  },
];
