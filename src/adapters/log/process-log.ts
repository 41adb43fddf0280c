/**
 * The process's own log: JSON lines on standard error. Written in the background into a bounded buffer: a slow reader
 * of the log costs lines, which are counted, and never a request (O-2). Every line passes the masker (E-5).
 */
import pino from 'pino';
import type { Alert } from '../../ports/alerts.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

export interface ProcessLogOptions {
  /** Takes every configured secret out of a line. */
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
    { write: (line: string) => void destination.write(mask(line)) },
  );
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    bug: (error, requestId) => logger.error({ request_id: requestId, ...bugFields(error) }, 'a fault of the gateway'),
    alert: ({ kind, message, requestId }) => logger.warn({ alert: kind, request_id: requestId }, message),
    store: (problem) => {
      if (problem === null) logger.info('the request log is written again');
      else logger.error(problem);
    },
    get dropped() {
      return dropped;
    },
    flush: () => destination.flushSync?.(),
  };
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
