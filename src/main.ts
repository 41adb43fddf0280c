/** The process: terminal, signals and exit code around the command line. */
import { createInterface } from 'node:readline/promises';
import { startGateway } from './assemble.ts';
import { runCommandLine } from './cli/command-line.ts';
import { choosePaint } from './cli/paint.ts';
import { programName } from './cli/program-name.ts';
import type { Shell } from './cli/shell.ts';

/** Ctrl-D and a closed terminal are no answer. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(question), closed]);
  lines.close();
  return answer;
}

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
  async readInput() {
    if (process.stdin.isTTY === true) return null;
    return (await process.stdin.setEncoding('utf8').toArray()).join('');
  },
  ...(process.stdin.isTTY === true ? { ask } : {}),
  ...(process.stderr.isTTY === true
    ? { progress: (line: string) => void process.stderr.write(`\r\u001b[K${line}`) }
    : {}),
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
