/** How long clients may keep the server waiting, in milliseconds. */
export interface Patience {
  /** Without taking anything of what waits to be sent to them (`--answer-stall-timeout`); 0: for ever. */
  readonly stallMs: number;
  /** Without sending anything while streams of HTTP/2, or a WebSocket, are open; then they are pinged. */
  readonly silenceMs: number;
  /** For the answer to a ping, or anything else. */
  readonly pingMs: number;
}

/** The last two are client-go's for servers (apimachinery util/net/http.go readIdleTimeoutSeconds, pingTimeoutSeconds). */
export const DEFAULT_PATIENCE: Patience = { stallMs: 10_000, silenceMs: 30_000, pingMs: 15_000 };
