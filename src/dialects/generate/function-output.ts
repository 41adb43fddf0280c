/**
 * What a function answered: this dialect wants one object there. By its clients' custom `output` holds a plain answer, and
 * `error` says that the call failed.
 */
import { readJson } from '../bytes/body-view.ts';
import type { JsonText, Part, ToolResult } from '../canonical.ts';
import { objectText, viewOfText } from '../cross/json-text.ts';

type Output = Pick<ToolResult, 'parts' | 'json' | 'failed'>;

/** `media`: what stands beside the object. */
export function readOutput(response: JsonText, media: readonly Part[]): Output {
  const view = viewOfText(response);
  const [only, ...more] = view?.members ?? [];
  const value = view === null || only === undefined || more.length > 0 ? undefined : readJson(view, only.key);
  if (typeof value === 'string' && (only?.key === 'output' || only?.key === 'error')) {
    const text: Part[] = value === '' ? [] : [{ type: 'text', text: value }];
    return { parts: [...text, ...media], json: null, failed: only.key === 'error' };
  }
  if (media.length === 0) return { parts: [], json: response, failed: false };
  return { parts: [{ type: 'text', text: response }, ...media], json: null, failed: false };
}

/** The object for a result; media aside. */
export function writeOutput({ json, parts, failed }: ToolResult): JsonText {
  if (json !== null) return failed ? objectText([['error', json]]) : json;
  const text = parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : [])).join('\n');
  return objectText([[failed ? 'error' : 'output', JSON.stringify(text)]]);
}
