/** `npm run bench`: the gateway against a bare proxy, and nginx where installed, in the same run on this machine. */
import { parseArgs } from 'node:util';
import { runConcurrentStreams } from './concurrent-streams.ts';
import { type Contender, type ContenderName, type Field, startField, startGatewayProcess } from './contender.ts';
import type { HotSpot } from './cpu-profile.ts';
import { measureCrossing, renderCrossing } from './crossing.ts';
import { BENCH_ADMIN_TOKEN, BENCH_KEY, chainConfig } from './gateway-config.ts';
import { measureKeyed } from './keyed.ts';
import { type LoadReport, type LogCount, readLog, runLoad, startChain } from './load.ts';
import { costOfChunks, costOfRequests, FULL, measure, PER_SECOND, QUICK, type Size, warmUp } from './measure.ts';
import { pinThisProcess } from './pinned-process.ts';
import { planningCosts, renderPlanning } from './plan.ts';
import { measureReplicas, renderReplicas } from './replicas.ts';
import {
  isMet,
  type Round,
  renderHotSpots,
  renderKeyed,
  renderLoad,
  renderRounds,
  renderTargets,
  targets,
} from './report.ts';

const USAGE = `Usage: npm run bench -- [options]
  --quick          one short round of everything
  --only PART,…    rounds, streams, keyed, crossing, load, plan, replicas (default: all)
  --against NAME,… bare, nginx, gateway (default: all that are installed)
  --rounds N       interleaved rounds (default ${FULL.rounds})
  --profile        where the gateway's main thread spends its time
  --json           figures as JSON
  --strict         exit 1 when a target is missed`;

interface Options {
  readonly size: Size;
  readonly parts: ReadonlySet<string>;
  readonly names: readonly ContenderName[];
  readonly profile: boolean;
  readonly json: boolean;
  readonly strict: boolean;
}

const PARTS = ['rounds', 'streams', 'keyed', 'crossing', 'load', 'plan', 'replicas'];
const NAMES: readonly ContenderName[] = ['bare', 'nginx', 'gateway'];

function chosen<T extends string>(value: string | undefined, all: readonly T[]): readonly T[] {
  if (value === undefined) return all;
  return value.split(',').map((name) => {
    const found = all.find((known) => known === name);
    if (found === undefined) throw new Error(`"${name}" is none of ${all.join(', ')}`);
    return found;
  });
}

function readOptions(): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const options = {
    quick: flag,
    profile: flag,
    json: flag,
    strict: flag,
    help: flag,
    only: text,
    against: text,
    rounds: text,
  };
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
  const size = values.quick ? QUICK : FULL;
  const rounds = values.rounds === undefined ? size.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds takes 1 to 100');
  return {
    size: { ...size, rounds },
    parts: new Set(chosen(values.only, PARTS)),
    names: chosen(values.against, NAMES),
    profile: values.profile,
    json: values.json,
    strict: values.strict,
  };
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Each round starts with another contender, so that none always has the warm or the cold machine. */
async function runRounds(field: Field, size: Size): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const contender of field.contenders) {
    say(`warm-up: ${contender.name}`);
    await warmUp(contender, size);
  }
  for (let number = 0; number < size.rounds; number += 1) {
    const round: Round = {};
    const { contenders } = field;
    for (let place = 0; place < contenders.length; place += 1) {
      const contender = contenders[(place + number) % contenders.length] as Contender;
      say(`round ${number + 1} of ${size.rounds}: ${contender.name}`);
      round[contender.name] = await measure(contender, size);
    }
    rounds.push(round);
  }
  return rounds;
}

interface Aftermath {
  readonly heapGrowthBytes: number;
  readonly timersBefore: number;
  readonly timersAfter: number;
  readonly upstreamCalls: number;
  readonly log: LogCount;
}

/** A quarter of the load warms up, the rest must leave nothing behind but its log. */
async function runLoadScenario(size: Size): Promise<{ report: LoadReport; aftermath: Aftermath }> {
  const upstreams = await startChain();
  const gateway = await startGatewayProcess(chainConfig(upstreams.map(({ url }) => url)));
  const settle = async () => {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await gateway.collectGarbage();
    return gateway.footprint();
  };
  const target = { url: gateway.url, adminToken: BENCH_ADMIN_TOKEN, clientKey: BENCH_KEY };
  const warmUp = Math.ceil(size.loadRequests / 4);
  await runLoad(target, 0, warmUp, PER_SECOND);
  const before = await settle();
  const report = await runLoad(target, warmUp, size.loadRequests, PER_SECOND);
  const after = await settle();
  const log = await readLog(target, warmUp + size.loadRequests);
  await gateway.stop();
  const upstreamCalls = upstreams.reduce((sum, { calls }) => sum + calls, 0);
  for (const upstream of upstreams) await upstream.close();
  const aftermath = {
    heapGrowthBytes: after.heapBytes - before.heapBytes,
    timersBefore: before.resources['Timeout'] ?? 0,
    timersAfter: after.resources['Timeout'] ?? 0,
    upstreamCalls,
    log,
  };
  return { report, aftermath };
}

interface Profile {
  readonly what: string;
  readonly mainThreadShare: number;
  readonly hotSpots: readonly HotSpot[];
}

/** Where the gateway's time goes, for whole answers and for streams apart. */
async function profileGateway(field: Field, size: Size): Promise<Profile[]> {
  const contender = field.contenders.find(({ name }) => name === 'gateway');
  const { gateway } = field;
  if (gateway === null || contender === undefined) return [];
  const profiles: Profile[] = [];
  for (const [what, run] of [['whole answers', costOfRequests] as const, ['streams', costOfChunks] as const]) {
    say(`profile: ${what}`);
    const before = await gateway.footprint();
    await gateway.startProfile();
    await run(contender, size);
    const hotSpots = await gateway.stopProfile();
    const after = await gateway.footprint();
    const mainThread = after.mainThreadMicros - before.mainThreadMicros;
    profiles.push({ what, mainThreadShare: mainThread / (after.cpuMicros - before.cpuMicros), hotSpots });
  }
  return profiles;
}

async function main(): Promise<number> {
  const options = readOptions();
  const { size, parts, names } = options;
  const pinned = pinThisProcess();
  say(pinned ? 'server under test alone on core 1' : 'cores can not be pinned here: expect noise');
  const needsField = options.profile || ['rounds', 'streams', 'keyed', 'crossing'].some((part) => parts.has(part));
  const field = needsField ? await startField(names) : null;
  const rounds = field !== null && parts.has('rounds') ? await runRounds(field, size) : [];
  const profiles = field !== null && options.profile ? await profileGateway(field, size) : [];
  const measured = field?.contenders.find(({ name }) => name === (names.includes('gateway') ? 'gateway' : 'bare'));
  const streams =
    measured !== undefined && parts.has('streams')
      ? await runConcurrentStreams(measured, size.concurrentStreams)
      : null;
  const keyed = field !== null && parts.has('keyed') && field.gateway !== null ? await measureKeyed(field, size) : null;
  const crossing =
    field !== null && parts.has('crossing') && field.gateway !== null ? await measureCrossing(field, size) : null;
  await field?.stop();
  const load = parts.has('load') && names.includes('gateway') ? await runLoadScenario(size) : null;

  const planning = parts.has('plan') ? planningCosts() : [];
  const replicas = parts.has('replicas') && names.includes('gateway') ? await measureReplicas(size, say) : null;

  const promises = targets(rounds, streams, keyed, crossing, planning, replicas);
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ node: process.version, pinned, rounds, streams, keyed, crossing, load, planning, replicas, targets: promises, profiles }, null, 2)}\n`,
    );
  } else {
    const order = field?.contenders.map(({ name }) => name) ?? [];
    if (rounds.length > 0) process.stdout.write(`\n${renderRounds(rounds, order)}\n`);
    if (streams !== null) process.stdout.write(`\n${streams.whole} of ${streams.streams} concurrent streams whole\n`);
    if (keyed !== null) process.stdout.write(`\n${renderKeyed(keyed)}\n`);
    if (crossing !== null) process.stdout.write(`\n${renderCrossing(crossing)}\n`);
    if (load !== null) {
      const { heapGrowthBytes, timersBefore, timersAfter, upstreamCalls, log } = load.aftermath;
      const heap = (heapGrowthBytes / 1024 / 1024).toFixed(1);
      process.stdout.write(`\n${renderLoad(load.report)}\n`);
      process.stdout.write(
        `log: ${log.requests} requests, ${log.attempts} attempts; upstream calls: ${upstreamCalls}\n`,
      );
      process.stdout.write(`left behind: heap ${heap} MB, timers ${timersBefore} → ${timersAfter}\n`);
    }
    if (replicas !== null) process.stdout.write(`\n${renderReplicas(replicas)}\n`);
    if (planning.length > 0) process.stdout.write(`\n${renderPlanning(planning)}\n`);
    for (const { what, mainThreadShare, hotSpots } of profiles) {
      const share = (mainThreadShare * 100).toFixed(0);
      process.stdout.write(
        `\n${what}: main thread ${share} % of the CPU time; its self time\n${renderHotSpots(hotSpots)}\n`,
      );
    }
    process.stdout.write(`\n${renderTargets(promises)}\n`);
  }
  const broken =
    (streams !== null && streams.whole < streams.streams) || (load !== null && load.report.torn.length > 0);
  const missed = promises.some((target) => !isMet(target));
  return broken || (options.strict && missed) ? 1 : 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    say(error instanceof Error ? `${error.message}\n\n${USAGE}` : String(error));
    // Ends now: the servers that were started go away with their parent.
    process.exit(2);
  },
);
