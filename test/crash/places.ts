/** Lives of gateways, one after the other in each place, each ended by a kill; the next process is loaded meanwhile. */
import type { RoundRobin } from '../support/replicas/round-robin.ts';
import { GatewayProcess, type Program } from './gateway-lives.ts';
import type { Ground, Place } from './ground.ts';
import type { Life } from './life-plan.ts';

export interface PlacesOptions {
  readonly program: Program;
  readonly ground: Ground;
  readonly configText: string;
  /** Whoever serves is in it. */
  readonly front: RoundRobin;
  /** Before a life that is to find expired keys. */
  readonly forget: () => Promise<void>;
  /** After each kill, with the count of them all. */
  readonly onKill: (kills: number) => Promise<void>;
}

interface Loaded {
  readonly process: GatewayProcess;
  /** Null = it is to live on. */
  readonly life: Life | null;
}

/** Who dies after so many deliveries of its own. */
interface Doomed {
  left: number;
  readonly kill: () => void;
}

export class Places {
  kills = 0;
  /** How often each fault point ended a life. */
  readonly reached = new Map<string, number>();
  readonly #options: PlacesOptions;
  readonly #doomed = new Map<string, Doomed>();
  readonly #last: GatewayProcess[] = [];
  readonly #all = new Set<GatewayProcess>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** A delivery by the gateway at this address: its last one, maybe. */
  delivered(url: string): void {
    const doomed = this.#doomed.get(url);
    if (doomed === undefined) return;
    doomed.left -= 1;
    if (doomed.left === 0) doomed.kill();
  }

  /**
   * Spends lives in a place until `nextLife` has none, then one that lives on; resolves when that serves. `longestMs`:
   * a life whose end is not reached in this time, once it serves, is ended. `over`: ends whatever lives, for the last one.
   */
  async spend(
    place: Place,
    { nextLife, longestMs, over }: { nextLife: () => Life | null; longestMs: number; over?: Promise<void> },
  ): Promise<void> {
    const end: { isOver: boolean; kill: () => void } = { isOver: false, kill: () => undefined };
    const endIt = (): void => {
      end.isOver = true;
      end.kill();
    };
    void over?.then(endIt, endIt);
    let next = this.#load(place, nextLife());
    for (;;) {
      const { process, life } = end.isOver && next.life !== null ? await this.#instead(place, next) : next;
      if (life === null) return this.#keep(place, process);
      next = this.#load(place, nextLife());
      end.kill = () => void process.child.kill('SIGKILL');
      await this.#live(place, process, life, longestMs);
      this.kills += 1;
      if (process.fault !== null) this.reached.set(process.fault, (this.reached.get(process.fault) ?? 0) + 1);
      await this.#options.onKill(this.kills);
    }
  }

  /** Ends the last ones in peace. */
  async stop(): Promise<void> {
    await Promise.all(this.#last.map((process) => process.stop()));
  }

  /** Whatever became of the test, none is left. */
  close(): void {
    for (const { child } of this.#all) child.kill('SIGKILL');
  }

  async #live(place: Place, process: GatewayProcess, life: Life, longestMs: number): Promise<void> {
    const { front, forget } = this.#options;
    const kill = (): void => void process.child.kill('SIGKILL');
    if (life.forgets) await forget();
    if (life.startMs !== null) setTimeout(kill, life.startMs);
    const url = await this.#start(place, process);
    if (url === null) return;
    if (life.deliveries !== null) this.#doomed.set(url, { left: life.deliveries, kill });
    front.add(url);
    const guard = setTimeout(kill, longestMs);
    await process.dead;
    clearTimeout(guard);
    front.remove(url);
    this.#doomed.delete(url);
  }

  async #keep(place: Place, process: GatewayProcess): Promise<void> {
    this.#last.push(process);
    const url = await this.#start(place, process);
    if (url === null) throw new Error('the last gateway did not start');
    this.#options.front.add(url);
  }

  /** One that lives on in the stead of one that was to die. */
  async #instead(place: Place, { process }: Loaded): Promise<Loaded> {
    process.child.kill('SIGKILL');
    await process.dead;
    return this.#load(place, null);
  }

  #load({ skewMs }: Place, life: Life | null): Loaded {
    const more = { UNDERSTUDY_TEST_SKEW_MS: String(skewMs) };
    const process = new GatewayProcess(this.#options.program, life?.faults ?? '', more);
    this.#all.add(process);
    void process.dead.then(() => this.#all.delete(process));
    return { life, process };
  }

  #start({ dataDir }: Place, process: GatewayProcess): Promise<string | null> {
    const { configText, ground } = this.#options;
    return process.start({ configText, dataDir, env: ground.env });
  }
}
