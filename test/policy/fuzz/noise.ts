/**
 * What programs open by themselves, whatever they are told: libraries, locales, time zones, terminal descriptions,
 * names of users, the kernel's own files, and git's configuration. A path that the line itself names is never noise.
 */
const SYSTEM = [
  /^\/(?:usr|bin|sbin|lib|lib32|lib64)\//,
  /^\/etc\/(?:ld\.so\.\w+|locale\.alias|localtime|timezone|nsswitch\.conf|passwd|group|host\.conf|hosts|resolv\.conf)$/,
  /^\/etc\/(?:gai\.conf|magic(?:\.mime)?|gitconfig|terminfo|inputrc|ssl|services|protocols|networks)(?:\/|$)/,
  /^\/(?:proc|sys)(?:\/|$)/,
  /^\/dev\/(?:null|zero|full|tty|urandom|random|fd|pts\/\w+)$/,
  // What large inputs are kept in; /tmp is empty when the lines begin.
  /^\/tmp\/(?:tac|sort|sh-thd)[.\w]*$/,
  /^\/run\/utmp$|^\/var\/run\/utmp$/,
  /^(?:pipe|socket|anon_inode):/,
];
/** Below the home. */
const HOME = /^(?:\.gitconfig|\.config\/git\/.*|\.terminfo(?:\/.*)?|\.magic(?:\.mgc)?)$/;

/** True if a program reads this by itself, and not because of the line. */
export function isNoise(path: string, home: string, line: string): boolean {
  if (path.startsWith(`${home}/`)) return HOME.test(path.slice(home.length + 1));
  return SYSTEM.some((one) => one.test(path)) && !(path.startsWith("/etc/") && line.includes(path));
}

/** `git status` and `git diff` write what they saw of the files' dates into the index. */
export function isIndexRefresh(program: string, path: string): boolean {
  return program.endsWith("/git") && /\/\.git\/index(?:\.lock)?$/.test(path);
}
