/** Whether a rule's path covers a path: equal, or a prefix that ends in `*`. */
export function pathCovers(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}
