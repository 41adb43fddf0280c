/**
 * The process's own log: JSON lines on standard error. Written in the background into a bounded buffer: a slow reader
 * of the log costs lines, which are counted, and never a request (O-2). Every text passes the masker (E-5).
 */
import pino from 'pino';
import type { Alert } from '../../ports/alerts.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

export interface ProcessLogOptions {
  /** Takes every configured secret out of a text. */
  readonly mask?: (text: string) => string;
  /** Where lines go; default standard error. */
  readonly destination?: LogDestination;
}

export interface LogDestination {
  write(line: string): unknown;
  flushSync?(): void;
}

export interface ProcessLog {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  /** A fault of the gateway itself, with its stack. */
  bug(error: unknown, requestId: string): void;
  alert(alert: Alert): void;
  /** The request log's trouble, or null when it is well again. */
  store(problem: string | null): void;
  /** Lines lost to a reader that did not keep up. */
  readonly dropped: number;
  /** Writes out what is buffered; for the end of the process. */
  flush(): void;
}

/** Text waiting for a slow reader at most. */
const BUFFER_BYTES = 1_048_576;

/** Members that hold secrets wherever they stand, should one be logged by mistake. */
const SECRET_MEMBERS = ['authorization', 'cookie', 'x-api-key', 'api-key', 'secret', 'token', 'password'];

export function createProcessLog(level: LogLevel, options: ProcessLogOptions = {}): ProcessLog {
  let dropped = 0;
  const destination = options.destination ?? standardError(() => (dropped += 1));
  const mask = options.mask ?? ((text: string) => text);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_MEMBERS.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: '[secret]' },
    },
    { write: (line: string) => void destination.write(line) },
  );
  const say = (at: Exclude<LogLevel, 'silent'>, message: string, fields: object = {}): void => {
    if (logger.isLevelEnabled(at)) logger[at](masked(fields, mask) as object, mask(message));
  };
  return {
    debug: (message, fields) => say('debug', message, fields),
    info: (message, fields) => say('info', message, fields),
    warn: (message, fields) => say('warn', message, fields),
    error: (message, fields) => say('error', message, fields),
    bug: (error, requestId) => say('error', 'a fault of the gateway', { request_id: requestId, ...bugFields(error) }),
    alert: ({ kind, message, requestId }) => say('warn', message, { alert: kind, request_id: requestId }),
    store: (problem) => (problem === null ? say('info', 'the request log is written again') : say('error', problem)),
    get dropped() {
      return dropped;
    },
    flush: () => destination.flushSync?.(),
  };
}

/** Our own ids look like an upstream's, which are masked; they are what finds the request again. */
const OWN_ID = 'request_id';
/** Deeper is nothing that anybody logs on purpose. */
const MAX_DEPTH = 5;

/** Text by text: a masker over the whole line would take the line's own structure for a part of a secret. */
function masked(value: unknown, mask: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[…]';
  if (Array.isArray(value)) return value.map((item) => masked(item, mask, depth + 1));
  const members = Object.entries(value).map(([name, member]) => [
    mask(name),
    name === OWN_ID ? member : masked(member, mask, depth + 1),
  ]);
  return Object.fromEntries(members);
}

function bugFields(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.stack } : {};
  return { error: error.message, stack: error.stack, ...cause };
}

function standardError(onDrop: () => void): LogDestination {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: BUFFER_BYTES });
  stream.on('drop', onDrop);
  // A closed pipe must not end the process whose log it was.
  stream.on('error', onDrop);
  return {
    write: (line) => stream.write(line),
    flushSync: () => {
      try {
        stream.flushSync();
      } catch {
        // Not open yet, or the reader has left.
      }
    },
  };
}
