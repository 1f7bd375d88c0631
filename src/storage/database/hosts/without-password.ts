/** A database URL or `host=...`, without its password, to be shown; any other text is unchanged. */
export function withoutPassword(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return url.replaceAll(/\bpassword\s*=\s*('(\\.|[^'\\])*'|(\\.|[^\s\\])*)\s*/gs, '').trimEnd();
  return url
    .replace(/^(\w+:\/\/[^:/?#@]*):[^?]*@/, '$1@')
    .replaceAll(/([?&])password=[^&]*&?/g, '$1')
    .replace(/[?&]$/, '');
}
