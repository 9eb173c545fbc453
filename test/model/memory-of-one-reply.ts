import { anthropicModel } from "../../src/model/anthropic.ts";
import { requestOf } from "./asking.ts";

/** Asks a server once, and tells how its process grew meanwhile. */
const model = anthropicModel({ baseURL: process.argv[2] ?? "" });
const before = process.resourceUsage().maxRSS;
const outcome = await model.ask(requestOf(), () => {}, new AbortController().signal);
const grownMiB = (process.resourceUsage().maxRSS - before) / 1024;
process.send?.({ outcome, grownMiB }, undefined, undefined, () => process.disconnect());
