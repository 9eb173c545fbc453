import { stripTypeScriptTypes } from "node:module";
import { MAX_SCRIPT_CHARS } from "../../tools/workflow.ts";

/**
 * Returns the script as the function that its engine runs, with its lines where they were; types are taken out. Throws a sentence
 * for what no script may be. Scripts are JavaScript or TypeScript with a top-level `await` and `return`; the one thing that
 * they may export is `meta`.
 */
export function functionOf(name: string, source: string): string {
  if (source.length > MAX_SCRIPT_CHARS)
    throw new Error(`${name} has ${source.length} characters, and a script may have ${MAX_SCRIPT_CHARS}.`);
  if (/^\s*import\s[^(]*['"]/m.test(source))
    throw new Error(
      `${name} imports something; a script has only agent, parallel, pipeline, phase, log, budget and args.`,
    );
  const body = source.replace(/^([ \t]*)export(\s+const\s+meta\b[^=]*=)/m, "$1$2 globalThis.__meta =");
  if (/^\s*export\s/m.test(body))
    throw new Error(`${name} exports something; a script may export nothing but meta.`);
  const whole = `(async () => { "use strict"; ${body}\n})`;
  try {
    return stripTypeScriptTypes(whole);
  } catch (error) {
    throw new Error(`${name} cannot be read: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error))
    .split("\n")
    .map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("×")) ?? lines[0] ?? "a syntax error";
}

/**
 * What a script finds in its engine, as source text that runs there before it: a function of the host's `post` and of the run's
 * data as JSON. It returns how the host answers (`deliver`) and begins. The script gets no object of the host.
 */
export const SCRIPT_GLOBALS = String.raw`(post, json) => {
  "use strict";
  const { stringify, parse } = JSON;
  const { args, startedAt, seed, budget: total } = parse(json);
  const waiting = new Map();
  let asked = 0;
  let current;
  let spent = 0;

  const send = (message) => post(stringify(message));
  const describe = (error) => (error instanceof Error ? error.name + ": " + error.message : String(error));
  const log = (...words) => send({ type: "log", text: words.map((word) => (typeof word === "string" ? word : stringify(word) ?? String(word))).join(" ") });

  async function agent(prompt, options = {}) {
    const id = ++asked;
    const given = current === undefined ? options : { phase: current, ...options };
    send({ type: "agent", id, prompt, options: given });
    const { value, tokens } = await new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    spent += tokens;
    return value;
  }

  /** A failed entry is null, as a failed agent is. */
  const orNull = async (work) => {
    try {
      return await work();
    } catch (error) {
      log(describe(error));
      return null;
    }
  };
  const parallel = (tasks) => Promise.all(Array.from(tasks, (task) => orNull(() => (typeof task === "function" ? task() : task))));
  const pipeline = (items, ...stages) =>
    Promise.all(
      Array.from(items, (item, index) =>
        orNull(async () => {
          let value = item;
          for (const stage of stages) {
            value = await stage(value, item, index);
            if (value === null || value === undefined) return null;
          }
          return value;
        }),
      ),
    );

  let state = seed >>> 0;
  /** Mulberry32. */
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  const EngineDate = Date;
  function ScriptDate(...parts) {
    if (new.target === undefined) return new EngineDate(startedAt).toString();
    return Reflect.construct(EngineDate, parts.length === 0 ? [startedAt] : parts, new.target);
  }
  for (const name of ["parse", "UTC"]) ScriptDate[name] = EngineDate[name];
  ScriptDate.now = () => startedAt;
  ScriptDate.prototype = EngineDate.prototype;
  ScriptDate.prototype.constructor = ScriptDate;

  const budget = Object.freeze({
    total,
    spent: () => spent,
    remaining: () => (total === null ? Infinity : Math.max(0, total - spent)),
  });
  const console = Object.freeze({ log, info: log, warn: log, error: log, debug: log });
  const phase = (title) => {
    current = String(title);
    send({ type: "phase", title: current });
  };
  Object.assign(globalThis, { agent, parallel, pipeline, phase, log, budget, console, args, Date: ScriptDate });
  Object.defineProperty(globalThis, "__meta", {
    set: (meta) => send({ type: "meta", meta }),
  });
  for (const name of ["performance", "WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "navigator"]) delete globalThis[name];

  return {
    deliver(text) {
      const { id, error, ...answer } = parse(text);
      const one = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) one.resolve(answer);
      else one.reject(new Error(error));
    },
    async begin(main) {
      try {
        const value = await main();
        if (typeof value === "function" || typeof value === "symbol") throw new Error("A script returns data, not a " + typeof value + ".");
        send({ type: "returned", value: value === undefined ? null : value });
      } catch (error) {
        const at = /:(\d+):\d+\)?$/m.exec(error instanceof Error ? error.stack ?? "" : "");
        send({ type: "threw", message: (at ? "line " + at[1] + ": " : "") + describe(error) });
      }
    },
  };
}`;
