/** Returns the parent directories, outer ones first. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** Maps names that some disks treat as equal to one string. */
export function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
