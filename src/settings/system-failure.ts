/** What to do about errors of the operating system that concern files, by their codes. */
const REMEDIES: ReadonlyMap<string, () => string> = new Map([
  ['EACCES', permission],
  ['EPERM', permission],
  ['EROFS', () => 'its file system is read-only: mount it to be written, or name another place'],
  ['ENOSPC', () => 'its disk is full: free some space, or name another place'],
  ['EDQUOT', () => 'the quota of its disk is used up: free some space, or name another place'],
]);

/** The message of an error, which has the path if a file is concerned, with what to do about it. */
export function systemFailure(error: unknown): string {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES.get(code)?.();
  return remedy === undefined ? message : `${message}: ${remedy}`;
}

/** Whether an error says that a file could not be read or written, and not a connection. */
export function isFileFailure(error: unknown): boolean {
  const { code, path, syscall = '' } = error as NodeJS.ErrnoException;
  const isOfConnection = syscall === 'connect' || (path !== undefined && path.includes('.s.PGSQL.'));
  return !isOfConnection && (REMEDIES.has(code ?? '') || ['EIO', 'EFBIG', 'EISDIR'].includes(code ?? ''));
}

function permission(): string {
  return `the user ${process.getuid?.() ?? 'of this program'} may not: give it the right, or run this as another user`;
}
