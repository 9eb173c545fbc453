import { bindTool, type SealedTool } from "../bind-tool.ts";
import type { WebService } from "./desk.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";

/** The tools for the web; they run on the session's side, which caches pages. */
export function webTools(service: WebService): readonly SealedTool[] {
  return [
    bindTool(webFetchTool(service)),
    ...(service.search === null ? [] : [bindTool(webSearchTool(service.search))]),
  ];
}
