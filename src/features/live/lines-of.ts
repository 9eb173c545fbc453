import { StringDecoder } from "node:string_decoder";

/** No session says more on one line; whoever does is not one. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;

/** Whole lines out of pieces as they come; null once a line is too long to be one. */
export function lineReader(): (bytes: Buffer) => string[] | null {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (bytes) => {
    const parts = (rest + decoder.write(bytes)).split("\n");
    rest = parts.pop() ?? "";
    return rest.length > MAX_LINE_CHARS ? null : parts;
  };
}
