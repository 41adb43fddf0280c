/** The process: terminal, signals and exit code around the command line. */
import { startGateway } from './assemble.ts';
import { runCommandLine } from './cli/command-line.ts';
import { choosePaint } from './cli/paint.ts';
import { programName } from './cli/program-name.ts';
import type { Shell } from './cli/shell.ts';

const shell: Shell = {
  print: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  env: process.env,
  paint: choosePaint(process.stdout.isTTY === true, process.env),
  program: programName({
    script: process.argv[1] ?? '',
    cwd: process.cwd(),
    path: process.env['PATH'] ?? '',
    windows: process.platform === 'win32',
  }),
  onSignal(signal, listener) {
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  },
  startGateway,
  fetch,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

// A reader that has seen enough (`understudy check … | head`) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Sockets that a library keeps open must not keep an ended command alive. */
const LINGER_MS = 1000;

process.exitCode = await runCommandLine(process.argv.slice(2), shell);
setTimeout(() => process.exit(), LINGER_MS).unref();
