/** What the reader of a Chat stream knows of each of its choices, and how it judges parsed values. */
import type { Finish } from '../canonical.ts';
import type { RowBlock } from '../cross/block-row.ts';

/** What a parsed chunk may hold; anything may be anything. */
export type Fields = { readonly [key: string]: unknown };

/** One choice of the stream. */
export interface Choice {
  readonly index: number;
  /** Its finish reason; null = none yet. Told at the end: until then content may still come. */
  finish: { readonly finish: Finish; readonly raw: string } | null;
  /** The open block that is no call; null = none. */
  plain: RowBlock | null;
  /** By the call's own index. */
  readonly calls: Map<number, RowBlock>;
  callCount: number;
  /** A call that has its id and not yet its name; null = none. */
  unnamed: { readonly index: number; readonly id: string } | null;
  /** Its thoughts are told as plain text: the same in `reasoning_details` is a repetition. */
  thinksAloud: boolean;
  /** Something of it was told. */
  told: boolean;
}

export function newChoice(index: number): Choice {
  const calls = new Map<number, RowBlock>();
  return { index, finish: null, plain: null, calls, callCount: 0, unnamed: null, thinksAloud: false, told: false };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isTruthy(value: unknown): boolean {
  return Boolean(value);
}

/** Some upstreams give every call the index 0: another id with a name begins another call. */
export function isNewCall(block: RowBlock, fields: Fields): boolean {
  const { what } = block;
  const said = isFields(fields['function']) ? fields['function'] : {};
  return what.type === 'call' && isText(fields['id']) && fields['id'] !== what.id && isText(said['name']);
}
