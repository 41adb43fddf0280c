/** Several gateways over one store, each a process that can be killed, behind one load balancer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayProcess, type Program } from '../../crash/gateway-lives.ts';
import { RoundRobin } from './round-robin.ts';

export interface FleetOptions {
  readonly program: Program;
  readonly configText: string;
  /** How far each replica's clock is off, in ms; its length is the number of replicas. */
  readonly skews: readonly number[];
}

/** 32 bytes: what the replicas seal with. */
export const SEAL_KEY = Buffer.from(Array.from({ length: 32 }, (_, n) => n + 1)).toString('base64');

interface Replica {
  process: GatewayProcess;
  url: string;
  readonly dataDir: string;
  readonly skewMs: number;
}

export class Fleet {
  readonly front: RoundRobin;
  readonly #options: FleetOptions;
  readonly #replicas: Replica[] = [];

  private constructor(options: FleetOptions, front: RoundRobin) {
    this.#options = options;
    this.front = front;
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options, new RoundRobin());
    await Promise.all(options.skews.map((skewMs) => fleet.#add(skewMs)));
    return fleet;
  }

  get size(): number {
    return this.#replicas.length;
  }

  /** A figure of /metrics, of each replica. */
  async figures(name: string): Promise<number[]> {
    return Promise.all(
      this.#replicas.map(async ({ url }) => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
      }),
    );
  }

  /** As a machine that loses power: at once, without a word. */
  async kill(at: number): Promise<void> {
    const { process } = this.#replicas[at]!;
    process.child.kill('SIGKILL');
    await process.dead;
  }

  /** In peace, as an update does it. */
  async stop(at: number): Promise<void> {
    await this.#replicas[at]!.process.stop();
  }

  /** A new process in the place of one that is gone. */
  async revive(at: number): Promise<void> {
    const replica = this.#replicas[at]!;
    this.front.remove(replica.url);
    const { process, url } = await this.#launch(replica.dataDir, replica.skewMs);
    Object.assign(replica, { process, url });
    this.front.add(url);
  }

  async close(): Promise<void> {
    this.front.close();
    await Promise.all(this.#replicas.map(({ process }) => process.stop()));
    for (const { dataDir } of this.#replicas) rmSync(dataDir, { recursive: true, force: true });
  }

  async #add(skewMs: number): Promise<void> {
    const dataDir = mkdtempSync(join(tmpdir(), 'understudy-replica-'));
    const { process, url } = await this.#launch(dataDir, skewMs);
    this.#replicas.push({ process, url, dataDir, skewMs });
    this.front.add(url);
  }

  async #launch(dataDir: string, skewMs: number): Promise<{ process: GatewayProcess; url: string }> {
    const process = new GatewayProcess(this.#options.program, '', { UNDERSTUDY_TEST_SKEW_MS: String(skewMs) });
    const env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };
    const url = await process.start({ configText: this.#options.configText, dataDir, env });
    if (url === null) throw new Error('a replica did not start');
    return { process, url };
  }
}
