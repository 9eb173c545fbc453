/** Linux's numbers, by architecture. `keys`: add_key, request_key, keyctl; `mounts`: mount, umount2, pivot_root. */
const MACHINES = {
  x64: { audit: 0xc000003e, socket: 41, keys: [248, 249, 250], mounts: [165, 166, 155] },
  arm64: { audit: 0xc00000b7, socket: 198, keys: [217, 218, 219], mounts: [40, 39, 41] },
} as const;

/** The same everywhere. io_uring opens sockets past a filter. */
const IO_URING = [425, 426, 427];
/** open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr; the same everywhere. */
const MOUNTS = [428, 429, 430, 431, 432, 433, 442, 467];
/** INET, INET6, NETLINK: in a network namespace of its own they reach nothing else. */
const FAMILIES = [2, 10, 16];

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
/** Distances of the three results from the end of the program. */
const TO = { refuse: 3, allow: 2, kill: 1 } as const;
const RESULTS = [0x00050001, 0x7fff0000, 0x80000000];

type Step = readonly [code: number, value: number, yes?: keyof typeof TO | "next", no?: keyof typeof TO];

/**
 * Returns the seccomp filter of confined programs in the kernel's form; null for an architecture without one. It refuses
 * sockets (with `network`: but those of its own network), io_uring and kernel keys, and kills what makes system calls of
 * another architecture. Without `network` it refuses mounts, too: unless its user is root, a program can make a namespace
 * of users in which it has all rights.
 */
export function seccompFilter(arch: string, network: boolean): Uint8Array | null {
  if (arch !== "x64" && arch !== "arm64") return null;
  const { audit, socket, keys, mounts } = MACHINES[arch];
  const refused = [...IO_URING, ...keys, ...(network ? [] : [...MOUNTS, ...mounts])];
  const steps: readonly Step[] = [
    [LOAD, 4],
    [IF_EQUAL, audit, "next", "kill"],
    [LOAD, 0],
    // x32 looks like x64, except for this bit.
    [IF_AT_LEAST, 0x40000000, "kill"],
    ...refused.map((call): Step => [IF_EQUAL, call, "refuse"]),
    [IF_EQUAL, socket, "next", "allow"],
    [LOAD, 16],
    ...(network ? FAMILIES : []).map((family): Step => [IF_EQUAL, family, "allow"]),
    ...RESULTS.map((result): Step => [RETURN, result]),
  ];
  const view = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [at, [code, value, yes = "next", no = "next"]] of steps.entries()) {
    const jump = (to: keyof typeof TO | "next") => (to === "next" ? 0 : steps.length - TO[to] - at - 1);
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, jump(yes));
    view.setUint8(at * 8 + 3, jump(no));
    view.setUint32(at * 8 + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}
