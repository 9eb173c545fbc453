import { glob, grep, grepFiles, noFile, read, staged } from "../staged.ts";
import type { Case } from "./case.ts";

const listed = glob("src/**/*.ts", [
  "src/server.ts",
  "src/config.ts",
  "src/auth/login.ts",
  "src/cart/store.ts",
]);

/** Files that were cited and never read, by agents that have looked at something else. */
export const cited: readonly Case[] = [
  {
    name: "another file",
    seen: staged([read("src/config.ts")]),
    report: "The race is in `src/cart/queue.ts:44`.",
  },
  {
    name: "only its name was listed",
    seen: staged([listed]),
    report: "src/cart/store.ts:19 drops the lock before it writes.",
  },
  {
    name: "a search told only names",
    seen: staged([grepFiles("hash")]),
    report: "`src/auth/login.ts:12` compares in constant time.",
  },
  {
    name: "lines far behind what was read",
    seen: staged([read("src/auth/login.ts", 1, 6)]),
    report: "`src/auth/login.ts:140-152` logs the password.",
  },
  {
    name: "lines behind the end",
    seen: staged([read("src/cart/price.ts")]),
    report: "src/cart/price.ts:312 rounds down.",
  },
  {
    name: "it asked and was told there is none",
    seen: staged([noFile("src/auth/users.ts")]),
    report: "`src/auth/users.ts:20` looks users up by name.",
  },
  {
    name: "asked in vain, cited without a line",
    seen: staged([noFile("src/auth/users.ts")]),
    report: "The lookup is done by `src/auth/users.ts`, which caches for an hour.",
  },
  {
    name: "one true, one not",
    seen: staged([read("src/config.ts")]),
    report: "- `src/config.ts:7`: default port\n- `src/metrics.ts:15`: the port is exported",
  },
  {
    name: "a table, one row invented",
    seen: staged([read("src/routes.ts")]),
    report:
      "| Path | Line | What |\n|---|---|---|\n| src/routes.ts | 5 | cart |\n| src/admin/routes.ts | 18 | admin without login |",
  },
  {
    name: "Chinese, another file",
    seen: staged([read("src/config.ts")]),
    report: "`src/cart/lock.ts` 第 31 行没有释放锁。",
  },
  {
    name: "Chinese, claims to have read",
    seen: staged([listed]),
    report: "我仔细阅读了 `src/auth/login.ts`，逻辑正确。",
  },
  {
    name: "claims to have read",
    seen: staged([listed]),
    report: "I read `src/cart/store.ts` and it is thread-safe.",
  },
  {
    name: "a link",
    seen: staged([read("src/routes.ts")]),
    report: "Handled [here](src/http/router.ts#L20-L31).",
  },
  {
    name: "lines in words",
    seen: staged([read("src/routes.ts")]),
    report: "On line 210 of `src/orders/total.ts` the tax is added twice.",
  },
  {
    name: "an absolute path elsewhere",
    seen: staged([grep("port")]),
    report: "/etc/shop/override.yaml:3 wins over it.",
  },
  {
    name: "a search that found nothing",
    seen: staged([grep("kafka")]),
    report: "Events go to Kafka in `src/events/kafka.ts:12`.",
  },
  {
    name: "bare names",
    seen: staged([read("src/server.ts")]),
    report: "Retries live in backoff.ts:9 and circuit.ts:40.",
  },
  {
    name: "prose without marks",
    seen: staged([read("src/server.ts")]),
    report: "The limiter in src/middleware/limiter.ts counts per address.",
  },
  {
    name: "same name, another folder",
    seen: staged([read("src/cart/handlers.ts")]),
    report: "src/billing/handlers.ts:13 has the same TODO.",
  },
  {
    name: "in a block of findings",
    seen: staged([read("src/config.ts")]),
    report: "Findings:\n\n```\nsrc/session/sign.ts:8: unsigned cookie\n```",
  },
  {
    name: "after a true quote",
    seen: staged([read("src/config.ts")]),
    report: "The port is 8080 (src/config.ts:7), and `src/cart/store.ts:12` keeps carts in memory.",
  },
  {
    name: "in brackets",
    seen: staged([read("src/config.ts")]),
    report: "Carts are lost at a restart (src/cart/store.ts:12).",
  },
  {
    name: "several lines of one file",
    seen: staged([read("src/config.ts")]),
    report: "See src/auth/login.ts:3, src/auth/login.ts:9 and src/auth/login.ts:14.",
  },
  {
    name: "a range in words",
    seen: staged([read("src/config.ts")]),
    report: "Lines 10 to 20 of src/auth/login.ts log the password.",
  },
  {
    name: "in a numbered list",
    seen: staged([read("src/config.ts")]),
    report: "1. src/auth/login.ts:9 logs the password.\n2. It is called twice.",
  },
  {
    name: "as a heading",
    seen: staged([read("src/config.ts")]),
    report: "## src/auth/login.ts:9\n\nThe password is logged.",
  },
  {
    name: "in bold",
    seen: staged([read("src/config.ts")]),
    report: "**src/auth/login.ts:9** logs the password.",
  },
  {
    name: "with a column",
    seen: staged([read("src/config.ts")]),
    report: "src/auth/login.ts:9:5 logs the password.",
  },
  {
    name: "after a dash",
    seen: staged([read("src/config.ts")]),
    report: "The password is logged — src/auth/login.ts:9.",
  },
  {
    name: "with a range of GitHub",
    seen: staged([read("src/config.ts")]),
    report: "The password is logged in src/auth/login.ts#L9-L12.",
  },
  {
    name: "in a quotation",
    seen: staged([read("src/config.ts")]),
    report: "> src/auth/login.ts:9 logs the password",
  },
  {
    name: "at the end of a long sentence",
    seen: staged([read("src/config.ts")]),
    report:
      "After a login the session is written, the cookie is set, and the password is logged at src/auth/login.ts:9.",
  },
  {
    name: "after a question",
    seen: staged([read("src/config.ts")]),
    report: "Is it safe? No: src/auth/login.ts:9 logs the password.",
  },
  {
    name: "an extension of another language",
    seen: staged([read("src/config.ts")]),
    report: "The key is in infra/keys.tf:4.",
  },
  {
    name: "says that it went through a file",
    seen: staged([read("src/config.ts")]),
    report: "I went through src/auth/login.ts and found nothing.",
  },
];
