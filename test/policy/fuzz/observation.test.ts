// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unless } from "../../support/needs.ts";
import { checkLines } from "./check-lines.ts";
import { type Claim, READ_DENIES } from "./difference.ts";
import { Copies, type Ground, makeRoot } from "./repository.ts";
import { observationProblem } from "./run-lines.ts";

const problem = observationProblem();
const programs = new Set(
  "ls cat rg find sort xargs git tree cp sed mv mkdir printf grep egrep diff date id uname".split(" "),
);
const reads: Claim = { kind: "reads", deny: null, programs };
const denied: Claim = { kind: "reads", deny: READ_DENIES[0] ?? null, programs };
const edits: Claim = { kind: "edits", deny: null, programs };
const starts: Claim = { kind: "starts", denied: false };

/** Holes that were found in the policy, as if it allowed them still, and what the fuzzer must say of each. */
const HOLES: readonly (readonly [Claim, string, RegExp])[] = [
  [reads, "printf '%n' PATH; ls", /^started 0\/ls/],
  [reads, "printf '%s%n' '' PATH; ls", /^started 0\/ls/],
  [reads, "find . -path './a *.txt' | xargs rg foo", /^started \.\/evil\.sh/],
  [reads, "find . | sort list.txt | xargs rg foo", /^started \.\/evil\.sh|^started .*evil/],
  // A file that any user can read.
  [reads, "echo '\\/etc/passwd' | xargs cat", /read \/etc\/passwd outside/],
  [reads, "git ls-files --format=/etc/hostname | xargs cat", /read \/etc\/hostname outside/],
  [reads, "grep -l --label=/etc/hostname '' - < README.md | xargs cat", /read \/etc\/hostname outside/],
  [reads, "tree -Lo 2 .bashrc", /^wrote: .* \/ws\/\.bashrc/],
  [reads, "rg foo *=sh src/one.ts", /^started .*sh/],
  [reads, "cat lout", /read \/outside\/secret\.txt outside|printed a file outside/],
  [reads, "grep -R QZ ldir", /outside/],
  [reads, "cd bare; git status", /^started .*evil\.sh/],
  [reads, "cd trap/sub; git diff HEAD~1 HEAD", /^started .*evil\.sh/],
  [edits, "cp -b -S rc README.md .npm; cp -b -S rc README.md .npm", /protected path: .*\/ws\/\.npmrc/],
  [edits, "sed -irc s/KEY/z/ .env", /protected path: .*\/ws\/\.envrc/],
  [edits, "ln -s ../../outside/secret.txt docs/rc2; mv docs d2 && cp README.md d2/rc2", /wrote outside/],
  [edits, "cp README.md docs/lhost", /wrote outside: .*\/etc\/hostname/],
  [edits, "cd almost; mkdir refs; git status", /^started .*evil\.sh/],
  [denied, "find . -name .env | xargs cat", /read \/ws\/\.env under a deny/],
  [denied, "git ls-files -o pkg | xargs grep -h KEY", /under a deny/],
  [denied, "grep -rn KEY .", /under a deny/],
  [denied, "rg --hidden --no-ignore KEY", /under a deny/],
  [denied, "git show :0:.env", /printed a denied file/],
  [denied, "git log -L1,1:.env HEAD~1", /printed a denied file/],
  [denied, "git log -p -- '.e*'", /printed a denied file/],
  [denied, "git diff HEAD -- ':(icase).ENV'", /printed a denied file/],
  [starts, "timeout -vk 5 10 qcanary x", /canary/],
  [starts, "nice --adj 5 qcanary x", /canary/],

  [starts, "echo x | xargs -0I % -P 4 qcanary %", /canary/],
  [starts, "bash -c -o errexit 'qcanary x'", /canary/],
  [starts, "eval -- qcanary x", /canary/],
  [starts, "watch -tn 1 qcanary x", /canary/],
  [starts, "ionice -tc 3 qcanary x", /canary/],
];

/** What a fuzzer that cries wolf would call a difference. */
const HARMLESS: readonly (readonly [Claim, string])[] = [
  [denied, "ls -la | sort"],
  [denied, "git status; git diff --stat"],
  [denied, "egrep -n foo a.txt src/*.ts"],
  [denied, "date; id; ls -l docs; uname -a"],
  [denied, "cat < a.txt >/dev/null"],
  [edits, "mkdir -p new/deep && cp a.txt new/deep && sed -i s/foo/bar/ a.txt && mv b.txt new"],
];

describe("what the fuzzer of command lines sees", unless(problem), () => {
  it("shows each hole that was found in the policy, and nothing in harmless lines", {
    tags: ["long"],
  }, async () => {
    const root = makeRoot();
    try {
      const copies = new Copies(root);
      const lines = [...HOLES, ...HARMLESS];
      const grounds = copies.make("hole", lines.length);
      const judged = lines.map(([claim, text], at) => ({
        line: { text, row: "hole", mood: "hostile" as const },
        claim,
        ground: grounds[at] as Ground,
      }));
      const { found } = await checkLines({ root, name: "holes", copies, judged });
      const seen = new Map(found.map(({ line, what }) => [line.text, what]));
      const missed = HOLES.filter(([, text, expected]) => !seen.get(text)?.some((one) => expected.test(one)));
      expect(missed.map(([, text]) => [text, seen.get(text)])).toEqual([]);
      expect(HARMLESS.flatMap(([, text]) => seen.get(text) ?? [])).toEqual([]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
