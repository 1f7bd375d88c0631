/** What a client may ask of one connection. */
export interface Http2Limits {
  /** Maximum number of concurrent streams on one connection. */
  readonly maxStreams: number;
  /**
   * Maximum decoded size of all headers of a request, each counted with 32 extra bytes; also the maximum size of a header block as sent.
   */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
}
