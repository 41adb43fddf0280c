/**
 * A load balancer as simple as they come, within the clients: requests go round among the replicas that say they are ready.
 * A connection that is refused goes to the next one, for nothing was sent; a request that was sent is never sent again.
 * While it knows of none, they wait.
 */
import { Agent, request as openRequest } from 'node:http';
import { type RawAnswer, type RawRequest, sendRaw } from '../../faults/raw-client.ts';

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 2000;

/** An answer, and the address it came from. */
export interface RoundAnswer extends RawAnswer {
  readonly from: string;
}

interface Backend {
  readonly url: string;
  ready: boolean;
}

export class RoundRobin {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4096 });
  #backends: Backend[] = [];
  #waiting: (() => void)[] = [];
  #turn = 0;
  readonly #looking: ReturnType<typeof setInterval>;

  constructor() {
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  add(url: string): void {
    this.#backends.push({ url, ready: true });
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Sends nothing there any more. */
  remove(url: string): void {
    this.#backends = this.#backends.filter((backend) => backend.url !== url);
  }

  /** `path`: with its slash. */
  async send(path: string, options: Omit<RawRequest, 'url' | 'agent'>): Promise<RoundAnswer> {
    while (this.#backends.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const order = this.#order();
    for (const [at, backend] of order.entries()) {
      const answer = await sendRaw({ ...options, url: `${backend.url}${path}`, agent: this.#agent });
      if (answer.errorCode !== 'ECONNREFUSED' || at + 1 === order.length) return { ...answer, from: backend.url };
      backend.ready = false;
    }
    throw new Error('unreachable: there is one');
  }

  close(): void {
    clearInterval(this.#looking);
    this.#agent.destroy();
  }

  #look(): void {
    for (const backend of this.#backends) {
      const probe = openRequest(`${backend.url}/readyz`, { agent: this.#agent, timeout: PATIENCE_MS }, (answer) => {
        backend.ready = answer.statusCode === 200;
        answer.resume();
      });
      probe.on('timeout', () => probe.destroy());
      probe.on('error', () => {
        backend.ready = false;
      });
      probe.end();
    }
  }

  /** Ready ones first, in turn; where none is, any: the client is to hear a gateway's word. */
  #order(): Backend[] {
    const ready = this.#backends.filter((backend) => backend.ready);
    const all = ready.length > 0 ? ready : this.#backends;
    this.#turn += 1;
    return all.map((_, at) => all[(this.#turn + at) % all.length]!);
  }
}
