import type { AuditLog } from './log-backend.js';

/** Writes events to stdout (`--audit-log-path=-`). */
export class StandardOutput implements AuditLog {
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    // stdout belongs to the process and stays open.
  }
}
