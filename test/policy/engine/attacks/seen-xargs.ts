import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

/** Line 2 of "What was seen": xargs makes options of names. */
export const seenXargs: readonly AttackGroup[] = [
  {
    about: "xargs that takes options from names (the enforced tier may allow them)",
    ask: [
      ...combine(
        lines`
          find . -name '*.md' | %% ¦ find . | sort data/list.txt | %% ¦ git ls-files | %% ¦ cat data/list.txt | %%
          ls opts | %% ¦ printf '%s\n' --pre=./evil.sh x | %% ¦ echo '--pre=./evil.sh' x | %%
        `,
        [
          ...lines`
            xargs rg foo ¦ xargs -0 rg foo ¦ xargs sort ¦ nohup xargs rg foo ¦ timeout 5 xargs rg foo
            command xargs rg foo ¦ xargs cat
          `,
        ],
      ),
      ...lines`
        find . -print0 | xargs -0 grep foo ¦ find . -type f | xargs -I{} cat {} ¦ find . -type f | xargs -n 1 head
        find . -type f | xargs -d '\n' wc -l ¦ xargs cat < data/list.txt ¦ xargs -a data/list.txt cat
        xargs rg foo <<< '--pre=./evil.sh x' ¦ xargs rg foo <<< "--pre=./evil.sh x" ¦ xargs find
        xargs tree < data/list.txt ¦ ls | xargs printf '%s\n' ¦ ls | xargs test -f ¦ ls | xargs xargs echo
        ls | xargs sed -n 1p ¦ ls | xargs date ¦ ls | xargs hostname ¦ ls | xargs uniq ¦ ls | xargs git log
        ls | xargs file ¦ { find .; } | xargs rg foo ¦ (find . ; ls) | xargs rg foo
        echo "$(find . | xargs rg foo)" ¦ for x in a b; do find . | xargs rg foo; done
        if find . | xargs rg foo; then ls; fi ¦ find . | { xargs rg foo; } ¦ find . | (cd src; xargs rg foo)
        find . |& xargs rg foo
      `,
      "xargs rg foo <<EOF\n--pre=./evil.sh x\nEOF",
      "xargs rg foo <<'EOF'\n--pre=./evil.sh x\nEOF",
      "find . |\n  xargs rg foo",
      "find . | \\\n  xargs rg foo",
    ],
    allow: lines`
      find . -name '*.md' | xargs echo ¦ git ls-files | xargs basename ¦ git ls-files | xargs dirname
      git ls-files | xargs dirname | sort -u
    `,
  },
];
