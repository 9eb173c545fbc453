import { chmodSync, fstatSync, readdirSync, readFileSync, readSync, writeSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { namelessFiles } from "../../src/processes/nameless-files.ts";
import { onLinux } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

function open() {
  const files = namelessFiles();
  onTestFinished(() => files.close());
  return files;
}

test("gives a free file to the next one of its directory, empty and for this user only", onLinux, () => {
  const [files, here, there] = [open(), temporaryFolder(), temporaryFolder()];
  const first = files.take(here);
  writeSync(first, "text");
  chmodSync(`/proc/self/fd/${first}`, 0o444);
  files.release(first, true);
  const other = files.take(there);
  expect(other).not.toBe(first);
  expect(files.take(here)).toBe(first);
  expect(fstatSync(first)).toMatchObject({ size: 0, nlink: 0, mode: 0o100600 });
  expect([...readdirSync(here), ...readdirSync(there)]).toEqual([]);
  for (const descriptor of [first, other]) files.release(descriptor, false);
});

test("closes a file that others may have, and one that has grown large", () => {
  const [files, directory] = [open(), temporaryFolder()];
  const shared = files.take(directory);
  files.release(shared, false);
  expect(() => fstatSync(shared)).toThrow("EBADF");
  const large = files.take(directory);
  writeSync(large, Buffer.alloc(2_000_000));
  files.release(large, true);
  expect(() => fstatSync(large)).toThrow("EBADF");
});

test("opens the same bytes from their beginning each time", onLinux, () => {
  const [files, bytes] = [open(), new Uint8Array([1, 2, 3])];
  const directory = temporaryFolder();
  const opened = [bytes, new Uint8Array([4]), bytes].map((one) => files.open(one, directory));
  const read = opened.map((descriptor) => {
    const into = Buffer.alloc(8);
    return [...into.subarray(0, readSync(descriptor, into))];
  });
  expect(read).toEqual([[1, 2, 3], [4], [1, 2, 3]]);
  expect(readFileSync(`/proc/self/fd/${opened[0]}`)).toEqual(Buffer.from(bytes));
  for (const descriptor of opened) files.release(descriptor, false);
});
