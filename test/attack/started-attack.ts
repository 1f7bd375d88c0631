import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { AttackerReport, AttackerTask } from './attacker-report.js';
import { forkScript, killChild } from './child-processes.js';

const NOTHING: AttackerReport = { bytesSent: 0, bytesReceived: 0, connections: 0, refused: 0, notes: {}, isLast: false };

/** An attack running in a child process. */
export class StartedAttack {
  report = NOTHING;
  /** Resolves when the attack's time is over or its process has ended. */
  readonly finished: Promise<void>;
  readonly #child: ChildProcess;

  constructor(readonly task: AttackerTask) {
    this.#child = forkScript('attacker-process.ts', [JSON.stringify(task)]);
    this.finished = new Promise((resolve) => {
      this.#child.on('message', (report: AttackerReport) => {
        this.report = report;
        if (report.isLast) resolve();
      });
      void once(this.#child, 'exit').then(() => resolve());
    });
  }

  /** Why it could not run; undefined if there is no error. */
  get failure(): string | undefined {
    const { exitCode } = this.#child;
    return exitCode === null || exitCode === 0 ? undefined : `the attacker's process ended with code ${exitCode}`;
  }

  /** Ends the process, and with it its connections. */
  stop(): Promise<void> {
    return killChild(this.#child);
  }
}
