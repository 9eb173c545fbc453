import work from "../../src/actors/worker.ts";

// A machine so busy that a thread needs longer to load its file than anybody counts on it.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);

export default work;
