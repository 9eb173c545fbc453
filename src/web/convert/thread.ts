import { parentPort } from "node:worker_threads";
import * as Comlink from "comlink";
import { endpointOf } from "./endpoint.ts";
import { readPage } from "./read-page.ts";

/** What the thread that makes text of pages does: what a page does to a parser, it does there. */
const pages = { read: readPage };
export type Pages = typeof pages;

if (parentPort) Comlink.expose(pages, endpointOf(parentPort));
