/**
 * A scriptable upstream that speaks every dialect a gateway may meet and injects every fault a gateway must survive:
 * statuses, headers, delays, cuts, resets, hangs, garbage, slow drip, wrong lengths and encodings. Seeded, loopback.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Memory } from './answer/memory.ts';
import { PLAIN_REQUEST } from './answer/request.ts';
import { XSimCounter } from './answer/x-sim.ts';
import { type Call, type CallLimits, CallList, credentialOf, DEFAULT_CALL_LIMITS } from './calls.ts';
import { chooseReply, errorReply, jsonReply, modelList } from './choose.ts';
import { handleControl, sendJson } from './control.ts';
import type { Ask } from './dialects/dialect.ts';
import { allDialects, type Found, findDialect } from './dialects/table.ts';
import { askOf, MAX_BODY_BYTES, parseJson, readBody } from './incoming.ts';
import { Listener } from './listener.ts';
import { replyOfStep } from './play/from-step.ts';
import { playReply } from './play/player.ts';
import type { Reply } from './play/reply.ts';
import { ScriptCursor } from './script/cursor.ts';
import { ScriptError } from './script/load.ts';
import { checkScript } from './script/schema.ts';
import { EMPTY_SCRIPT, type Script } from './script/step.ts';

export interface SimulatorOptions {
  /** 0 or absent = a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** `who` in the list of calls. Default `sim`. */
  readonly name?: string;
  /** Beats the script's seed. Default 1. */
  readonly seed?: number;
  readonly script?: Script;
  /** Gets one line per call. */
  readonly log?: (line: string) => void;
  /** How much evidence to keep. */
  readonly keep?: Partial<CallLimits>;
}

export interface Simulator {
  /** `http://HOST:PORT`; the API's base is `${url}/v1`, or any other prefix. */
  readonly url: string;
  readonly port: number;
  /** Calls in order of arrival, the newest 10,000 or more. Filled while calls run. */
  readonly calls: readonly Call[];
  readonly script: Script;
  /** Exchanges the script and starts it from its first steps. Rejects with ScriptError. */
  setScript(script: Script): Promise<void>;
  /** Forgets calls and counts; the script starts again. */
  reset(): Promise<void>;
  /** Connections open right now. */
  openSockets(): number;
  /** Stops at once; open connections are closed. */
  close(): Promise<void>;
}

/** Starts a simulator. Rejects when the port is taken or the script is wrong. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = new RunningSimulator(options);
  await simulator.start();
  return simulator;
}

class RunningSimulator implements Simulator {
  script: Script = EMPTY_SCRIPT;
  readonly #options: SimulatorOptions;
  readonly #calls: CallList;
  readonly #listener: Listener;
  readonly #xSims = new XSimCounter();
  readonly #callsOf = new Map<string, number>();
  readonly #memory = new Memory();
  #cursor = new ScriptCursor(EMPTY_SCRIPT);

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.#calls = new CallList({ ...DEFAULT_CALL_LIMITS, ...options.keep });
    this.#listener = new Listener(options.host ?? '127.0.0.1', (request, response) => {
      this.#onRequest(request, response).catch((error: unknown) => this.#failed(error, response));
    });
  }

  get url(): string {
    return this.#listener.url;
  }

  get port(): number {
    return this.#listener.port;
  }

  get calls(): readonly Call[] {
    return this.#calls.list;
  }

  async start(): Promise<void> {
    this.#useScript(this.#options.script ?? EMPTY_SCRIPT);
    await this.#listener.open(this.#options.port ?? 0);
    await this.#followScript();
  }

  async setScript(script: Script): Promise<void> {
    this.#useScript(script);
    await this.#followScript();
  }

  async reset(): Promise<void> {
    this.#calls.clear();
    this.#callsOf.clear();
    this.#xSims.reset();
    this.#memory.clear();
    await this.setScript(this.script);
  }

  openSockets(): number {
    return this.#listener.openSockets();
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  #useScript(script: Script): void {
    const checked = checkScript(script);
    if ('issues' in checked) {
      throw new ScriptError(checked.issues.map(({ path, message }) => `script: ${path.join('.')}: ${message}`));
    }
    this.script = checked.script;
    this.#cursor = new ScriptCursor(this.script);
  }

  /** `socket: refused` for every model means a closed port; it opens again when the script says otherwise. */
  #followScript(): Promise<void> {
    return this.#listener.follow(() => this.#cursor.refusesAll());
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (path === '/healthz') return sendJson(response, 200, { ok: true });
    if (path.startsWith('/__sim/')) {
      const body = await readBody(request);
      return body === null ? undefined : handleControl(request, body, response, this);
    }
    const call = this.#note(request);
    const ask = askOf(request);
    const found = findDialect(ask);
    const early = found === null ? null : this.#cursor.takeEarly(call.reused);
    if (found !== null && early !== null) {
      call.answeredBy = 'script';
      void readBody(request).then((body) => body !== null && this.#calls.setBody(call, body));
      const { operation, stream } = found.place;
      const unread = { ...PLAIN_REQUEST, operation, stream: stream === true };
      const asked = { dialect: found.dialect, request: unread, memory: this.#memory };
      return this.#play(call, replyOfStep(early.step, early.run, asked, this.#chance('*')), request, response);
    }
    const body = await readBody(request);
    if (body === null) return this.#gone(call);
    this.#calls.setBody(call, body);
    await this.#play(call, this.#answer(call, body, ask, found), request, response);
  }

  #note(request: IncomingMessage): Call {
    const connection = this.#listener.arrival(request);
    return this.#calls.add({
      who: this.#options.name ?? 'sim',
      at: this.#now(),
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      credential: credentialOf(request.headers),
      headers: request.headers,
      connection: connection.no,
      reused: connection.requests > 1,
      model: null,
      bodyBytes: 0,
      bodyDigest: null,
      body: null,
      answeredBy: null,
      status: null,
      closedByPeerAt: null,
      endedAt: null,
    });
  }

  #answer(call: Call, body: Buffer, ask: Ask, found: Found | null): Reply {
    if (found === null) return this.#answerBeside(body, ask);
    const { dialect, place } = found;
    if (body.byteLength > MAX_BODY_BYTES) return errorReply(dialect, { status: 413 });
    const parsed = dialect.parse === undefined ? parseJson(body) : dialect.parse(body, ask);
    if (parsed === undefined) {
      return errorReply(dialect, { status: 400, message: 'The body is no JSON.', code: 'invalid_json' });
    }
    const read = dialect.read(parsed, place, ask, this.#memory, body);
    if (!('model' in read)) return errorReply(dialect, { status: 400, ...read });
    call.model = read.model;
    const xSim = ask.headers['x-sim'];
    const chosen = chooseReply(
      { dialect, request: read, memory: this.#memory },
      typeof xSim === 'string' ? xSim : undefined,
      call.reused,
      this.#chance(read.model),
      this.#cursor,
      this.#xSims,
    );
    call.answeredBy = chosen.answeredBy;
    return chosen.reply;
  }

  /** Endpoints that ask no model. */
  #answerBeside(body: Buffer, ask: Ask): Reply {
    const [words] = allDialects();
    if (body.byteLength > MAX_BODY_BYTES) return errorReply(words, { status: 413 });
    for (const dialect of allDialects()) {
      const served = dialect.serve?.(ask, body, this.#memory) ?? null;
      if (served !== null) return jsonReply(served);
    }
    if (ask.method === 'GET' && /\/models\/?$/.test(ask.path)) return modelList(ask, this.script);
    return errorReply(words, { status: 404, message: `Invalid URL (${ask.method} ${ask.path})`, code: 'unknown_url' });
  }

  #chance(model: string): { seed: number; call: number } {
    const call = this.#callsOf.get(model) ?? 0;
    this.#callsOf.set(model, call + 1);
    return { seed: this.#options.seed ?? this.script.seed ?? 1, call };
  }

  async #play(call: Call, reply: Reply, request: IncomingMessage, response: ServerResponse): Promise<void> {
    call.status = reply.socket === null ? reply.status : null;
    response.on('close', () => {
      if (call.endedAt === null) this.#gone(call);
      else this.#log(call);
    });
    response.on('finish', () => {
      call.endedAt = this.#now();
    });
    if (this.#cursor.refusesAll()) void this.#followScript();
    const played = await playReply(reply, request, response);
    if (played === 'broken') call.endedAt ??= this.#now();
    if (this.#cursor.refusesAll()) this.#listener.closeIdle();
  }

  /** A fault of the simulator itself, such as a scripted header that can't be sent: said, not fatal. */
  #failed(error: unknown, response: ServerResponse): void {
    const message = `simulator: ${error instanceof Error ? error.message : String(error)}`;
    this.#options.log?.(message);
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { error: { message, type: 'server_error', param: null, code: 'simulator_fault' } });
  }

  #gone(call: Call): void {
    if (call.closedByPeerAt !== null) return;
    call.closedByPeerAt = this.#now();
    this.#log(call);
  }

  #log(call: Call): void {
    const { no, method, path, model, answeredBy, status, closedByPeerAt } = call;
    const end = closedByPeerAt === null ? '' : ' (caller left)';
    const line = `#${no} ${method} ${path} ${model ?? '-'} → ${status ?? 'no answer'} by ${answeredBy ?? '-'}${end}`;
    // Callers choose path and model: no line breaks or terminal codes of theirs reach a log.
    this.#options.log?.(line.replaceAll(/\p{Cc}/gu, '?'));
  }

  #now(): number {
    return performance.timeOrigin + performance.now();
  }
}
