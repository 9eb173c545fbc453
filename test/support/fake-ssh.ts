import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needRunnerTrees } from "./runner-trees.ts";
import { temporaryFolder } from "./temporary.ts";

const SOURCES = join(import.meta.dirname, "../../src/cli/run-sources.ts");

/** A `ssh` that runs the command here, and a `troupe` that it finds. */
export function fakeMachine() {
  needRunnerTrees();
  const dir = temporaryFolder();
  const home = temporaryFolder();
  mkdirSync(join(dir, "bin"));
  const programs = {
    ssh: `while [ "$1" != -- ]; do shift; done; echo "$2" > ${dir}/host; export PATH=${dir}/bin:$PATH HOME=${home}; exec sh -c "$3"`,
    troupe: `echo $$ > ${dir}/pid; exec ${process.execPath} ${SOURCES} "$@"`,
  };
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(dir, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { PATH: `${join(dir, "bin")}:${process.env["PATH"]}`, HOME: home };
  return { dir, env };
}
