import type { KnownHistory, LineageRow } from '../../src/storage/postgres/lineage/lineage.repository.js';

/** A write: its revision, its unique id, and its segment. */
export interface Entry {
  readonly revision: number;
  readonly id: number;
  readonly segment: number;
}

/** The contents of a copy of the database. */
export interface Contents {
  value: number;
  lineage: number;
  /** The run of PostgreSQL in which the lineage began. */
  home: number;
  segment: number;
  segmentStart: number;
  lineages: LineageRow[];
  log: Entry[];
}

/** A PostgreSQL server with its files. A restart is a new place. */
export interface Copy {
  place: number;
  up: boolean;
  /** Its clock's difference from the true time. */
  skew: number;
  contents: Contents;
}

export interface Cache {
  revision: number;
  log: Entry[];
}

/** A server process. */
export interface Server {
  known?: KnownHistory;
  lineages: LineageRow[];
  segments: { segment: number; start: number }[];
  cache?: Cache;
  /** The copy that its connections lead to, and that copy's run; -1: none. */
  connection: number;
  place: number;
  /** The newest revision that it has seen in any history. */
  seen: number;
}

/** A client that lists once, then watches and resumes by revision alone, on any server. */
export interface Client {
  /** The server that it watches; -1: none at present. */
  server: number;
  revision: number;
  log: Entry[];
}

export interface State {
  time: number;
  copies: Copy[];
  /** The copy that the database's address leads to. */
  primary: number;
  /** Standbys with the changes received so far, backups, and disk snapshots. */
  kept: Contents[];
  servers: Server[];
  clients: Client[];
  /** Every acknowledged revision, with the write that received it. */
  given: [revision: number, id: number][];
  newestGiven: number;
  nextId: number;
  nextPlace: number;
  nextLineage: number;
  rotations: number;
}

export function initialState(servers: number, clients: number): State {
  const contents: Contents = { value: 1, lineage: 0, home: 0, segment: 1, segmentStart: 1, lineages: [], log: [] };
  return {
    time: 1,
    copies: [{ place: 1, up: true, skew: 0, contents }],
    primary: 0,
    kept: [],
    servers: Array.from({ length: servers }, () => ({ lineages: [], segments: [], connection: -1, place: 0, seen: 0 })),
    clients: Array.from({ length: clients }, () => ({ server: -1, revision: 0, log: [] })),
    given: [],
    newestGiven: 0,
    nextId: 1,
    nextPlace: 2,
    nextLineage: 1,
    rotations: 0,
  };
}

/** Rows and entries are immutable, so they are shared. */
export function cloneState(state: State): State {
  return {
    ...state,
    copies: state.copies.map((copy) => ({ ...copy, contents: cloneContents(copy.contents) })),
    kept: [...state.kept],
    servers: state.servers.map((server) => ({ ...server, segments: [...server.segments], cache: server.cache && { ...server.cache } })),
    clients: state.clients.map((client) => ({ ...client })),
    given: [...state.given],
  };
}

export function cloneContents(contents: Contents): Contents {
  return { ...contents, lineages: [...contents.lineages], log: [...contents.log] };
}
