import { staged } from "../staged.ts";
import type { Case } from "./case.ts";

/** Reports of agents that called nothing at all. */
const reports: Readonly<Record<string, string>> = {
  "a confident review": "I reviewed the whole code base. `src/payment/gateway.ts:88` leaks the key.",
  "tests claimed": "I ran `npm test` and all 214 tests pass.",
  "no place at all": "The code is clean, well structured and has no bugs.",
  "a table": "| File | Line |\n|---|---|\n| src/db/pool.ts | 41 |\n| src/db/migrate.ts | 9 |",
  Chinese: "我阅读了 `src/支付/网关.ts`，第 12 行存在注入漏洞。",
  "Chinese, tests": "已运行 `pnpm test`，全部通过。",
  "a block of code":
    "`src/core/engine.ts:120` reads:\n\n```ts\nexport class Engine extends Base { start() { return boot(this.options); } }\n```",
  "numbers alone": "Coverage is 87 %, the bundle has 1.2 MB, and 3 tests are flaky.",
  "an empty promise": "Done. Everything you asked for is implemented and verified.",
  "a listing":
    "The project has these modules:\n- src/api/index.ts\n- src/api/users.ts\n- src/workers/mailer.ts",
  "a summary of edits": "I changed `lib/parser.rb:33` and added tests; the suite is green.",
  "a link": "See [the bug](src/http/retry.ts#L55).",
  "an absolute path": "/srv/app/internal/cache/lru.go:77 holds the lock too long.",
  "a trace": 'File "app/models/order.py", line 210, in save: the total is rounded twice.',
  polite: "I have carefully examined the configuration and found it to be correct in every respect.",
};

export const untouched: readonly Case[] = Object.entries(reports).map(([name, report]) => ({
  name,
  seen: staged([]),
  report,
}));
