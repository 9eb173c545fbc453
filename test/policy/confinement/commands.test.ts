// @module-tag long
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { expect, test } from "vitest";
import { enclosed } from "./enclosed.ts";

/** `@` is the main checkout, `%` the tree, `~~` another agent's tree. */
const REFUSED = [
  "echo x > @/src/a.ts",
  "echo x >> @/src/new.ts",
  "make 2> @/log",
  "echo x > ../../../src/a.ts",
  "echo x > $HOME/repo/src/a.ts",
  "echo x > ~/repo/src/a.ts",
  "cp src/a.ts @/src/a.ts",
  "mv src/a.ts ../../../src/b.ts",
  "rm -rf @/dist",
  "rm @/src/*.ts",
  "mkdir -p @/new",
  "touch @/x",
  "sed -i s/a/b/ @/src/a.ts",
  "tee @/.env < src/a.ts",
  "chmod 600 @/.env",
  "find @/dist -name x -delete",
  "find @/dist -name x -exec rm {} +",
  "dd if=/dev/zero of=@/dist/out.js",
  "rm -f node_modules/dep/index.js",
  "echo x > out-link",
  "cat @/src/a.ts",
  "grep -r foo @",
  "cat @/src/*.ts",
  "diff src/a.ts @/src/a.ts",
  "cat < @/src/a.ts",
  "cd @ && npm test",
  "cd ../../.. && ls",
  "(cd @/src; ls)",
  "pushd @",
  "cd src; cd ../../../..",
  "cd ~~",
  "bash -c 'cd @ && ls'",
  "env -C @ npm test",
  "timeout 5 rm -rf @/src",
  "sudo tee @/src/a.ts",
  "xargs rm < list @/src/a.ts",
  "echo @/src/a.ts | xargs rm",
  "for f in @/src/a.ts @/src/b.ts; do rm $f; done",
  "rm -rf {@/src,@/dist}",
  "make -C @",
  "npm --prefix @ test",
  "prettier --write @/src/a.ts",
  "node scripts/gen.js --out=@/src/new.ts",
  "clang -I@/src x.c",
  "node -e \"require('fs').writeFileSync('@/src/a.ts', '')\"",
  "python3 - <<'E'\nopen('@/src/a.ts', 'w').write('')\nE",
  "FILE=@/src/a.ts npm run x",
  "ln -sf x @/src/link",
  "echo x > ~~/src/a.ts",
  "ls ~~",
  "ls @/.claude/worktrees",
  "grep -r foo @/.claude",
  "node walk.js @/.claude/worktrees",
  "cd @/.claude/worktrees",
  "echo x > .git",
  "echo x > @/.git/config",
];

const LEFT = [
  "npm test",
  "echo x > src/a.ts",
  "echo x > %/src/a.ts",
  "cd src && ls && cd ..",
  "cd % && ls",
  "rm -rf src",
  "sed -i s/a/b/ src/*.ts",
  "node @/node_modules/.bin/eslint src",
  "@/node_modules/.bin/tsc --noEmit",
  "cd node_modules/dep && ls",
  "cat @/dist/out.js",
  "cp @/.env .env",
  "ln -s @/dist dist",
  "echo 'see @/src/a.ts:12'",
  "git commit -m 'what @/src/a.ts was'",
  "cat > notes.md <<'E'\nin @/src/a.ts\nE",
  "cat /etc/hosts",
  "echo x > /tmp/somewhere",
  "mkdir ~/other && cd ~/other",
  "cat @sitory/a",
  "curl https://example.org/src/a.ts",
  "node -e 'console.log(1)'",
  "rm $X",
];

test("refuses what writes, reads or starts in the checkout, however it is written; the rest is left to the rules", async () => {
  const { running, checkout, path, other } = await enclosed();
  const said = (written: string) =>
    running(written.replaceAll("@", checkout).replaceAll("%", path).replaceAll("~~", other));
  expect(REFUSED.filter((written) => !said(written)?.includes("worktree"))).toEqual([]);
  expect(LEFT.filter((written) => said(written) !== null)).toEqual([]);
});

test("the sentence names the path to use instead (C11)", async () => {
  const { running, checkout, path } = await enclosed();
  expect(running(`echo x > ${checkout}/src/a.ts`)).toBe(
    `${checkout}/src/a.ts belongs to the main checkout. You work in a worktree of your own: write ${path}/src/a.ts; your edits are merged when you end.`,
  );
  expect(running(`cd ${checkout}/src && npm test`)).toContain(`stay in it, in ${path}/src`);
  expect(running(`cat ${checkout}/src/a.ts`)).toContain(`read ${path}/src/a.ts`);
});

test("what cannot be parsed is looked at as far as it is understood, and no command throws", async () => {
  const { running, checkout } = await enclosed();
  expect(running(`rm ${checkout}/src/a.ts; echo "`)).toContain("main checkout");
  for (const odd of [
    "",
    "((",
    "$(",
    "<<",
    "'",
    "a\0b",
    "git",
    "git -C",

    "cd",
    "cd --",
    "xargs",
  ])
    expect(running(odd)).toBeNull();
});
