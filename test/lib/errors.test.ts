import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCode, errorMessage, isMissing } from "../../src/lib/errors.ts";

test("takes the message of an error, and anything else as text", () => {
  expect(errorMessage(new Error("no room"))).toBe("no room");
  expect(errorMessage("no room")).toBe("no room");
  expect(errorMessage(undefined)).toBe("undefined");
});

test("reads the code of a system error only", () => {
  const thrown = (path: string): unknown => {
    try {
      return readFileSync(path);
    } catch (error) {
      return error;
    }
  };
  expect(errorCode(thrown("/no/such/file"))).toBe("ENOENT");
  expect(isMissing(thrown("/no/such/file"))).toBe(true);
  expect(isMissing(thrown(`${import.meta.filename}/inside`))).toBe(true);
  expect(isMissing(thrown(import.meta.dirname))).toBe(false);
  expect(errorCode(new DOMException("stopped", "AbortError"))).toBeUndefined();
  expect(errorCode("ENOENT")).toBeUndefined();
});
