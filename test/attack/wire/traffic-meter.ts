/** Counts the bytes on an attacker's connections, before TLS and in both directions. */
export class TrafficMeter {
  bytesSent = 0;
  bytesReceived = 0;
  connections = 0;
  /** Connections that could not be opened. */
  refused = 0;

  sent(bytes: number): void {
    this.bytesSent += bytes;
  }

  received(bytes: number): void {
    this.bytesReceived += bytes;
  }
}
