import { type SealedTool, seal } from "../sealed.ts";
import type { WebDesk } from "./desk.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";

/** The tools for the web; they run where pages are kept. */
export function webTools(desk: WebDesk): readonly SealedTool[] {
  return [seal(webFetchTool(desk)), ...(desk.search === null ? [] : [seal(webSearchTool(desk.search))])];
}
