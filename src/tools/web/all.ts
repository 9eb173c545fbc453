import { bindTool, type SealedTool } from "../bind-tool.ts";
import type { WebDesk } from "./desk.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";

/** The tools for the web; they run where pages are kept. */
export function webTools(desk: WebDesk): readonly SealedTool[] {
  return [
    bindTool(webFetchTool(desk)),
    ...(desk.search === null ? [] : [bindTool(webSearchTool(desk.search))]),
  ];
}
