import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "../src/policy/engine/engine.ts";
import type { Rule } from "../src/settings/permissions.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median, p95 } from "./samples.ts";

const TEN_PARTS = [
  "npm test && git status && git diff --stat && grep -rn 'x' src | head -20",
  "LANG=C sort a.txt | uniq -c | wc -l",
  "node tool1.js --all && echo done",
].join("; ");

/** What one decision costs, with the rules read beforehand. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const project = mkdtempSync(join(tmpdir(), "troupe-bench-policy-"));
  try {
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src", "a.ts"), "");
    const engine = engineOf(twoHundredRules(), { projectRoot: project, home: "/home/me", platform: "linux" });
    const rounds = quick ? 2000 : 20_000;
    const calls = {
      "decision for Read": { tool: "Read", input: { file_path: "src/a.ts" }, limit: 50 },
      "decision for Edit of a new file": { tool: "Edit", input: { file_path: "src/b.ts" }, limit: 50 },
      "decision for a command of ten parts": { tool: "Bash", input: { command: TEN_PARTS }, limit: 300 },
    };
    return Object.entries(calls).map(([name, { tool, input, limit }]): BenchResult => {
      const samples = Array.from({ length: rounds }, () => {
        const start = performance.now();
        engine.judge("acceptEdits", project, tool, input);
        return (performance.now() - start) * 1000;
      });
      const note = `${p95(samples)}; 200 rules`;
      return { name, unit: "µs", ours: median(samples), floor: null, target: atMost(limit), note };
    });
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

function twoHundredRules(): Rule[] {
  const texts = (count: number, text: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => text(at));
  const allow = [
    ...texts(80, (at) => `Bash(node tool${at}.js:*)`),
    "Bash(npm test:*)",
    ...texts(19, (at) => `Read(~/ref${at}/**)`),
  ];
  const ask = texts(20, (at) => `Bash(git push origin branch${at}*)`);
  const deny = [...texts(50, (at) => `Bash(danger${at}:*)`), ...texts(30, (at) => `Read(secrets${at}/**)`)];
  const rules = { allow, ask, deny };
  return (["allow", "ask", "deny"] as const).flatMap((behaviour) =>
    rules[behaviour].map((text): Rule => ({ text, behaviour, scope: "project" })),
  );
}
