/** Reads multipart forms, as strictly as RFC 7578 has them. Whole bodies: what a simulator gets is short. */

/** A part's content: the text of a field, or a file. */
export type FormValue = string | { readonly fileName: string; readonly contentType: string; readonly bytes: Buffer };

/** Parts by name, in order; a name may come several times. Null = it is no form. */
export function parseForm(body: Buffer, contentType: string | undefined): Map<string, FormValue[]> | null {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return null;
  const delimiter = Buffer.from(`--${boundary}`);
  if (body.indexOf(delimiter) !== 0) return null;
  const values = new Map<string, FormValue[]>();
  for (let at = delimiter.length; ; ) {
    const mark = body.toString('latin1', at, at + 2);
    if (mark === '--') return values;
    if (mark !== '\r\n') return null;
    const headersEnd = body.indexOf('\r\n\r\n', at);
    const next = body.indexOf(`\r\n--${boundary}`, headersEnd + 2);
    if (headersEnd < 0 || next < 0) return null;
    const part = partOf(body.toString('utf8', at + 2, headersEnd), body.subarray(headersEnd + 4, next));
    if (part === null) return null;
    values.set(part.name, [...(values.get(part.name) ?? []), part.value]);
    at = next + 2 + delimiter.length;
  }
}

function partOf(headers: string, content: Buffer): { readonly name: string; readonly value: FormValue } | null {
  const name = /content-disposition:\s*form-data;.*?\bname="([^"]+)"/i.exec(headers)?.[1];
  if (name === undefined) return null;
  const fileName = /\bfilename="([^"]*)"/i.exec(headers)?.[1];
  if (fileName === undefined) return { name, value: content.toString('utf8') };
  const contentType = /content-type:\s*([^\r\n]+)/i.exec(headers)?.[1]?.trim() ?? 'application/octet-stream';
  return { name, value: { fileName, contentType, bytes: Buffer.from(content) } };
}
