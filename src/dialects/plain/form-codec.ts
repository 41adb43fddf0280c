/** The form an upstream gets: the client's own bytes, but for the model's name and what is the gateway's own. */
import { utf8 } from '../bytes/text.ts';
import type { Upload, UpstreamBody } from '../contract.ts';

type Span = { readonly start: number; readonly end: number };

/**
 * Pieces in the order they are sent. Delimiters, part headers and files are the client's, byte for byte. `without`: names of
 * parts left out, those with brackets (`models[]`) among them.
 */
export function writeForm(
  { parts, body, contentType }: Upload,
  upstreamModel: string,
  without: ReadonlySet<string>,
): Pick<UpstreamBody, 'bytes' | 'pieces' | 'contentType'> {
  const pieces: (Uint8Array | Span)[] = [];
  const model = utf8(upstreamModel);
  let from = parts[0]?.start ?? 0;
  const keepUntil = (end: number): void => {
    if (end > from) pieces.push({ start: from, end });
  };
  if (!parts.some(({ name }) => name === 'model')) pieces.push(modelPart(contentType, upstreamModel));
  for (const part of parts) {
    if (without.has(stem(part.name))) {
      keepUntil(part.start);
      from = part.end;
    } else if (part.name === 'model') {
      keepUntil(part.valueStart);
      pieces.push(model);
      from = part.valueEnd;
    }
  }
  keepUntil(body.length);
  return { bytes: NOTHING, pieces, contentType };
}

const NOTHING = new Uint8Array(0);

/** `redundancy[on][]` belongs to `redundancy`. */
export function stem(name: string): string {
  const bracket = name.indexOf('[');
  return bracket <= 0 ? name : name.slice(0, bracket);
}

/** For a form that leaves the model to its path. */
function modelPart(contentType: string, upstreamModel: string): Uint8Array {
  const boundary = boundaryOf(contentType) ?? '';
  return utf8(`--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${upstreamModel}\r\n`);
}

/** The boundary a content type names; null = none, or one that no form may have. */
export function boundaryOf(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return found === null ? null : (found[1] ?? found[2] ?? null);
}

/** A body that is a form, by its content type. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType);
}
