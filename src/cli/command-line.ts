/** The commands, their options and their exit codes: 0 good, 1 failed, 2 wrong usage. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { parseDuration } from '../config/units.ts';
import { DEFAULT_URL } from './admin-client.ts';
import { addCredentials, addKeys, addMembers, addWorkspaces } from './admin-commands.ts';
import { type ApplyOptions, apply } from './apply.ts';
import { check } from './check.ts';
import { type DemoOptions, demo } from './demo.ts';
import { examples } from './examples.ts';
import { type ExplainOptions, explain } from './explain.ts';
import { type MigrateStoreOptions, migrateStore } from './migrate-store.ts';
import { type ServeOptions, serve } from './serve.ts';
import { CommandFailure, type Shell } from './shell.ts';
import type { SimOptions } from './sim.ts';
import { type VerifyLedgerOptions, verifyLedger } from './verify-ledger.ts';
import { packageVersion } from './version.ts';

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}

function readSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (seed <= 0xffff_ffff) return seed;
  throw new InvalidArgumentError('A seed is a whole number from 0 to 4294967295.');
}

function readDuration(text: string): number {
  const ms = parseDuration(text);
  // Whoever types 30 means seconds and would get milliseconds: a running request's end by surprise.
  const unit = /[a-z]\s*$/.test(text) || ms === 0;
  if (ms !== null && unit && ms <= 2_147_483_647) return ms;
  throw new InvalidArgumentError('A duration is a number with its unit, ms, s, m or h: 300s.');
}

function addServe(program: Command, shell: Shell): void {
  program
    .command('serve')
    .summary('run the gateway')
    .description(
      'Run the gateway. SIGHUP loads the configuration again; SIGTERM and Ctrl-C let running requests finish.',
    )
    .option('-c, --config <file>', 'configuration (default: understudy.yaml if it is there, else the environment)')
    .option('--host <address>', 'address to listen on (default: from the configuration, else 127.0.0.1)')
    .option('-p, --port <number>', 'port to listen on (default: from the configuration, else 4000)', readPort)
    .option('--data <folder>', "where records are kept; beats the configuration's store (default: ./data)")
    .option(
      '--drain-timeout <duration>',
      'how long running requests may finish (default: from the configuration, else 300s)',
      readDuration,
    )
    .addHelpText(
      'after',
      examples(
        'serve',
        'serve --config understudy.yaml --port 8080',
        'serve --data /var/lib/understudy --drain-timeout 2m',
      ),
    )
    .action((options: ServeOptions) => serve(shell, options));
}

function addCheck(program: Command, shell: Shell): void {
  program
    .command('check')
    .summary('validate a configuration')
    .description('Validate a configuration without starting anything: every problem with line, column and suggestion.')
    .argument('<file>', 'configuration to look at')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('check understudy.yaml', 'check --json understudy.yaml'))
    .action((file: string, options: { json?: boolean }) => check(shell, file, options));
}

function addSim(program: Command, shell: Shell): void {
  program
    .command('sim')
    .summary('run the simulated provider alone')
    .description('Run the simulated provider alone: models that answer, fail, stall, break off, by name or by script.')
    .option('-p, --port <number>', 'port to listen on', readPort, 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--script <file>', 'what each model does, as YAML or JSON')
    .option('--seed <number>', "draws answers and faults (default: the script's, else 1)", readSeed)
    .option('--log', 'print a line for each call')
    .addHelpText('after', examples('sim', 'sim --port 9000 --script outage.yaml --log'))
    // Loaded for this command alone: it brings the whole simulator.
    .action(async (options: SimOptions) => (await import('./sim.ts')).sim(shell, options));
}

function addDemo(program: Command, shell: Shell): void {
  program
    .command('demo')
    .summary('see a request survive an outage, no account needed')
    .description('Start gateway and simulated provider, show a request surviving an outage, then stay for you to try.')
    .option('--once', 'end after the showing: exit 0 when it worked')
    .option('-p, --port <number>', 'port to listen on (default: 4000, or a free one)', readPort)
    .option('--data <folder>', 'keep records here (default: a temporary folder)')
    .addHelpText('after', examples('demo', 'demo --once'))
    .action((options: DemoOptions) => demo(shell, options));
}

function addExplain(program: Command, shell: Shell): void {
  program
    .command('explain')
    .summary('show how a request was served')
    .description('Show how a running gateway served a request: candidates, attempts, decisions and their reasons.')
    .argument('<request-id>', 'the X-Request-Id of the answer')
    .option('--url <address>', `the gateway (default: UNDERSTUDY_URL, else ${DEFAULT_URL})`)
    .option('--json', 'print the record as JSON')
    .addHelpText(
      'after',
      `\nThe admin token is read from UNDERSTUDY_ADMIN_TOKEN.\n${examples('explain req_01H8…', 'explain req_01H8… --url http://gateway:4000 --json')}`,
    )
    .action((id: string, options: ExplainOptions) => explain(shell, id, options));
}

function addApply(program: Command, shell: Shell): void {
  program
    .command('apply')
    .summary('bring a running gateway to what a configuration says')
    .description(
      "Bring a running gateway to what a configuration says. Prints the differences first and asks. References to the environment are filled in from the gateway's environment. A start without a configuration file uses what was applied last.",
    )
    .argument('<file>', 'configuration to put in force')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'only print the differences')
    .option('--url <address>', `the gateway (default: UNDERSTUDY_URL, else ${DEFAULT_URL})`)
    .option('--json', 'print the answer as JSON')
    .addHelpText(
      'after',
      `\nThe admin token is read from UNDERSTUDY_ADMIN_TOKEN.\n${examples('apply understudy.yaml --dry-run', 'apply understudy.yaml --yes --url http://gateway:4000')}`,
    )
    .action((file: string, options: ApplyOptions) => apply(shell, file, options));
}

function addVerifyLedger(program: Command, shell: Shell): void {
  program
    .command('verify-ledger')
    .summary('check that every idempotency key has one result')
    .description(
      'Check the idempotency ledger of a data folder or a database: one stored success per key, its bytes as they were written, everything delivered equal to it, attempts within their budget, no round without its process. Changes nothing; works beside a running gateway. Exits 1 on a violation.',
    )
    .option('-c, --config <file>', 'configuration that says where records are kept (default: understudy.yaml)')
    .option('--data <folder>', "the folder; beats the configuration's store (default: ./data)")
    .option('--store <url>', "postgres://…, the database; beats the configuration's store")
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('verify-ledger', 'verify-ledger --data /var/lib/understudy --json'))
    .action((options: VerifyLedgerOptions) => verifyLedger(shell, options));
}

function addMigrateStore(program: Command, shell: Shell): void {
  program
    .command('migrate-store')
    .summary('move a data folder into PostgreSQL')
    .description(
      'Move what a data folder holds into PostgreSQL: objects, balances, idempotency keys with their answers, queued requests, the request log. Then compare both sides and check the ledger. The folder is locked and nothing in it is deleted; interrupted, the same command goes on. Exits 1 on a difference.',
    )
    .requiredOption('--from <folder>', 'the data folder; its gateway must be stopped')
    .requiredOption('--to <url>', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE, an empty database (or ?schema=NAME)')
    .option('--check', 'copy nothing, compare both sides once more')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nUNDERSTUDY_SEAL_KEY must be the key that the folder's secrets were sealed with.\n${examples('migrate-store --from ./data --to postgres://understudy@db/understudy')}`,
    )
    .action((options: MigrateStoreOptions) => migrateStore(shell, options));
}

function buildProgram(shell: Shell): Command {
  const program = new Command('understudy')
    .description('A self-hosted LLM gateway: one business request, one result, whatever happens upstream.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.print(text.replace(/\n$/, '')),
      writeErr: (text) => shell.complain(text.replace(/\n$/, '')),
    })
    .showHelpAfterError('(understudy --help and understudy COMMAND --help show what there is)')
    .addHelpText('after', examples('demo', 'serve', 'check understudy.yaml'));
  for (const add of [
    addServe,
    addCheck,
    addSim,
    addDemo,
    addApply,
    addExplain,
    addVerifyLedger,
    addMigrateStore,
    addKeys,
    addCredentials,
    addWorkspaces,
    addMembers,
  ])
    add(program, shell);
  return program;
}

/** A command nobody knows is wrong usage, whatever stands behind it: its `--help` would show another one's. */
async function parse(program: Command, args: readonly string[]): Promise<void> {
  const [first] = args;
  const isKnown = first === undefined || /^(?:-|help$)/.test(first) || program.commands.some((c) => c.name() === first);
  await program.parseAsync(isKnown ? [...args] : [first], { from: 'user' });
}

/** Runs one command line (without node and script). Resolves with the exit code; says itself what went wrong. */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  try {
    await parse(buildProgram(shell), args);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailure) {
      if (error.message !== '') shell.complain(`understudy: ${error.message}`);
      return error.exitCode;
    }
    shell.complain(
      `understudy: a fault of the program itself: ${error instanceof Error ? error.message : String(error)}`,
    );
    if (shell.env['UNDERSTUDY_DEBUG'] && error instanceof Error) shell.complain(error.stack ?? '');
    else shell.complain('understudy: set UNDERSTUDY_DEBUG=1 to see where');
    return 1;
  }
}
