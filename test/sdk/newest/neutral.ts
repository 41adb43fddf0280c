/** What every client library is asked and what it tells, whatever its own words: one list of scenarios fits all. */
import type { SdkRig } from '../sdk-rig.ts';

export interface Ask {
  readonly model: string;
  readonly text: string;
  readonly stream: boolean;
  /** Offers `weather` and `clock`, which may be called in parallel. */
  readonly tools?: true;
  /** Wants an object that fits `MOOD`. */
  readonly schema?: true;
  /** Base64 of a PNG beside the text. */
  readonly image?: string;
  /** Wants the model to think, and to show it. */
  readonly thinks?: true;
  /** Longest answer in tokens. */
  readonly most?: number;
}

export interface ToldCall {
  readonly name: string;
  readonly args: unknown;
}

export interface Told {
  readonly text: string;
  /** Pieces of text as they came; of a whole answer at most one. */
  readonly pieces: number;
  readonly thoughts: string;
  readonly calls: readonly ToldCall[];
  /** In Chat's words: `stop`, `length`, `tool_calls`, or whatever the client says instead. */
  readonly finish: string;
  readonly usage: { readonly input: number; readonly output: number } | null;
  /** Null = the client doesn't tell. */
  readonly model: string | null;
  /** The object, where one was asked for. */
  readonly object?: unknown;
  /** Goes on with everything the answer held: a result for each of its calls, or else another question. */
  next(text: string): Promise<Told>;
}

/** An error as the client library gives it. Null status = there was none: a stream broke. */
export interface ToldError {
  readonly status: number | null;
}

export interface NeutralClient {
  readonly name: string;
  ask(ask: Ask): Promise<Told>;
  /** What has come of a stream that then fails is told to `seen`, piece by piece. Throws as the library does. */
  watch?(ask: Ask, seen: (piece: string) => void): Promise<void>;
  statusOf(error: unknown): number | null;
  /** The dialect has a place for thoughts, and the library shows it. */
  readonly showsThoughts: boolean;
  /** The library passes pictures on, whatever the model is called. */
  readonly takesImages: boolean;
  /** The library takes the input's tokens from the opening of a stream, where a translation can not know them yet. */
  readonly countsInputEarly?: boolean;
  /** The library does not look for errors in a stream: all it shows of a broken one is that no finish reason came. */
  readonly deafToStreamErrors?: boolean;
  /** The library gives each result a turn of its own, which the vendor's own API refuses after several calls. */
  readonly answersApart?: boolean;
  /** The library has no place for what only a call's maker can read: it does not come back with the call. */
  readonly losesState?: boolean;
  /** The library reads objects from streams. */
  readonly streamsObjects: boolean;
}

export type ClientFactory = (rig: SdkRig) => NeutralClient;

/** Parameters of both tools, and the only member of each. */
export const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
export const CLOCK = {
  type: 'object',
  properties: { zone: { type: 'string' } },
  required: ['zone'],
  additionalProperties: false,
} as const;
export const MOOD = {
  type: 'object',
  properties: { mood: { type: 'string' }, certainty: { type: 'number' } },
  required: ['mood', 'certainty'],
  additionalProperties: false,
} as const;

/** One pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a tool answers. */
export function resultOf({ name, args }: ToldCall): string {
  return `${name} of ${JSON.stringify(args)}: fine`;
}
