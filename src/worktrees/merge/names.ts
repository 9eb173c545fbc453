/** Outer ones first. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** Names that some disks take for the same. */
export function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
