/** How long clients may keep the server waiting, in milliseconds. */
export interface ClientTimeouts {
  /** Without taking any of the data waiting for them (`--answer-stall-timeout`); 0 means forever. */
  readonly stallMs: number;
  /** Without sending anything while HTTP/2 streams or a WebSocket are open; after this they are pinged. */
  readonly silenceMs: number;
  /** For the answer to a ping, or any other bytes. */
  readonly pingMs: number;
}

/**
 * The last is client-go's timeout for servers (apimachinery util/net/http.go pingTimeoutSeconds). Its other one, 30 s, is also a usual idle limit of
 * proxies, which a ping has to precede.
 */
export const DEFAULT_CLIENT_TIMEOUTS: ClientTimeouts = { stallMs: 10_000, silenceMs: 20_000, pingMs: 15_000 };
