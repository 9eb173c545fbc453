import fc from "fast-check";
import { expect, test } from "vitest";
import { movePaths, type Roots, restoreInput, toSession } from "../../../src/policy/hooks/moved-paths.ts";

const roots: Roots = {
  runner: "/var/tmp/troupe/S/agent-X",
  session: "/home/u/my repo/.claude/worktrees/agent-X",
};
const { runner, session } = roots;
const move = (text: string) => movePaths(text, runner, session);

test.each([
  [runner, session],
  [`${runner}/`, `${session}/`],
  [`${runner}/protected/a b`, `${session}/protected/a b`],
  [
    `cat "${runner}/a" '${runner}' >${runner}/b;cd ${runner}`,
    `cat "${session}/a" '${session}' >${session}/b;cd ${session}`,
  ],
  [`PATH=/bin:${runner}/bin -I${runner}/c`, `PATH=/bin:${session}/bin -I${session}/c`],
  [`Edit(/${runner}/**)`, `Edit(/${session}/**)`],
  [`file://${runner}/a`, `file://${session}/a`],
  [`${runner}*/a`, `${session}*/a`],
  [`first line\n${runner}/a\n`, `first line\n${session}/a\n`],
  [`${runner}/a and ${runner}/b`, `${session}/a and ${session}/b`],
])("%s is a path in the worktree", (text, moved) => {
  expect(move(text)).toBe(moved);
  expect(movePaths(moved, session, runner)).toBe(text);
});

test.each([
  ["/var/tmp//troupe/./S/agent-X/protected/a", `${session}/protected/a`],
  ["/var/tmp/x/../troupe/S/agent-X/protected/a", `${session}/protected/a`],
  ["/var/tmp/a b,c/../troupe/S/agent-X/protected/a", `${session}/protected/a`],
  [`${runner}/../../S/agent-X/protected/a`, `${session}/protected/a`],
  [`${runner}/x/../protected/a`, `${session}/x/../protected/a`],
  ["rm /var/tmp/../tmp/troupe/S/agent-X/protected/a", `rm ${session}/protected/a`],
])("%s is the same path, spelled in another way", (text, moved) => {
  expect(move(text)).toBe(moved);
});

test.each([
  `${runner}Y/a`,
  `${runner}.old`,
  `${runner}-1`,
  `${runner}é`,
  `/mnt${runner}/a`,
  "/var/tmp/troupe/S/agent-Y",
  "agent-X",
  "a/agent-X",
])("%s is another path", (text) => {
  expect(move(text)).toBe(text);
});

test("what hooks get is moved in every text, and nothing else of it is", () => {
  const input = { file_path: `${runner}/a`, edits: [{ n: 1, at: [`${runner}/b`, null] }], all: true };
  expect(toSession(input, roots)).toEqual({
    ...{ file_path: `${session}/a`, all: true },
    edits: [{ n: 1, at: [`${session}/b`, null] }],
  });
});

test("an input that a hook has changed is moved back, and what it left is as it was", () => {
  const input = { file_path: "/var/tmp//troupe/S/agent-X/a", content: `of ${session}/x`, old: [1] };
  const shown = { file_path: `${session}/a`, content: `of ${session}/x`, old: [1] };
  expect(toSession(input, roots)).toEqual(shown);
  const changed = { ...shown, file_path: `${session}/other/a`, more: { at: `${session}/b` } };
  expect(restoreInput(changed, input, roots)).toEqual({
    ...{ file_path: `${runner}/other/a`, content: `of ${session}/x`, old: [1] },
    more: { at: `${runner}/b` },
  });
});

const piece = fc.constantFrom(
  ...[
    runner,
    session,
    "/",
    "..",
    ".",
    "a",
    "Y",
    " ",
    '"',
    "'",
    ":",
    "=",
    "\n",
    "*",
    "agent-X",
    "/var/tmp",
    "é",
  ],
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

test("moving back undoes moving: an input that a hook prints as it was is the same", () => {
  const { input } = fc.letrec((tie) => ({
    input: fc.oneof(
      { maxDepth: 3 },
      ...[text, fc.integer(), fc.constant(null), fc.array(tie("input"), { maxLength: 3 })],
      fc.dictionary(fc.string(), tie("input"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(input, (value) => {
      const given = { value };
      const shown = { value: toSession(value, roots) };
      expect(restoreInput(shown, given, roots)).toEqual(given);
    }),
  );
});

test("moving back undoes moving: a text with paths in its plain spelling, whatever is around them", () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9_é][a-zA-Z0-9_.é-]{0,8}$/);
  const path = fc.array(name, { maxLength: 4 }).map((names) => [runner, ...names].join("/"));
  const between = fc.constantFrom(" ", "\n", '" "', "' ", ";", " > ", ":", "=", ", ", ")(");
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.oneof(path, name), between)), (parts) => {
      const given = parts.flat().join("");
      const moved = move(given);
      expect(moved).not.toContain(`${runner}/`);
      expect(movePaths(moved, session, runner)).toBe(given);
    }),
  );
});

test("a large text that is made to be slow is not", () => {
  const start = performance.now();
  move(`/agent-X${"/agent-X/..".repeat(100_000)}`);
  move(`${runner}/..`.repeat(50_000));
  expect(performance.now() - start).toBeLessThan(2_000);
});
