/** Why a process could not start, in one line that says what to do. */
import {
  ConfigRejected,
  DataDirError,
  RecordStoreUnusable,
  SealBroken,
  SealKeyError,
  StateDbUnusable,
  StateStoreUnavailable,
} from '../assemble.ts';
import { FirstRunDamaged } from '../config/first-run.ts';
import { CommandFailure } from './shell.ts';

/** Errors whose message already says what to do. */
const OWN_FAULTS = [
  DataDirError,
  RecordStoreUnusable,
  StateDbUnusable,
  StateStoreUnavailable,
  SealKeyError,
  SealBroken,
  ConfigRejected,
  FirstRunDamaged,
];

interface Attempted {
  readonly host: string;
  readonly port: number;
  /** Null for a process without one (the simulator). */
  readonly dataDir: string | null;
}

function listenFault(code: string, { host, port }: Attempted): string | null {
  const place = `${host}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use: stop what listens there, or choose another port with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `${host} is no address of this machine: choose another with --host`;
    case 'EACCES':
    case 'EPERM':
      return `not allowed to listen on ${place}: choose a port above 1023 with --port`;
    default:
      return null;
  }
}

const FOLDER_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'it, or a folder above it, is a file',
  EEXIST: 'it is a file',
  ENOENT: 'it cannot be made there',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** Turns what starting threw into a `CommandFailure`; what nobody foresaw is handed back as it is. */
export function explainStart(error: unknown, attempted: Attempted): unknown {
  if (error instanceof CommandFailure || !(error instanceof Error)) return error;
  if (OWN_FAULTS.some((kind) => error instanceof kind)) return new CommandFailure(error.message);
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === undefined) return error;
  const listening = syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo' || code === 'EADDRINUSE';
  const fault = listening
    ? listenFault(code, { ...attempted, host: address ?? attempted.host, port: port ?? attempted.port })
    : null;
  if (fault !== null) return new CommandFailure(fault);
  const folder = FOLDER_FAULTS[code];
  if (folder === undefined || attempted.dataDir === null) return error;
  return new CommandFailure(
    `the data folder ${attempted.dataDir} cannot be used (${folder}): choose another with --data`,
  );
}
