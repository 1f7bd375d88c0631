/** Whether Accept-Encoding lists `gzip`. Like upstream, this ignores qualities. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const value = Array.isArray(header) ? header[0] : header;
  return value !== undefined && value.split(',').some((token) => token.trim() === 'gzip');
}
