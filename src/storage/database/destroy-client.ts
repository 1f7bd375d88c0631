import type pg from 'pg';

/** Ends a connection without a farewell, because the other side may not answer any more. What is under way on it rejects. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
