import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Judgement, Rule } from "../policy/rules.ts";
import type { Engine } from "./gate.ts";

/** Stands in until the permission engine is there. */
export function interimEngine(rules: readonly Rule[], folders: readonly string[]): Engine {
  const inside = (path: string) => {
    let real = path;
    try {
      real = realpathSync(path);
    } catch {}
    return folders.some((folder) => real === folder || real.startsWith(folder + sep));
  };
  return {
    judge(mode, cwd, tool, input): Judgement {
      const none = { parts: [], grants: [tool] };
      const of = (behaviour: Rule["behaviour"]) =>
        rules.find((rule) => rule.behaviour === behaviour && rule.text.replace(/\(.*/, "") === tool);
      const deny = of("deny");
      if (deny) return { decision: "deny", reason: `rule ${deny.text}`, rule: deny, ...none };
      if (mode === "bypassPermissions") return { decision: "allow", reason: "mode", ...none };
      const allow = of("allow");
      if (allow) return { decision: "allow", reason: `rule ${allow.text}`, rule: allow, ...none };
      const record = typeof input === "object" && input !== null ? input : {};
      const path: unknown =
        Reflect.get(record, "file_path") ??
        Reflect.get(record, "path") ??
        Reflect.get(record, "notebook_path") ??
        cwd;
      const at = inside(resolve(cwd, String(path)));
      const ask = { decision: "ask", reason: "nobody allowed it", ...none } as const;
      if (["Read", "Glob", "Grep"].includes(tool))
        return at ? { decision: "allow", reason: "reads", ...none } : ask;
      if (["Edit", "Write", "NotebookEdit"].includes(tool))
        return at && mode === "acceptEdits" ? { decision: "allow", reason: "mode", ...none } : ask;
      if (tool === "Bash")
        return mode === "acceptEdits" ? { decision: "allow", reason: "mode", ...none } : ask;
      return {
        decision: /^(Task|Todo|Agent|Monitor|AskUser|EnterPlan|ExitPlan)/.test(tool) ? "allow" : "ask",
        reason: "mode",
        ...none,
      };
    },
  };
}
