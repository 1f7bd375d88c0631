/** A fault put into the program, to check that the simulation finds it. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly fragment: string;
  readonly replacement: string;
  /** The histories that are searched; default: those of storage for its files, and of elections for all others. */
  readonly kind?: 'elections' | 'storage';
}

const storage = (file: string) => `src/storage/${file}`;

const FEED: readonly Mutation[] = [
  {
    name: 'the feed begins one change too late',
    file: storage('postgres/log/revision-log.repository.ts'),
    fragment: 'const values = [after, this.#context.segments.segmentOf(after)',
    replacement: 'const values = [after + 1, this.#context.segments.segmentOf(after)',
  },
  {
    name: 'the feed takes a page for all there is',
    file: storage('postgres/log/revision-log.repository.ts'),
    fragment: 'const last = this.#isWholePage(changes) ? changes.at(-1)?.revision : undefined;',
    replacement: 'const last = undefined;',
  },
  {
    name: 'an answer is taken from whichever place',
    file: storage('postgres/lineage/lineage.ts'),
    fragment: 'return mark.at_home && mark.lineage === this.#known?.lineage;',
    replacement: 'return true;',
  },
  {
    name: 'no lineage begins where a database goes back',
    file: storage('postgres/lineage/lineage.repository.ts'),
    fragment: 'if (continuous || told) return database.atHome ? { continuous } : { continuous, beginAfter: database.value };',
    replacement: 'return { continuous };',
  },
  {
    name: 'a lineage begins where the counter stands',
    file: storage('postgres/lineage/lineage.repository.ts'),
    fragment: 'when clock.now > value then clock.now',
    replacement: 'when clock.now > value then value',
  },
  {
    name: 'the place of the counter is not looked at',
    file: storage('postgres/lineage/lineage-mark.ts'),
    fragment:
      '`(${alias}.server_started = pg_postmaster_start_time() and ${alias}.counter_file = pg_relation_filepath(${alias}.tableoid))`',
    replacement: '`(${alias}.server_started is not null)`',
  },
  {
    name: 'segments that are too new are read',
    file: storage('postgres/lineage/lineage-mark.ts'),
    fragment: 'this.#starts.findLast(({ start }) => start <= revision)?.segment ?? 0',
    replacement: 'this.#starts.at(-1)?.segment ?? 0',
  },
  {
    name: 'a snapshot claims more history than it has',
    file: storage('postgres/read/snapshot-reader.ts'),
    fragment: 'return { after: Math.max(after, upTo), pages',
    replacement: 'return { after, pages',
  },
  {
    name: 'pages of a history overlap',
    file: storage('postgres/read/snapshot-reader.ts'),
    fragment: 'upTo = oldest.revision - 1;',
    replacement: 'upTo = oldest.revision - 2;',
  },
];

const WRITES: readonly Mutation[] = [
  {
    name: 'an update does not compare the state that it replaces',
    file: storage('postgres/write/batch-statement.ts'),
    fragment: "where op.kind = 'M' and o.resource = op.resource and o.path = op.path and o.revision = op.expected and ${IN_TIME}",
    replacement: "where op.kind = 'M' and o.resource = op.resource and o.path = op.path and ${IN_TIME}",
  },
  {
    name: 'a creation does not look whether its namespace ends',
    file: storage('postgres/write/batch-statement.ts'),
    fragment: ' and not n.terminating',
    replacement: '',
  },
  {
    name: 'terms are recorded of writes that were refused',
    file: storage('postgres/terms/term-writer.ts'),
    fragment: 'join changed on changed.revision =',
    replacement: 'left join changed on changed.revision =',
    kind: 'elections',
  },
  {
    name: 'a release is recorded as nothing',
    file: storage('postgres/terms/term-writer.ts'),
    fragment: 'batch.every(({ sequel }) => sequel === undefined)',
    replacement: 'batch.every(({ sequel }) => !(sequel as TermChange | undefined)?.begun)',
    kind: 'elections',
  },
  {
    name: 'the revisions of terms are given out twice',
    file: storage('postgres/write/batch-statement.ts'),
    fragment: 'return { statement: sequels.statement, values, revisions: batch.length + changes.revisions };',
    replacement: 'return { statement: sequels.statement, values, revisions: batch.length };',
    kind: 'elections',
  },
  {
    name: 'a batch is committed whatever the lineage',
    file: storage('postgres/write/batch-statement.ts'),
    fragment: "where segment = $2::integer and lineage = $16::bigint and ${atHome('c')}",
    replacement: 'where segment = $2::integer',
  },
  {
    name: 'the first state before a change is not written down after a rotation',
    file: storage('postgres/write/batch-statement.ts'),
    fragment: 'current.revision <= segmentStart',
    replacement: 'current.revision < 0',
  },
  {
    name: 'the wrong write of a batch is said to be refused',
    file: storage('postgres/write/commit-queue.ts'),
    fragment: 'if (!applied(i + 1)) return refused.push(write);',
    replacement: 'if (!applied(batch.length - i)) return refused.push(write);',
  },
  {
    name: 'a write is answered with the revision before its own',
    file: storage('postgres/write/commit-queue.ts'),
    fragment: 'const object = stateAfter(write, base + i + 1);',
    replacement: 'const object = stateAfter(write, base + i);',
  },
  {
    name: 'a batch whose answer is lost is said to have failed',
    file: storage('postgres/write/batch-sender.ts'),
    fragment: 'if (isUnclear(error)) {',
    replacement: 'if (isUnclear(error) && isReadOnly(error)) {',
  },
  {
    name: 'a batch whose answer is lost is not looked for',
    file: storage('postgres/write/unsettled-writes.ts'),
    fragment: 'if (found.applied !== null) return write.resolve(stateAfter(write, found.applied));',
    replacement: '',
  },
  {
    name: 'a creation whose answer is lost is taken to have been refused',
    file: storage('postgres/write/unsettled-writes.ts'),
    fragment: "if (write.kind === 'A') return write.reject(unknownOutcome(write));",
    replacement: '',
  },
  {
    name: 'a batch is looked for without its token',
    file: storage('postgres/write/unsettled-writes.ts'),
    fragment: "\n          .onRef('l.token', '=', 'op.token')",
    replacement: '',
  },
  {
    name: 'a batch without a write is sent',
    file: storage('postgres/write/commit-queue.ts'),
    fragment: 'if (batch.length === 0) return;',
    replacement: '',
  },
];

const CACHE: readonly Mutation[] = [
  {
    name: 'a watch begins one change too late',
    file: storage('watch-cache/cached-store.ts'),
    fragment: 'Number(options.after ?? this.#cache.revision)',
    replacement: 'Number(options.after ?? this.#cache.revision) + 1',
  },
  {
    name: 'a watch below the window is not answered 410',
    file: storage('watch-cache/watchers/cache-watcher.ts'),
    fragment: 'if (this.#position < cache.history.oldest) return this.fail(compactedError(this.#position, cache.history.oldest));',
    replacement: '',
  },
  {
    name: 'a watch that begins with pages gets changes of what it does not have yet',
    kind: 'elections',
    file: storage('watch-cache/watchers/cache-watcher.ts'),
    fragment: 'comparePaths(objectPath(key), this.#covered) <= 0',
    replacement: 'objectPath(key) !== undefined',
  },
  {
    name: 'a watch that begins with pages misses what changes between them',
    kind: 'elections',
    file: storage('watch-cache/watchers/cache-watcher.ts'),
    fragment: 'if (page && page.revision <= this.#position) this.#handInitial(page);',
    replacement: 'if (page && page.revision <= (this.#position = page.revision)) this.#handInitial(page);',
  },
  {
    name: 'a watch in a gap is not answered 410',
    file: storage('watch-cache/watchers/cache-watcher.ts'),
    fragment: 'if (gap) return this.fail(compactedError(this.#position, gap.began));',
    replacement: '',
  },
  {
    name: 'watches live on when what they have seen is lost',
    file: storage('watch-cache/cached-store.ts'),
    fragment: 'if (gap) watcher.fail(compactedError(watcher.revision, gap.began));',
    replacement: '',
  },
  {
    name: 'a watch that goes live is handed what it has had',
    file: storage('watch-cache/watchers/cache-watcher.ts'),
    fragment: "if (this.#state !== 'live' || event.revision <= this.#position) return;",
    replacement: "if (this.#state !== 'live') return;",
  },
  {
    name: 'the barrier lets those pass who come while it is read',
    file: storage('watch-cache/follow/change-follower.ts'),
    fragment: 'const gates = this.#barrier.take();\n    try {\n      await this.#read();',
    replacement: 'const gates = this.#barrier.take();\n    try {\n      await this.#read();\n      gates.push(...this.#barrier.take());',
  },
  {
    name: 'the barrier opens when a read fails',
    file: storage('watch-cache/follow/change-follower.ts'),
    fragment: 'readFailed?.(error);\n      this.#barrier.giveBack(gates, error);',
    replacement: 'readFailed?.(error);\n      for (const gate of gates) gate.open();',
  },
  {
    name: 'own batches that are lost while changes are read stay',
    file: storage('watch-cache/follow/change-follower.ts'),
    fragment: 'if (changes.gaps?.has(this.#target.revision)) break;',
    replacement: '',
  },
  {
    name: 'own batches are applied over those of others',
    file: storage('watch-cache/follow/change-follower.ts'),
    fragment: 'if (changes.after === revision && !this.#loading)',
    replacement: 'if (changes.after >= revision && !this.#loading)',
  },
  {
    name: 'own batches are applied beside the feed without a look at what is there',
    file: storage('watch-cache/state/watch-cache.ts'),
    fragment: 'if (event.revision > this.#revision) events.push(this.#applyEvent(event));',
    replacement: 'events.push(this.#applyEvent(event));',
  },
  {
    name: 'the window forgets changes and does not say so',
    file: storage('watch-cache/state/event-history.ts'),
    fragment: 'this.#oldest = batch.revision;',
    replacement: '',
  },
  {
    name: 'the window shows a change to those who have had it',
    file: storage('watch-cache/state/event-history.ts'),
    fragment: 'if (event.revision > after && !visit(event)) return;',
    replacement: 'if (event.revision >= after && !visit(event)) return;',
  },
  {
    name: 'an earlier state is the one before the last change',
    file: storage('watch-cache/state/historical-states.ts'),
    fragment: 'if (this.#before.has(path)) return;',
    replacement: '',
  },
  {
    name: 'what remains behind a page is counted with its last object',
    file: storage('watch-cache/state/resource-state.ts'),
    fragment: 'view.count({ from: keyAfter(last), to: bounds.to })',
    replacement: 'view.count({ from: last, to: bounds.to })',
  },
  {
    name: 'a deletion is told with the revision of the state before',
    file: storage('change-source.ts'),
    fragment: 'object: withRevision(previous, event.revision), previous };',
    replacement: 'object: previous, previous };',
  },
  {
    name: 'an object that begins to match is told as modified',
    file: storage('change-source.ts'),
    fragment: "if (after) return before || event.type === 'ADDED' ? event : entering(event);",
    replacement: 'if (after) return event;',
  },
  {
    name: 'a page of an earlier revision is answered from a history that never had it',
    file: storage('postgres/lineage/lineage.ts'),
    fragment: 'if (gap) throw compactedError(revision, gap.began);',
    replacement: '',
  },
];

const CONTROLLERS: readonly Mutation[] = [
  {
    name: 'a continue token goes on with the newest state',
    file: 'src/registry/verbs/list.ts',
    fragment: "token.revision > 0n ? { kind: 'exact', revision: token.revision } : { kind: 'latest' }",
    replacement: "{ kind: 'latest' }",
  },
  {
    name: 'a controller leads on without renewing',
    file: 'src/controllers/machinery/leader-lease.ts',
    fragment: 'since + RENEW_DEADLINE_MS - scheduler.now()',
    replacement: 'since + 3 * LEASE_MS - scheduler.now()',
  },
  {
    name: 'a controller takes a lease over before its time',
    file: 'src/controllers/machinery/leader-lease.ts',
    fragment: 'return this.#options.scheduler.now() >= (this.#observed?.at ?? 0) + duration;',
    replacement: 'return this.#options.scheduler.now() >= (this.#observed?.at ?? 0) + duration / 8;',
  },
  {
    name: 'a namespace is let go while something is left',
    file: 'src/controllers/deletion/namespace-deletion.reconciler.ts',
    fragment: 'remaining.objects === 0 ? this.#release(context, object) : this.#report(context, object, remaining)',
    replacement: 'this.#release(context, object)',
  },
  {
    name: 'a namespace is emptied although its deletion was lost',
    file: 'src/controllers/deletion/namespace-deletion.reconciler.ts',
    fragment: 'this.#abort.signal, Infinity, premise)',
    replacement: 'this.#abort.signal, Infinity)',
  },
  {
    name: 'a failed item is not tried again',
    file: 'src/controllers/deletion/terminating-watch.ts',
    fragment: 'void watch.closed.then(() => this.#retry());',
    replacement: '',
  },
  {
    name: 'an informer does not tell what has gone while it was away',
    file: 'src/controllers/machinery/informer.ts',
    fragment: 'for (const [path, object] of this.#objects) if (!told.has(path)) this.#apply(object, true);',
    replacement: '',
  },
  {
    name: 'a leader leads on without renewing',
    file: 'packages/leader-election/src/leadership-term.ts',
    fragment: 'return this.#renewedAt + this.#options.renewDeadline - this.#options.clock.monotonic();',
    replacement: 'return this.#renewedAt + 3 * this.#options.renewDeadline - this.#options.clock.monotonic();',
  },
  {
    name: 'a candidate takes a lease over before its time',
    file: 'packages/leader-election/src/contender.ts',
    fragment: "if (!mine && current.holderIdentity !== '' && !this.#observation.expired(at)) {",
    replacement: "if (!mine && current.holderIdentity !== '' && this.#observation.age(at) < 2_000) {",
  },
  {
    name: 'a term runs from the answer on, not from the request',
    file: 'packages/leader-election/src/leader-elector.ts',
    fragment: 'if (attempt?.held) this.#renewed(term, attempt.at);',
    replacement: 'if (attempt?.held) this.#renewed(term, this.#options.clock.monotonic() + 2 * this.#options.renewDeadline);',
  },
];

const FLUSHES: readonly Mutation[] = [
  {
    name: 'a lease in SQL is answered before it is on disk',
    file: 'test/simulate/postgres/session.ts',
    fragment: `      this.#instance.flush();
      answer();`,
    replacement: '      answer();',
    kind: 'storage',
  },
  {
    name: 'a lease in SQL waits for the disk with the counter locked',
    file: 'test/simulate/postgres/session.ts',
    fragment: `    counterLock.release(this);
    const flushed = () => {`,
    replacement: '    const flushed = () => {',
    kind: 'storage',
  },
  {
    name: 'who is refused in SQL is told of what is not on disk',
    file: 'test/simulate/postgres/lease-statements.ts',
    fragment: '?? null }], flushes: true };',
    replacement: '?? null }] };',
    kind: 'storage',
  },
  {
    name: 'what SQL clients have written is delivered before it is on disk',
    file: storage('postgres/lineage/lineage.ts'),
    fragment: 'if (isFlushed || restsOn(answer) <= seen) return answer;',
    replacement: 'return answer;',
  },
  {
    name: 'the feed takes what SQL clients have written for the writes of servers',
    file: storage('postgres/log/revision-log.repository.ts'),
    fragment: 'return row !== undefined && row.token !== null;',
    replacement: 'return row !== undefined;',
  },
  {
    name: 'the feed knows all to be on disk of which it has read a page',
    file: storage('postgres/log/revision-log.repository.ts'),
    fragment: 'lineage.note(last ?? head.newest);',
    replacement: 'lineage.note(head.newest);',
  },
  {
    name: 'what the database is asked for itself is answered before it is on disk',
    file: storage('postgres/read/object.repository.ts'),
    fragment: 'return (rows[0]?.newest ?? 0) <= seen ? rows :',
    replacement: 'return seen >= 0 ? rows :',
  },
  {
    name: 'what is read with a flush is not flushed',
    file: storage('database/database.ts'),
    fragment: '      await flushWithCommit(client);',
    replacement: '',
  },
  {
    name: 'a cache begins with what is not on disk',
    file: storage('postgres/read/snapshot-reader.ts'),
    fragment: '    await flushWithCommit(client);',
    replacement: '',
  },
  {
    name: 'a server that looks where the database is takes what is not on disk for known',
    file: storage('postgres/lineage/lineage.ts'),
    fragment: '        await flushWithCommit(client);',
    replacement: '',
  },
];

const CLOCKS: readonly Mutation[] = [
  {
    name: 'a lock is taken by the wall clock of the server that is asked',
    file: 'src/apis/coordination/lease/lock/locked-lease.ts',
    fragment: 'function refuseHeld(live: Lease, { ageOf }: LockTime): void {',
    replacement: `function refuseHeld(live: Lease, { now }: LockTime): void {
  const ageOf = (_: number) => now - Date.parse(live.spec?.renewTime ?? '');`,
  },
  {
    name: 'a renewal at a clock that stands still changes nothing',
    file: 'src/apis/coordination/lease/lease.resource.ts',
    fragment: '(Number(last.slice(ms.length, -1)) + 1) % 1_000',
    replacement: '0',
  },
  {
    name: 'a controller renews at a clock that stands still and changes nothing',
    file: 'src/controllers/machinery/leader-lease.ts',
    fragment: 'renewalTime(renewTime, this',
    replacement: 'renewalTime(undefined, this',
  },
  {
    name: 'a renewal at a clock that stands still brings back the time before',
    file: 'packages/kube-client/src/kubernetes-objects.ts',
    fragment: '(Number(last.slice(ms.length, -1)) + 1) % 1_000',
    replacement: '(Number(last.slice(ms.length, -1)) + 1) % 2',
  },
  {
    name: 'a controller takes a lease over by its wall clock',
    file: 'src/controllers/machinery/leader-lease.ts',
    fragment: 'return this.#options.scheduler.now() >= (this.#observed?.at ?? 0) + duration;',
    replacement: "return this.#options.now() >= Date.parse(specOf(current).renewTime ?? '') + duration;",
  },
  {
    name: 'a candidate takes a lease over by its wall clock',
    file: 'packages/leader-election/src/contender.ts',
    fragment: "if (!mine && current.holderIdentity !== '' && !this.#observation.expired(at)) {",
    replacement: `const wall = this.#options.clock.wallTime().getTime();
    if (!mine && current.holderIdentity !== '' && wall < Date.parse(current.renewTime ?? '') + this.#options.leaseDuration) {`,
  },
  {
    name: 'a lease is taken in SQL by the wall clock of the database',
    file: 'test/simulate/postgres/lease-statements.ts',
    fragment: 'if (seen.watched >= durationMs + 2_000) return true;',
    replacement: 'if (now >= Date.parse(spec.renewTime ?? "") + durationMs) return true;',
  },
  {
    name: 'what a contender in SQL has seen counts for whatever the lease is now',
    file: 'test/simulate/postgres/lease-statements.ts',
    fragment: 'values[4] !== null && numberOf(values[4]) === revision && ',
    replacement: '',
  },
  {
    name: 'all the time between two questions in SQL counts',
    file: 'test/simulate/postgres/lease-statements.ts',
    fragment: 'Math.min(now - seen.last, 2_000)',
    replacement: 'now - seen.last',
  },
  {
    name: 'a revision is as old as the one before it',
    file: storage('revisions.ts'),
    fragment: 'now - (this.#samples[low]?.at ?? now)',
    replacement: 'now - (this.#samples[low - 10]?.at ?? now)',
    kind: 'elections',
  },
];

export const MUTATIONS: readonly Mutation[] = [...FEED, ...WRITES, ...CACHE, ...CONTROLLERS, ...FLUSHES, ...CLOCKS];
