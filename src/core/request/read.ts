/** What reading a client's wish gives: the value, or the error to send. Never an exception. */
import { type ErrorCode, gatewayError } from '../errors/catalogue.ts';
import type { GatewayError } from '../errors/gateway-error.ts';

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: GatewayError };

export function good<T>(value: T): Read<T> {
  return { ok: true, value };
}

/** An error of the catalogue; `param` names the field at fault. */
export function bad(code: ErrorCode, message: string, param: string | null = null): { ok: false; error: GatewayError } {
  return { ok: false, error: gatewayError(code, message, { param }) };
}

/** A client's text for a message: quoted, and cut so that a huge name does not come back as a huge error. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** What a JSON value is, in a message's words. */
export function described(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'object') return 'an object';
  return String(value);
}

/** A JSON object, as opposed to null and arrays. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
