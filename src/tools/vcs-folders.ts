/** Stores of version control: never searched, because what is in them is not the project's text (A10.6). */
export const VCS_FOLDERS = [".git", ".hg", ".svn", ".jj"] as const;
