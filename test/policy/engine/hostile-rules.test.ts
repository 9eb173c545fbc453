import { expect, test } from "vitest";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import type { Rule } from "../../../src/settings/permissions.ts";

const anchors = { projectRoot: "/p", home: "/home/me", platform: "linux" } as const;
const deny = (text: string): Rule => ({ text, behaviour: "deny", scope: "project" });

// Rules that deny count before a folder is trusted, so a repository's must not be able to hold up the program.
// A hanging test is ended by its time limit; what is asserted is what the rules come to.
test("rules of many braces are named as a problem and cost next to nothing", () => {
  const engine = engineOf([deny(`Read(${"{a,b}".repeat(40)})`), deny("Read(b)")], anchors);
  expect(engine.problems.join("\n")).toContain("{a,b}");
  expect(engine.judge("default", "/p", "Read", { file_path: "b" }).decision).toBe("deny");
  expect(engine.judge("default", "/p", "Read", { file_path: "c" }).decision).toBe("allow");
});

test("rules of many wildcards match as they would with few, however long the command or the path", () => {
  const many = `Bash(${"a*".repeat(30)}b)`;
  const engine = engineOf(
    [deny(many), deny(`Read(${"**/a*".repeat(20)}/b)`), deny(`Read(${"*a".repeat(40)}z)`)],
    anchors,
  );
  const judge = (command: string) => engine.judge("default", "/p", "Bash", { command }).decision;
  expect(judge(`${"a".repeat(9_000)}b`)).toBe("deny");
  expect(judge(`echo ${"a".repeat(9_000)}c`)).toBe("allow");
  const path = Array.from({ length: 60 }, () => "a".repeat(60)).join("/");
  expect(engine.judge("default", "/p", "Read", { file_path: `${path}/c` }).decision).toBe("allow");
  expect(engine.judge("default", "/p", "Read", { file_path: `${path}/b` }).decision).toBe("deny");
  const long = engineOf([deny(`Read(${"a".repeat(400)}c)`)], anchors);
  const cat = `cat ${"*a".repeat(300)}b`;
  expect(long.judge("default", "/p", "Bash", { command: cat }).decision).toBe("allow");
});
