/** What a simulator script says: for each model a list of steps, one per call, the last one for ever. */

/** How an answer ends: properly; the connection closed, reset or left open with the answer unfinished. */
export type End = 'clean' | 'fin' | 'rst' | 'hang';

/** Faults below HTTP. */
export type SocketFault = 'refused' | 'accept_then_silence' | 'rst_on_reuse_before_response';

/** Raw bytes as one flushed write, a pause, or `repeat` times (pause, write). */
export type Chunk = string | Uint8Array | ChunkPause;
export interface ChunkPause {
  readonly wait_ms?: number | undefined;
  readonly repeat?: number | undefined;
  readonly send?: string | undefined;
}

/**
 * Where the body's bytes are cut into writes: `every byte`; `each offset 1..len-1` (call n cuts once, at offset n);
 * a length; or the offsets themselves (`[]` = everything in one write).
 */
export type Split = 'every byte' | 'each offset 1..len-1' | number | readonly number[];

/** One answer. Nothing given = the answer a healthy model gives. */
export interface Step {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string | number>> | undefined;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** The same, compressed with gzip. */
  readonly body_gzip?: unknown;
  readonly chunks?: readonly Chunk[] | undefined;
  /** Ready-made model name → weight; one is drawn per call. */
  readonly random?: Readonly<Record<string, number>> | undefined;
  readonly end?: End | undefined;
  readonly socket?: SocketFault | undefined;
  /** Pause before the answer's first byte. */
  readonly delay_ms?: number | undefined;
  readonly split?: Split | undefined;
  /** Calls this step answers before the next one's turn; 1 when absent. */
  readonly times?: number | undefined;
  /** Answer before the request's body has been read. Only under the model `*`: the name is in the body. */
  readonly before_body?: boolean | undefined;
}

/** `*` stands for every model the script doesn't name. */
export interface Script {
  readonly seed?: number | undefined;
  readonly models: Readonly<Record<string, readonly Step[]>>;
}

/** What a healthy simulator runs without a script. */
export const EMPTY_SCRIPT: Script = { models: {} };
