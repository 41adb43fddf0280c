/** Whole answers of endpoints that are never translated: read, and written to the client (R-2, R-3, F-5, E-4). */
import { type BodyView, isScanError, readString, scanObject, valueByte } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../bytes/json-grammar.ts';
import { objectsIn } from '../bytes/nested.ts';
import { jsonBytes, utf8 } from '../bytes/text.ts';
import type { Answer, AnswerWrite, ClientRequest } from '../contract.ts';
import { DATA_PREFIX, EVENT_END } from '../stream/event-form.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { usageIn } from './usage.ts';

/** Null = not a usable answer: no JSON object, an error, or nothing of what was asked for. */
export function readPlainAnswer(endpoint: PlainEndpoint, bytes: Uint8Array): Answer | null {
  const view = scanObject(bytes);
  if (isScanError(view) || holdsError(view) || endpoint.artifact(view) !== 'there') return null;
  const stateIds = endpoint.stateIds?.(view);
  return {
    view,
    content: 'content',
    contentBytes: endpoint.contentBytes?.(view) ?? 0,
    usage: usageIn(view),
    finishReasons: finishReasons(view),
    ...(stateIds === undefined ? {} : { stateIds }),
  };
}

function holdsError(view: BodyView): boolean {
  const first = valueByte(view, 'error');
  if (first === QUOTE) return readString(view, 'error') !== '';
  return first === OPEN_BRACE || first === OPEN_BRACKET;
}

function finishReasons(view: BodyView): string[] {
  return objectsIn(view, 'choices').flatMap((choice) => readString(choice, 'finish_reason') ?? []);
}

/** The answer with the served model's name, where it names one, and the report; everything else byte for byte. */
export function writePlainAnswer(answer: Answer, write: AnswerWrite): Uint8Array {
  return edit(answer.view, [modelEdit(write.servedModel), ...reportEdits(write.report)]);
}

/** */
export function modelEdit(servedModel: string): Edit {
  return { op: 'replace', key: 'model', value: jsonBytes(servedModel) };
}

/** */
export function reportEdits(report: Uint8Array | null): Edit[] {
  return report === null ? [] : [{ op: 'set', key: 'understudy', value: report }];
}

/** F-5: a whole answer to a request that wanted a stream. What was to be plain text is just that. */
export function plainAnswerToStream(
  endpoint: PlainEndpoint,
  answer: Answer,
  write: AnswerWrite,
  request: ClientRequest,
): Uint8Array {
  const { events } = endpoint;
  if (endpoint.output(request.view) !== 'events' || events === undefined) {
    return utf8(endpoint.plainText?.(answer.view) ?? '');
  }
  const out = new ByteWriter();
  const list = events.ofWhole(answer.view);
  list.forEach((json, at) => {
    const last = at === list.length - 1;
    out.write(framed(json, [modelEdit(write.servedModel), ...(last ? reportEdits(write.report) : [])], events.named));
  });
  out.write(utf8(events.terminator));
  return out.take();
}

/** One event; `json` is one object, in one line afterwards. */
export function framed(json: Uint8Array, edits: readonly Edit[], named: boolean): Uint8Array {
  const view = scanObject(json);
  if (isScanError(view)) throw new Error(`an event can not be read: ${view.message}`);
  const line = edit(view, edits);
  for (let i = 0; i < line.length; i++) if (line[i] === 0x0a || line[i] === 0x0d) line[i] = 0x20;
  const type = named ? readString(view, 'type') : null;
  const name = typeof type === 'string' ? utf8(`event: ${type.replaceAll(/[\r\n]/g, ' ')}\n`) : NOTHING;
  return Buffer.concat([name, DATA_PREFIX, line, EVENT_END]);
}

const NOTHING = new Uint8Array(0);
