import { parentPort } from "node:worker_threads";
import * as Comlink from "comlink";
import { endpointOf } from "./endpoint.ts";
import { readPage } from "./read-page.ts";

/** The thread that parses pages: a page can harm only this thread. */
const pages = { read: readPage };
export type PageThread = typeof pages;

if (parentPort) Comlink.expose(pages, endpointOf(parentPort));
