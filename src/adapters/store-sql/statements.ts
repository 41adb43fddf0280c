/**
 * The statements a store needs, by what they do. Each engine has a table of them; what is described here is the same for
 * all: parameters of a read and columns of a write's rows in order, and the columns a read gives. Booleans go in as 0 and
 * 1. Money goes in as text of whole nano-dollars and comes out as text. Ids, hashes and names are text.
 *
 * `alone` of a table: one process has the store for itself. Whatever its start finds held was a dead one's, and from then on
 * nobody else changes anything.
 */

/** The columns `readKey` reads: hash, scope, version, expires_at, row (JSON), attempts (JSON). */
export interface IdempotencySql {
  /**
   * Params: JSON list of [hash, scope]. Gives the key columns of those that are there. Where holders have leases, `leaseUntil`
   * in the row of a pending key is that of its holder, 0 = it is gone.
   */
  readonly load: string;
  /** Row: pending, expires_at, row, attempts, hash, scope, version. Changes nothing where the key is there. */
  readonly insertKey: string;
  /** Row: pending, expires_at, row, attempts, hash, scope, and the version that was read: the key must have it still. */
  readonly updateKey: string;
  /** Row: hash, scope, seal key, sealed. Takes the place of an earlier one. */
  readonly putAnswer: string;
  /** Row: hash, scope. */
  readonly wipeAnswer: string;
  /** Params: hash, scope. Gives request id and sealed bytes of a succeeded key. */
  readonly getAnswer: string;
  /**
   * Params: 1 = only of holders whose lease is over (0 = of all others), wall ms, the holder that asks, at most so many. Gives
   * hash and scope of pending keys.
   */
  readonly orphans: string;
  /** Params: wall ms, at most so many. Gives hash and scope of expired keys that nobody holds. */
  readonly expired: string;
  /** Row: hash, scope, wall ms. Run before `forget`, while the key is still there. */
  readonly forgetAnswer: string;
  /** Row: hash, scope, wall ms. Only what has expired, and nobody holds. */
  readonly forget: string;
  /** Gives the ids of the keys that answers were sealed with. */
  readonly sealKeys: string;
  /** Gives the number of keys. */
  readonly count: string;
  /** Params: hash. Gives the key columns, of every scope. */
  readonly ofHash: string;
  /**
   * Params: hash and scope after which the page begins, at most so many, longest bytes. Gives the key columns, the length of
   * the sealed bytes (null = none), and the bytes where they are no longer; by hash and scope, compared byte by byte.
   */
  readonly page: string;
}

/** Entry columns: ix, id, workspace, kind, amount, at, attempt_id, note, made_by. */
export interface LedgerSql {
  readonly alone: boolean;
  /** Row: none. First in every transaction that changes balances; null = nothing has to be done. */
  readonly begin: string | null;
  /** Row: wall ms; none if `alone`. Deletes reservations of holders that are gone, and counts them as its changes. */
  readonly abandon: string;
  /** Gives workspace, balance, what BY_CONFIGURATION made of it, sum held. */
  readonly sums: string;
  /**
   * Row: attempt id, workspace, amount, at, and unless `alone` the holder. Then it does nothing where nothing of the balance
   * is left, row by row in order, and gives the attempt ids that are held (also those that were before).
   */
  readonly reserve: string;
  /** Row: entry id, workspace, amount (negative), at, attempt id. One for each attempt: a second one changes nothing. */
  readonly charge: string;
  /** Row: attempt id. */
  readonly release: string;
  /** Row: id, workspace, kind, amount, at, note, made_by. */
  readonly add: string;
  /**
   * As `add`, then what was known to be granted: does nothing where the grants have come to another sum, and gives the ids it
   * added. Null if `alone`: nobody else grants.
   */
  readonly grant: string | null;
  /** Row: id of an entry. */
  readonly undo: string;
  /** Params: workspace, the `ix` before which the page begins, at most so many. Gives the entry columns, newest first. */
  readonly entries: string;
}

/**
 * Job columns: id, workspace, owner, request_id, ref, state, tries, max_tries, strict (0 or 1), cost_left, at, due_at,
 * finished_at, expires_at, sealed. A job without a living holder is anybody's, released or not.
 */
export interface JobsSql {
  /** Params: id. */
  readonly find: string;
  /** Params: ref. */
  readonly findByRef: string;
  /** Not finished, the next one first. */
  readonly open: string;
  /** Row: ref. Failed jobs of it let it go. */
  readonly letGo: string;
  /**
   * Row: id, workspace, owner, request id, ref, max tries, strict, cost left, at, due at, expires at, size, seal key, sealed,
   * holder; then the room: jobs not finished, of the owner, bytes of all, bytes of the owner. Adds nothing where there is no
   * room or `ref` is known.
   */
  readonly add: string;
  /** Row: id. */
  readonly release: string;
  /** Params: the holder that asks, wall ms, at most so many. Waiting, due and released; the next one first. */
  readonly due: string;
  /** Params: the holder that asks, wall ms, at most so many. Running, of holders that are gone. */
  readonly orphans: string;
  /** Params: the holder that asks, wall ms. Gives the first due_at after it of jobs waiting and released, or null. */
  readonly nextDue: string;
  /** Row: id, wall ms, the holder that takes it. One try more where it was waiting. Only what no other living one holds. */
  readonly begin: string;
  /** Row: id, due at, cost left, tries to take back, the holder that asks. Running, and no other living one's. */
  readonly again: string;
  /** Row: id, state, wall ms, size, seal key, sealed, the holder that asks. Not finished, and no other living one's. */
  readonly finish: string;
  /** As `finish`, then the room: bytes of all, bytes of the owner. */
  readonly finishInRoom: string;
  /** Row: id. */
  readonly remove: string;
  /** Row: wall ms. */
  readonly expire: string;
  readonly sealKeys: string;
}

export interface KeptSql {
  /** Row: scope, fingerprint, workspace, at, expires_at, size, seal key, sealed. Takes the place of an earlier one, as the newest. */
  readonly write: string;
  /** Params: scope, fingerprint, earliest at, wall ms. Gives the sealed bytes. */
  readonly newest: string;
  /** Params: workspace. Gives its bytes in sum. */
  readonly total: string;
  /** Row: workspace, bytes to come down to. The oldest go. */
  readonly makeRoom: string;
  /** Row: wall ms. */
  readonly expire: string;
  readonly workspaces: string;
  /** Row: workspace. */
  readonly forget: string;
  readonly sealKeys: string;
}

export interface BoundSql {
  /** Row: workspace, id, model, channel, credential, at, expires_at. Takes the place of an earlier one. */
  readonly note: string;
  /** Params: workspace, id, wall ms. Gives model, channel, credential. */
  readonly find: string;
  /** Row: workspace, id. */
  readonly forget: string;
  /** Row: wall ms. */
  readonly expire: string;
}

/** Object columns: kind, name, body (JSON), version, created_at, updated_at, updated_by. */
export interface ObjectsSql {
  /** In the order they were made. */
  readonly load: string;
  /** Params: kind, name. Gives created_at. */
  readonly createdAt: string;
  /** Row: kind, name, body, wall ms, by. Changes nothing where it is there. */
  readonly insert: string;
  /** Row: kind, name, the version that was read, body, wall ms, by. */
  readonly update: string;
  /** Row: kind, name, the version that was read. */
  readonly delete: string;
  /** Null = nobody else makes changes. */
  readonly revision: {
    /** Gives the number of the last change. */
    readonly read: string;
    /** Row: none. One more; in the transaction of every change. */
    readonly next: string;
  } | null;
}

/** Period columns: kind, id, period, start, requests, tokens, spend, told. */
export interface PeriodsSql {
  readonly alone: boolean;
  /** Params: wall ms. Of periods that began then or later. */
  readonly load: string;
  /** Row: wall ms. Forgets periods that began before. */
  readonly forget: string;
  /**
   * Row: the period columns. Adds to what is there of the same start; a later start begins anew, an earlier one changes
   * nothing. `told`: bits joined, or, where something is taken away, those given. Unless `alone` it gives the columns as
   * they are then.
   */
  readonly add: string;
}

/** Indexes of the request log by what they are good for, newest last; those of SQLite have these names. */
export type RequestIndex =
  | 'requests_by_time'
  | 'requests_by_key'
  | 'requests_by_workspace'
  | 'requests_by_requested'
  | 'requests_by_served'
  | 'requests_by_virtual'
  | 'requests_by_idempotency'
  | 'requests_unsuccessful'
  | 'requests_failed_over'
  | 'requests_degraded';

/**
 * The request log. `?` stands for the next parameter in what lists and sums are put together from; an engine that numbers
 * its parameters does so when it reads.
 */
export interface RequestsSql {
  /** Rows as one text, in the order of `REQUEST_COLUMNS`. A record that is there stays as it is. */
  readonly insert: string;
  /** Row: id, names, wall ms. One that is there is in use again. */
  readonly insertSnapshot: string;
  /** Row: wall ms, id of the one in use. */
  readonly retireOtherSnapshots: string;
  /** Row: id, content, wall ms of its use. Later uses move the stamp, never back. */
  readonly insertSetupPart: string;
  /** Params: id. Gives summary, detail, and the names of its snapshot or null. */
  readonly get: string;
  /** Params: JSON list of ids. Gives id, content. */
  readonly setupParts: string;
  /** A condition on `degraded` or `failover`, without parameters. */
  readonly flag: (column: 'degraded' | 'failover', is: boolean) => string;
  /** The table, to be read along this index where the engine can be told. */
  readonly along: (index: RequestIndex) => string;
  /** A condition with one parameter: another value, or none. */
  readonly isNot: (column: string) => string;
  /** A condition without parameters that every request meets of which a call failed, and few others. */
  readonly someFailed: string;
  /** What is summed up, in the order `addSums` reads it. */
  readonly sums: readonly string[];
  /** Row: grain, scope, slot, part, body. Takes the place of an earlier one. */
  readonly putFigures: string;
  /** Params: grain, scope, earliest slot, the slot after the last, slot and part after which the page begins, at most so many. Gives slot, part, body. */
  readonly readFigures: string;
  /** Gives the wall ms before which some requests are not in the figures; no row = all are. */
  readonly figuresSince: string;
  /** Gives the number of records with an idempotency key's hash. */
  readonly countKeyed: string;
  /** Params: hash, at, id after which the page begins, at most so many. Gives hash, at, id, summary, in that order. */
  readonly nextKeyed: string;
}
